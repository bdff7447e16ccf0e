/** Backups in the instance folder: make, download, check and delete them. */

import { html, nothing } from "../vendor/lit.js";
import { apiAddress, get, post } from "../api.js";
import { button, emptyState, icon, table } from "../components.js";
import { menuButton } from "../dialogs.js";
import { count, formatDayAndTime, formatSize } from "../format.js";
import { remove } from "../forms.js";
import { content, definePage, Page } from "../shell.js";

const [none, help] = content;

class Backups extends Page {
  // The results of the checks of backups, by the name of the backup.
  found = {};

  async load() {
    // The blog can be on a database server: then the error names the tool that makes its backups.
    const explain = (error) => (error.status === 409 ? { elsewhere: error.message } : Promise.reject(error));
    this.set(await get("backups/").then(({ data }) => ({ backups: data }), explain));
  }

  renderMain() {
    if (this.elsewhere) return nothing;
    const make = () => this.actAndReload("make", () => post("backups/", undefined, { timeout: 0 }));
    return button("Make a backup", make, { busyText: "Making it…", kind: "main", busy: this.busy === "make" });
  }

  renderPage() {
    if (this.elsewhere) return emptyState({ title: "Backups are made elsewhere", text: this.elsewhere });
    if (!this.backups.length) return none;
    const heads = [["Made"], ["How"], ["Pictures"], ["Size", "num"]];
    const rows = this.backups.map((backup) => this.renderBackup(backup));
    return html`${table(heads, rows, "bleed nowrap")}${help}`;
  }

  renderBackup({ name, created, kind, has_media: whole, missing, size, readable }) {
    const made = formatDayAndTime(created);
    const found = this.busy === name ? "Checking…" : this.found[name];
    const question = { title: "Delete the backup?", text: `It was made: ${made}.`, action: "Delete backup" };
    const action = () => remove(this, `backups/${name}/`, question);
    const download = () => location.assign(apiAddress(`backups/${name}/`));
    const menu = menuButton(`Actions for the backup: ${made}`, [
      { label: "Download", icon: "download", action: download },
      { label: "Check", icon: "list-checks", action: () => this.check(name) },
      kind === "manual" && { label: "Delete backup", icon: "trash-2", risk: true, action },
    ]);
    const media = `${whole ? "In the file" : "Beside it"}${missing ? `, ${missing} missing` : ""}`;
    return html`<tr><th scope="row">${made}<div class="row-help" role="status">${found ?? nothing}</div></th>
      <td>${kind === "daily" ? "Daily" : "By hand"}</td>
      <td>${readable ? media : "Unreadable"}</td>
      <td class="num">${formatSize(size)}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  check(name) {
    return this.act(name, async () => {
      const { data } = await post(`backups/${name}/verify/`, undefined, { timeout: 0 });
      const contents = `${count(data.articles, "article")}, ${count(data.media, "file")} of the library`;
      this.found[name] = data.ok
        ? html`${icon("check", "good")} Can be restored: ${contents}`
        : html`${icon("triangle-alert", "bad")} ${data.detail}`;
    });
  }
}

definePage(Backups);
