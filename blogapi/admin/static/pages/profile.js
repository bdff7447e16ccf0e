/** The account of the user: password, logins, sign out. */

import { html, nothing } from "../vendor/lit.js";
import { get, post, put } from "../api.js";
import { button, facts, row, sectionHead } from "../components.js";
import { formatDay, formatDayAndTime } from "../format.js";
import { remove, showErrors } from "../forms.js";
import { definePage, Page, session } from "../shell.js";

const [form] = document.getElementById("content").content.children;

// "Firefox on Windows". A User-Agent contains the names of several browsers; the most specific one counts.
function describeBrowser(agent) {
  const first = (...names) => names.find((name) => agent.includes(name));
  const browser = first("Edg", "Firefox", "Chrome", "Safari")?.replace("Edg", "Edge") ?? agent;
  const system = first("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux");
  return [browser || "Unknown browser", system].filter(Boolean).join(" on ");
}

class Profile extends Page {
  static forMembers = true;

  async load() {
    ({ data: this.logins } = await get("auth/logins/"));
  }

  async savePassword(event) {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form));
    const answer = await this.actAndReload("save", () => put("auth/me/password/", values));
    if (answer) form.reset();
    form.querySelector("[role=status] > *").hidden = !answer;
  }

  renderMain() {
    const leave = () => post("auth/logout/").then(() => location.assign("/admin/sign-in/"));
    return button({ text: "Sign out", icon: "log-out", onClick: () => this.act("out", leave) });
  }

  renderLogin({ uuid, created, expires, user_agent: agent, current }) {
    const [name, since] = [describeBrowser(agent), formatDayAndTime(created)];
    const end = () => remove(this, `auth/logins/${uuid}/`);
    return row({
      title: html`${name} <span class="soft">${current ? "(this one)" : ""}</span>`,
      text: `Signed in: ${since}. Ends on ${formatDay(expires)}.`,
      icon: /Mobi|Android/.test(agent) ? "smartphone" : "monitor",
      side: current
        ? nothing
        : button({ text: "End", label: `End ${name}, ${since}`, kind: "risk hang-end", onClick: end }),
    });
  }

  renderPage() {
    const { username, role } = session().user;
    showErrors(form, this.errors);
    return html`${facts([
      ["Name", username],
      ["Role", role === "admin" ? "Admin" : "Member"],
    ])}
      <section class="section" @submit=${(event) => this.savePassword(event)}>
        ${sectionHead("Password")}${form}</section>
      <section class="section">${sectionHead("Where you are signed in")}
        <ul>${this.logins.map((login) => this.renderLogin(login))}</ul></section>`;
  }
}

definePage(Profile);
