/** API keys: shown once, with what each may do, and when it was last used. */

import { html, nothing } from "../vendor/lit.js";
import { get, post } from "../api.js";
import { button, emptyState, facts, table } from "../components.js";
import { daysFromToday, formatDay, formatDayAndTime } from "../format.js";
import { bind, formDialog, remove, showOnce } from "../forms.js";
import { definePage, Page, session } from "../shell.js";
import { newButton } from "./lists.js";

// Each scope includes those before it. The texts describe what the server checks.
const SCOPES = {
  published: ["Read published", "Published articles only. For a web page or an app that others see."],
  read: ["Read", "Everything you can see, drafts and scheduled articles too. It can make such keys. "
    + "For a site build."],
  write: ["Read and write", "Create, change, publish and delete articles and media, and make and revoke "
    + "keys. For an app you trust as much as yourself."],
};
const ENDS = [["30", "In 30 days"], ["365", "In a year"], ["", "Never"]];
const NONE = { title: "No keys yet", text: "A program needs a key to use this blog. You need none." };
const IDLE_DAYS = 180;

function renderLastUse({ last_used: used, created }) {
  const days = -daysFromToday(used ?? created);
  if (days > IDLE_DAYS) return html`<span class="warn">${used ? `${days} days ago` : "Never used"}</span>`;
  return !used ? "Not used yet" : days < 2 ? formatDayAndTime(used) : formatDay(used);
}

class Keys extends Page {
  async load() {
    [{ data: this.keys }, { data: this.users }] = await Promise.all([
      get("auth/api-key/", { query: { ownerless: false } }), get("users/")]);
  }

  async create() {
    const values = { name: "", scope: "read", days: "365" };
    const input = bind(this, values);
    const end = () => (values.days ? new Date(Date.now() + values.days * 86_400_000) : null);
    const scopes = Object.entries(SCOPES).map(([scope, [word]]) => [scope, word]);
    const fields = () => [
      input("name", "Name", { maxlength: 100, help: "Where you use it, so that you recognise it later" }),
      input("scope", "May", { type: "select", options: scopes, help: SCOPES[values.scope][1] }),
      input("days", "Ends", { type: "select", options: ENDS })];
    const save = () => post("auth/api-key/", { name: values.name, scopes: [values.scope], expires: end() });
    const key = await formDialog(this, { title: "New key", action: "Create key", fields, save });
    if (!key) return;
    const { name, expires, public_state: value } = key.data;
    const may = `May ${SCOPES[values.scope][0].toLowerCase()} as ${session().user.username}.`;
    const foot = `${may} ${expires ? `Ends on ${formatDay(expires)}.` : "Never ends."}`;
    const title = `${name ? `Key “${name}”` : "The key"} is made. Copy it now`;
    await showOnce(this, { title, label: "key", value, foot });
  }

  renderMain() { return newButton("key", () => this.create()); }

  renderRow(key) {
    const { uuid, user, scopes, expires } = key;
    const name = key.name || `${key.prefix}…`;
    const question = { title: `Revoke “${name}”?`, action: "Revoke key",
      text: "Whatever uses this key stops working at once." };
    const revoke = button({ text: "Revoke", label: `Revoke ${name}`, kind: "risk hang-end",
      onClick: () => remove(this, `auth/api-key/${uuid}/`, question) });
    const owner = this.users.find((other) => other.uuid === user && user !== session().user.uuid);
    return html`<tr>
      <th scope="row">${name} <span class="soft">${owner ? `of ${owner.username}` : ""}</span></th>
      <td class="ink nowrap">${SCOPES[scopes.at(-1)][0]}</td><td class="nowrap">${renderLastUse(key)}</td>
      <td class="nowrap">${expires ? formatDay(expires) : "Never"}</td>
      <td class="num">${revoke}</td></tr>`;
  }

  renderPage() {
    const rows = this.keys.map((key) => this.renderRow(key));
    return html`${this.once ?? nothing}
      ${rows.length ? table([["Name"], ["May"], ["Last used"], ["Ends"]], rows, "") : emptyState(NONE)}
      <section class="section key-help"><div><h2>What a key may do</h2>
        <p class="soft">A key acts as the person who made it and never has more rights than that person.
          No key reaches users, imports, exports or backups, or changes the site.</p></div>
        ${facts(Object.values(SCOPES))}</section>`;
  }
}

definePage(Keys);
