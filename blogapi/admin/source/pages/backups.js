/** The page on which admins make, download, check and delete the backups in the instance folder. */

import { html, nothing } from "../../static/vendor/lit.js";
import { makeApiAddress, get, post } from "../api.js";
import { button, framedTable, icon } from "../components.js";
import { menuButton } from "../dialogs.js";
import { formatCount, formatDayAndTime, formatSize } from "../format.js";
import { deleteResource } from "../forms.js";
import { definePage, Page, refs } from "../shell.js";

class Backups extends Page {
  /** @type {Record<string, Renderable>} the results of the checks, by the name of the backup */
  results = {};
  /** @type {Json[]} */
  backups = [];

  async loadData() {
    const { data } = await get("backups/");
    this.setFields({ backups: data });
  }

  renderMainButton() {
    const makeBackup = () => this.runAndReload("make", () => post("backups/", undefined, { timeout: 0 }));
    return button("Make a backup", makeBackup, { busyText: "Making it…", kind: "main", busy: this.busy === "make" });
  }

  renderPage() {
    if (!this.backups.length) return refs.empty;
    const heads = [["Made"], ["How"], ["Pictures"], ["Size", "num"]];
    const rows = this.backups.map((backup) => this.renderBackup(backup));
    return html`${framedTable(heads, rows, "bleed nowrap")}${refs.help}`;
  }

  /** @param {Json} backup */
  renderBackup({ name, created, kind, has_media: hasMedia, missing, size, readable }) {
    const made = formatDayAndTime(created);
    const result = this.busy === name ? "Checking…" : this.results[name];
    const question = { title: "Delete the backup?", text: `It was made: ${made}.`, action: "Delete backup" };
    const deleteBackup = () => deleteResource(this, `backups/${name}/`, question);
    const downloadBackup = () => location.assign(makeApiAddress(`backups/${name}/`));
    const menu = menuButton(`Actions for the backup: ${made}`, [
      { label: "Download", icon: "download", action: downloadBackup },
      { label: "Check", icon: "list-checks", action: () => this.checkBackup(name) },
      kind === "manual" && { label: "Delete backup", icon: "trash-2", risk: true, action: deleteBackup },
    ]);
    const media = `${hasMedia ? "In the backup" : "In a folder beside it"}${missing ? `, ${missing} missing` : ""}`;
    return html`<tr><th scope="row">${made}<div class="row-help" role="status">${result ?? nothing}</div></th>
      <td>${kind === "daily" ? "Daily" : "By hand"}</td>
      <td>${readable ? media : "Unreadable"}</td>
      <td class="num">${formatSize(size)}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  /** @param {string} name */
  checkBackup(name) {
    return this.runTask(name, async () => {
      const { data } = await post(`backups/${name}/verify/`, undefined, { timeout: 0 });
      const contents = `${formatCount(data.articles, "article")}, ${formatCount(data.media, "file")} of the library`;
      this.results[name] = data.ok
        ? html`${icon("check", "good")} ${data.detail} ${contents}`
        : html`${icon("triangle-alert", "bad")} ${data.detail}`;
    });
  }
}

definePage(Backups);
