/** The list of pages in the order of their tree, with the place of each page. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, get, patch } from "../api.js";
import { badge, button, searchField } from "../components.js";
import { confirmRisk, menuButton, toast } from "../dialogs.js";
import { count, formatChanged } from "../format.js";
import { openForm } from "../forms.js";
import { languageHint } from "../languages.js";
import { content } from "../shell.js";
import { defineList, ListPage } from "./list-page.js";
import { bringBack, byUuid, changeOf, hasBin, titleOf } from "./lists.js";

const PATH = "blog/pages/";
const FIELDS = "uuid,title,slug,status,published_at,last_updated,url,parent,position,working_copy,language";
const MAX_DEPTH = 4;
const [form, none] = content;

/**
 * Return the pages with their depths, each after the page above it and in the order of the positions.
 * @param {any[]} pages @param {string | null} [parent] @param {number} [depth] @returns {any[]}
 */
function toTree(pages, parent = null, depth = 0) {
  const known = new Set(pages.map(({ uuid }) => uuid));
  const isHere = (/** @type {any} */ page) => (known.has(page.parent) ? page.parent : null) === parent;
  const here = pages.filter(isHere).sort((one, other) => one.position - other.position);
  return here.flatMap((page) => [{ ...page, depth }, ...toTree(pages, page.uuid, depth + 1)]);
}

class Pages extends ListPage {
  words = ["page", "pages"];
  main = button("New page", null, { icon: "plus", kind: "main", href: "/admin/pages/new/" });

  /** All pages, also those that a search does not find. @type {any[]} */
  all = [];

  async read(/** @type {any} */ { q }) {
    const query = { status: "any", fields: FIELDS };
    const listing = get(PATH, { query });
    const found = q ? await get(PATH, { query: { ...query, q } }) : await listing;
    const { data: all } = await listing;
    const items = q ? found.data.map((page) => ({ ...page, depth: 0 })) : toTree(all);
    return { all, items, total: items.length };
  }

  renderPage() {
    const { q } = this.query;
    if (!this.all.length) return none;
    const search = searchField({ label: "Search pages", value: q, onInput: (text) => this.search(text) });
    const empty = html`<p class="section soft" role="status">No page contains “${q}”.</p>`;
    return html`<div class="redirect-tools">${search}</div> ${this.items.length ? this.renderRows() : empty}`;
  }

  renderRows() {
    return html`<table class="table bleed page-tree"><thead><tr><th scope="col">Title</th><th scope="col">Status</th>
        <th class="slug" scope="col">Address</th><th class="num changed" scope="col">Changed</th>
        <th class="menu-cell" scope="col"><span class="sr-only">Actions</span></th></tr></thead>
      <tbody>${repeat(this.items, byUuid, (page) => this.renderRow(page))}</tbody></table>`;
  }

  renderRow(page) {
    const { uuid, slug, depth, url } = page;
    const title = titleOf(page);
    const live = url && { label: "See the page", icon: "external-link", href: url, target: "_blank" };
    const menu = menuButton(`Actions for ${title}`, [
      { label: "Edit", icon: "pencil", href: `/admin/pages/${uuid}/` },
      { label: "Move", icon: "folder", action: () => this.move(page) },
      (page.status === "published" || page.status === "unlisted") && live,
      { label: "Delete page", icon: "trash-2", risk: true, action: () => this.delete(page) },
    ]);
    const above = this.all.find((one) => one.uuid === page.parent);
    const hint = above ? html` <span class="sr-only">below ${titleOf(above)}</span>` : nothing;
    return html`<tr><th class="title depth-${Math.min(depth, MAX_DEPTH)}" scope="row">
        <a href="/admin/pages/${uuid}/" dir="auto">${title}</a>${hint}${languageHint(page, this.items)}</th>
      <td class="status">${badge(page)}</td><td class="slug mono">${url ? decodeURI(new URL(url).pathname) : slug}</td>
      <td class="num changed nowrap">${formatChanged(changeOf(page))}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  /** Open the dialog for the place of a page: below another one, and its position there. */
  move(page) {
    const { parent } = form.elements;
    const tree = toTree(this.all);
    const below = new Set([page.uuid]);
    // Each page comes after the one above it.
    for (const one of tree) if (below.has(one.parent)) below.add(one.uuid);
    const free = tree.filter(({ uuid }) => !below.has(uuid));
    const options = free.map((one) => new Option(`${"– ".repeat(one.depth)}${titleOf(one)}`, one.uuid));
    parent.replaceChildren(parent.options[0], ...options);
    const values = { parent: page.parent ?? "", position: String(page.position) };
    const save = (/** @type {any} */ given) =>
      patch(`${PATH}${page.uuid}/`, { parent: given.parent || null, position: Number(given.position) || 0 });
    return openForm(this, form, { title: `Move “${titleOf(page)}”`, values, save });
  }

  async delete(page) {
    const { uuid } = page;
    const children = this.all.filter(({ parent }) => parent === uuid);
    const title = `Delete “${titleOf(page)}”?`;
    const text = "There is no undo. Its versions stay in the database and in its backups.";
    if (!hasBin && !(await confirmRisk({ title, text, action: "Delete page" }))) return;
    const isDeleted = await this.actAndReload("delete", () => del(`${PATH}${uuid}/`).then(() => true));
    if (!isDeleted) return;
    const words = children.length ? ` ${count(children.length, "page is", "pages are")} at the top now.` : "";
    const undo = async () => {
      const notes = await this.actAndReload("undo", () => bringBack(PATH, [page]));
      if (notes) toast(`“${titleOf(page)}” restored. ${notes}`);
    };
    toast(`“${titleOf(page)}” deleted.${words}`, { undo: hasBin ? undo : null });
  }
}

defineList(Pages);
