/** The account of the user: password, logins, sign out. */

import { html } from "../vendor/lit.js";
import { get, post, put } from "../api.js";
import { button, facts, row, sectionHead } from "../components.js";
import { formatDay, formatDayAndTime, formatRole } from "../format.js";
import { onSubmit, remove, showErrors } from "../forms.js";
import { content, definePage, Page, session } from "../shell.js";

const [form] = content;

// "Firefox on Windows". A User-Agent contains the names of several browsers; the most specific one counts.
function describeBrowser(agent) {
  const first = (...names) => names.find((name) => agent.includes(name));
  const browser = first("Edg", "Firefox", "Chrome", "Safari")?.replace("Edg", "Edge") ?? agent;
  const system = first("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux");
  return [browser || "Unknown browser", system].filter(Boolean).join(" on ");
}

const signOut = () => post("auth/logout/").then(() => location.assign("/admin/sign-in/"));

class Profile extends Page {
  static forMembers = true;
  main = button("Sign out", () => this.act("out", signOut), { icon: "log-out" });

  async load() {
    ({ data: this.logins } = await get("auth/logins/"));
  }

  async savePassword(values) {
    const answer = await this.actAndReload("save", () => put("auth/me/password/", values));
    if (answer) form.reset();
    form.querySelector("[role=status] > *").hidden = !answer;
  }

  renderLogin({ uuid, created, expires, user_agent: agent, current }) {
    const [name, since] = [describeBrowser(agent), formatDayAndTime(created)];
    const end = () => remove(this, `auth/logins/${uuid}/`);
    const side = current ? "" : button("End", end, { label: `End ${name}, ${since}`, kind: "risk hang-end" });
    const title = html`${name} <span class="soft">${current ? "(this one)" : ""}</span>`;
    const text = `Signed in: ${since}. Ends on ${formatDay(expires)}.`;
    return row({ title, text, side, icon: /Mobi|Android/.test(agent) ? "smartphone" : "monitor" });
  }

  renderPage() {
    const { username, role } = session().user;
    showErrors(form, this.errors);
    return html`${facts({ Name: username, Role: formatRole(role) })}
      <section class="section">${sectionHead("Password")}${form}</section>
      <section class="section">${sectionHead("Where you are signed in")}
        <ul>${this.logins.map((login) => this.renderLogin(login))}</ul></section>`;
  }
}

const page = definePage(Profile);
onSubmit(form, (values) => page.savePassword(values));
