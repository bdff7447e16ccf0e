/** The page of the API keys, with the scope and the last use of each. A new key is shown once. */

import { html, render } from "../../static/vendor/lit.js";
import { get, post } from "../api.js";
import { button, framedTable } from "../components.js";
import { formatCount, countDaysTo, formatDay, formatDayAndTime, formatNumber } from "../format.js";
import { copyButton } from "../dialogs.js";
import { openForm, deleteResource, showSecretOnce } from "../forms.js";
import { hasRole } from "../roles.js";
import { definePage, Page, refs, getSession } from "../shell.js";
import { renderKeyTabs } from "./key-tabs.js";
import { newItemButton } from "./items.js";

const EXAMPLE_REQUEST = `curl -H "X-API-KEY: YOUR_KEY" \\
  "${location.origin}/api/v1/blog/articles/?fields=title,url&page=1"`;
/** @param {string} scope @returns {string} */
const getScopeName = (scope) => /** @type {any} */ (refs.form.querySelector(`[data-scope=${scope}]`)).textContent;
const IDLE_DAYS = 180;

/** @param {Json} key */
function renderLastUse({ last_used: used, created }) {
  const days = -countDaysTo(used ?? created);
  if (days > IDLE_DAYS) return html`<span class="warn">${used ? `${days} days ago` : "Never used"}</span>`;
  return !used ? "Not used yet" : days < 2 ? formatDayAndTime(used) : formatDay(used);
}

class Keys extends Page {
  /** @type {Json[]} */
  keys = [];
  /** @type {Person[]} */
  users = [];
  main = newItemButton("key", () => this.createKey());

  async loadData() {
    const listing = get("auth/api-key/", { query: hasRole("admin") ? { ownerless: false } : {} });
    const finding = hasRole("admin") ? get("users/") : { data: [] };
    const requests = Promise.all([listing, finding, get("blog/article-counts/")]);
    [{ data: this.keys }, { data: this.users }, { data: this.counts }] = await requests;
  }

  async createKey() {
    const requestKey = async (/** @type {Json} */ { name, scope, days }) => {
      const expires = days ? new Date(Date.now() + days * 86_400_000) : null;
      const { data } = await post("auth/api-key/", { name, scopes: [scope], expires });
      return { name, scope, expires, value: data.public_state };
    };
    const values = { scope: "read", days: "365" };
    const key = await openForm(this, refs.form, { title: "New key", values, save: requestKey });
    if (!key) return;
    const { name, scope, expires, value } = key;
    const what = scope === "drafts" ? "write drafts" : getScopeName(scope).toLowerCase();
    const may = `May ${what} as ${getSession().user.username}.`;
    const foot = `${may} ${expires ? `Ends on ${formatDay(expires)}.` : "Never ends."}`;
    const title = `${name ? `Key “${name}”` : "The key"} is made. Copy it now`;
    await showSecretOnce(this, { title, value, foot });
  }

  /** @param {Json} key */
  renderRow(key) {
    const { uuid, user, scopes, expires } = key;
    const name = key.name || `${key.prefix}…`;
    const text = "Whatever uses this key stops working at once.";
    const question = { title: `Revoke “${name}”?`, action: "Revoke key", text };
    const revokeKey = () => deleteResource(this, `auth/api-key/${uuid}/`, question);
    const end = button("Revoke", revokeKey, { label: `Revoke ${name}`, kind: "risk hang-end" });
    const owner = this.users.find((other) => other.uuid === user && user !== getSession().user.uuid);
    return html`<tr>
      <th scope="row">${name} <span class="soft">${owner ? `of ${owner.username}` : ""}</span></th>
      <td class="ink nowrap">${getScopeName(scopes.at(-1))}</td><td class="nowrap">${renderLastUse(key)}</td>
      <td class="nowrap">${expires ? formatDay(expires) : "Never"}</td>
      <td class="num">${end}</td></tr>`;
  }

  renderPage() {
    const rows = this.keys.map((key) => this.renderRow(key));
    const heads = [["Name"], ["May"], ["Last used"], ["Ends"]];
    const { published, any } = this.counts;
    const readable = `A key for published content reads ${formatCount(published, "article")} today`;
    refs.exampleNumbers.textContent = `${readable}; a key of yours that reads drafts, ${formatNumber(any)}.`;
    const list = rows.length ? framedTable(heads, rows, "") : refs.empty;
    return html`${renderKeyTabs("keys")}${this.once}${list}${refs.help}${refs.example}`;
  }
}

refs.exampleCode.textContent = EXAMPLE_REQUEST;
render(copyButton(EXAMPLE_REQUEST), refs.exampleCopy);
definePage(Keys);
