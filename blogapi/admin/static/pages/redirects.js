/** The redirects that admins set: a list with search, and a dialog. */

import { html, repeat } from "../vendor/lit.js";
import { del, get, patch, post } from "../api.js";
import { searchField } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { formatChanged } from "../format.js";
import { openForm } from "../forms.js";
import { content } from "../shell.js";
import { ListPage, PAGE_SIZE, defineList } from "./list-page.js";
import { byUuid, newButton } from "./lists.js";

const PATH = "blog/redirects/own/";
const [form, none, help] = content;
const STATUSES = { 301: "Moved", 302: "For a while", 410: "Gone" };
const HEADS = ["From", "To", "Status", "Changed"];

const toBody = ({ path, target, status }) => ({ path, target: status === "410" ? "" : target, status: Number(status) });

class Redirects extends ListPage {
  words = ["redirect", "redirects"];
  main = newButton("redirect", () => this.edit());

  async read(/** @type {any} */ { q, page }) {
    const { data: items, total } = await get(PATH, { query: { q, page, page_size: PAGE_SIZE } });
    return { items, total };
  }

  renderPage() {
    const { q } = this.query;
    if (!this.items.length && !q) return html`${none}${help}`;
    const search = searchField({ label: "Search redirects", value: q, onInput: (text) => this.search(text) });
    const empty = html`<p class="section soft" role="status">No redirect contains “${q}”.</p>`;
    const rows = this.items.length ? html`${this.renderRows()}${this.renderFoot(", by path")}` : empty;
    return html`<div class="redirect-tools">${search}</div> ${rows}${help}`;
  }

  renderRows() {
    return html`<table class="table bleed cards redirects"><thead><tr>
        ${HEADS.map((text) => html`<th scope="col">${text}</th>`)}
        <th class="menu-cell" scope="col"><span class="sr-only">Actions</span></th></tr></thead>
      <tbody>${repeat(this.items, byUuid, (one) => this.renderRow(one))}</tbody></table>`;
  }

  renderRow(one) {
    const { path, target, status } = one;
    const menu = menuButton(`Actions for ${path}`, [
      { label: "Edit", icon: "pencil", action: () => this.edit(one) },
      { label: "Delete redirect", icon: "trash-2", risk: true, action: () => this.delete(one) },
    ]);
    const edit = () => this.edit(one);
    return html`<tr>
      <th scope="row" class="path"><button class="link-button" type="button" @click=${edit}>${path}</button></th>
      <td class="path ink">${target || "–"}</td>
      <td class="nowrap">${STATUSES[status]} <span class="soft">${status}</span></td>
      <td class="changed nowrap">${formatChanged(one.last_updated)}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  /** Open the dialog of a redirect, or of a new one. */
  edit(/** @type {any} */ one = null) {
    const { path = "", target = "", status = 301 } = one ?? {};
    const values = { path, target, status: String(status) };
    const save = (/** @type {any} */ given) =>
      one ? patch(`${PATH}${one.uuid}/`, toBody(given)) : post(PATH, toBody(given));
    return openForm(this, form, { title: one ? "Edit redirect" : "New redirect", values, save });
  }

  async delete({ uuid, path, target, status }) {
    if (!(await this.actAndReload("delete", () => del(`${PATH}${uuid}/`)))) return;
    const undo = () => this.actAndReload("undo", () => post(PATH, { path, target, status }));
    toast(`The redirect from ${path} is deleted.`, { undo });
  }
}

defineList(Redirects);
