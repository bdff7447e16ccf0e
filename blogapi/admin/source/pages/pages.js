/** The list of the pages of the blog, in the order of their tree. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { del, get, patch } from "../api.js";
import { badge, button, field, problemAlert, table, tabs } from "../components.js";
import { confirmRisk, dialogButtons, menuButton, openDialog, toast } from "../dialogs.js";
import { formatCount, formatTimeAgo } from "../format.js";
import { renderLanguageHint } from "../languages.js";
import { indexOfPage, listNewParents, positionField, makeMoveChanges, sortByTree } from "../page-tree.js";
import { refs } from "../shell.js";
import { defineList, ListPage } from "./list-page.js";
import { renderBinLink, makeBinTabs, countBinItems, makePageTabs } from "./list-tabs.js";
import { restoreItems, getUuid, getChangeTime, hasBin, getTitle } from "./items.js";

const PAGES_PATH = "blog/pages/";
const PAGE_FIELDS = "uuid,title,slug,status,published_at,last_updated,url,parent,position,working_copy,language";
const MAX_DEPTH = 4;
const ADDRESS_HELP = "Its address begins with the address of its parent. Former addresses redirect.";
const COLUMN_HEADS = [
  ["Title", "title"],
  ["Status", "status"],
  ["Address", "slug"],
  ["Changed", "num changed"],
];

class Pages extends ListPage {
  nouns = ["page", "pages"];
  main = button("New page", null, { icon: "plus", kind: "main", href: "/admin/pages/new/" });

  /** All pages, including pages that do not match the search. @type {Article[]} */
  all = [];
  /** @type {number | null} the number of pages in the bin */
  binCount = null;

  /** @param {Record<string, string>} query */
  async loadList({ q }) {
    const query = { status: "any", fields: PAGE_FIELDS };
    /** @param {Json} query @returns {Promise<Article[]>} */
    const listPages = async (query) => (await get(PAGES_PATH, { query })).data;
    const finding = q ? listPages({ ...query, q }) : [];
    const [all, found, binCount] = await Promise.all([listPages(query), finding, countBinItems("pages")]);
    const items = q ? found.map((page) => ({ ...page, depth: 0 })) : sortByTree(all);
    return { all, items, total: items.length, binCount };
  }

  renderPage() {
    if (!this.all.length) return html`${refs.empty}${renderBinLink("pages", this.binCount)}`;
    const rows = repeat(this.items, getUuid, (page) => this.renderRow(page));
    const shown = [...makePageTabs(this.all.length), ...makeBinTabs("pages", this.binCount)];
    return html`${tabs(shown, "any", { label: "Lists of pages", beside: this.renderSearchField("Search pages") })}
      <div class="list-frame">
        ${this.items.length ? table(COLUMN_HEADS, rows, "bleed list page-tree") : this.renderNothingFound()}</div>`;
  }

  /** @param {Article} page */
  renderRow(page) {
    const { uuid, slug, depth, url } = page;
    const title = getTitle(page);
    const live = url && { label: "See the page", icon: "external-link", href: url, target: "_blank" };
    const menu = menuButton(`Actions for ${title}`, [
      { label: "Edit", icon: "pencil", href: `/admin/pages/${uuid}/` },
      { label: "Move", icon: "folder", action: () => this.openMoveDialog(page) },
      (page.status === "published" || page.status === "unlisted") && live,
      { label: "Delete page", icon: "trash-2", risk: true, action: () => this.deletePage(page) },
    ]);
    const above = this.all.find((other) => other.uuid === page.parent);
    const hint = above ? html` <span class="sr-only">below ${getTitle(above)}</span>` : nothing;
    return html`<tr><th class="title depth-${Math.min(depth, MAX_DEPTH)}" scope="row">
        <a href="/admin/pages/${uuid}/" dir="auto">${title}</a>${hint}${renderLanguageHint(page, this.items)}</th>
      <td class="status">${badge(page)}</td><td class="slug mono">${url ? decodeURI(new URL(url).pathname) : slug}</td>
      <td class="num changed nowrap">${formatTimeAgo(getChangeTime(page))}</td><td class="menu-cell">${menu}</td></tr>`;
  }

  /**
   * Open the dialog that moves a page: the user chooses the parent, and the place among its children.
   * @param {Article} page
   */
  openMoveDialog(page) {
    const { uuid } = page;
    const target = { parent: page.parent ?? "", index: indexOfPage(this.all, uuid, page.parent) };
    const setTarget = (/** @type {Partial<typeof target>} */ changed) => {
      Object.assign(target, changed);
      dialog.update();
    };
    const parents = listNewParents(this.all, uuid).map(({ depth, ...other }) => [
      other.uuid,
      "– ".repeat(depth) + getTitle(other),
    ]);
    const items = { "": "None", ...Object.fromEntries(parents) };
    const parentField = { name: "parent", label: "Parent", type: "select", items, help: ADDRESS_HELP };
    const chooseParent = (/** @type {string} */ parent) => setTarget({ parent, index: this.all.length });
    const renderContent = (/** @type {Close} */ close) => {
      const { parent, index } = target;
      const saveMove = async () => {
        const changes = makeMoveChanges(this.all, uuid, parent || null, index);
        if (await this.runAndReload("move", () => patch(PAGES_PATH, changes))) close();
      };
      return html`<div class="form">${problemAlert(this.problem)}
        ${field({ ...parentField, value: parent, onInput: chooseParent })}
        ${positionField(this.all, uuid, parent || null, index, (index) => setTarget({ index }), this.errors)}</div>
        ${dialogButtons(close, "Move", saveMove, { busy: this.busy === "move", busyText: "Saving…" })}`;
    };
    this.setFields({ problem: "" });
    const dialog = openDialog({ title: `Move “${getTitle(page)}”`, content: renderContent });
  }

  /** @param {Article} page */
  async deletePage(page) {
    const { uuid } = page;
    const title = getTitle(page);
    const children = this.all.filter(({ parent }) => parent === uuid);
    const text = "There is no undo. Its versions stay in the database and in its backups.";
    if (!hasBin && !(await confirmRisk({ title: `Delete “${title}”?`, text, action: "Delete page" }))) return;
    if (!(await this.runAndReload("delete", () => del(`${PAGES_PATH}${uuid}/`)))) return;
    const words = children.length ? ` ${formatCount(children.length, "page is", "pages are")} at the top now.` : "";
    const undoDeletion = async () => {
      const notes = await this.runAndReload("undo", () => restoreItems(PAGES_PATH, [page]));
      if (notes) toast(`“${title}” restored. ${notes}`);
    };
    toast(`“${title}” deleted.${words}`, { undo: hasBin && undoDeletion });
  }
}

defineList(Pages);
