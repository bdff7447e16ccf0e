/** The redirects that admins define: a list with search, and the dialog for one redirect. */

import { html, repeat } from "../../static/vendor/lit.js";
import { del, get, patch, post } from "../api.js";
import { table } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { formatTimeAgo } from "../format.js";
import { openForm } from "../forms.js";
import { refs } from "../shell.js";
import { ListPage, PAGE_SIZE, defineList } from "./list-page.js";
import { getUuid, newItemButton } from "./items.js";

const REDIRECTS_PATH = "blog/redirects/own/";
/** @type {Record<number, string>} */
const STATUS_LABELS = { 301: "Moved", 302: "For a while", 410: "Gone" };
const COLUMN_HEADS = [["From"], ["To"], ["Status"], ["Changed"]];

/** @typedef {{uuid: string, path: string, target: string, status: number, last_updated: string}} Redirect */

/**
 * Return the request body for the values of the form; a missing slash at the start of the path is added.
 * @param {Json} values
 */
const toBody = ({ path, target, status }) => ({
  path: /^[^/:]+(\/|$)/.test(path) ? `/${path}` : path,
  target: status === "410" ? "" : target,
  status: Number(status),
});

class Redirects extends ListPage {
  nouns = ["redirect", "redirects"];
  main = newItemButton("redirect", () => this.editRedirect());

  /** @param {Record<string, string>} query */
  async loadList({ q, page }) {
    const { data: items, total } = await get(REDIRECTS_PATH, { query: { q, page, page_size: PAGE_SIZE } });
    return { items, total };
  }

  renderPage() {
    const hasItems = this.items.length > 0;
    if (!hasItems && !this.query.q) return html`${refs.empty}${refs.help}`;
    const rows = repeat(this.items, getUuid, (redirect) => this.renderRow(redirect));
    const list = html`${table(COLUMN_HEADS, rows, "bleed cards redirects")}${this.renderListFoot(", by path")}`;
    return html`<div class="redirect-tools">${this.renderSearchField("Search redirects")}</div>
      ${hasItems ? list : this.renderNothingFound()}${refs.help}`;
  }

  /** @param {Redirect} redirect */
  renderRow(redirect) {
    const { path, target, status } = redirect;
    const editRow = () => this.editRedirect(redirect);
    const menu = menuButton(`Actions for ${path}`, [
      { label: "Edit", icon: "pencil", action: editRow },
      { label: "Delete redirect", icon: "trash-2", risk: true, action: () => this.deleteRedirect(redirect) },
    ]);
    return html`<tr>
      <th scope="row" class="path"><button class="link-button" type="button" @click=${editRow}>${path}</button></th>
      <td class="path ink">${target || "–"}</td>
      <td class="nowrap">${STATUS_LABELS[status]} <span class="soft">${status}</span></td>
      <td class="changed nowrap">${formatTimeAgo(redirect.last_updated)}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  /** Open the dialog of a redirect, or of a new one. @param {Redirect} [redirect] */
  editRedirect(redirect) {
    const { path = "", target = "", status = 301 } = redirect ?? {};
    const values = { path, target, status: String(status) };
    const sendBody = (/** @type {Json} */ changed) =>
      redirect ? patch(`${REDIRECTS_PATH}${redirect.uuid}/`, toBody(changed)) : post(REDIRECTS_PATH, toBody(changed));
    return openForm(this, refs.form, { title: redirect ? "Edit redirect" : "New redirect", values, save: sendBody });
  }

  /** @param {Redirect} redirect */
  async deleteRedirect({ uuid, path, target, status }) {
    if (!(await this.runAndReload("delete", () => del(`${REDIRECTS_PATH}${uuid}/`)))) return;
    const undoDeletion = () => this.runAndReload("undo", () => post(REDIRECTS_PATH, { path, target, status }));
    toast(`The redirect from ${path} is deleted.`, { undo: undoDeletion });
  }
}

defineList(Redirects);
