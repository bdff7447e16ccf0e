/** The bin of articles or of pages, in which users read deleted items, restore them, and delete them for good. */

import { html, nothing, ref, repeat } from "../../static/vendor/lit.js";
import { del, get } from "../api.js";
import { badge, button } from "../components.js";
import { confirmRisk, menuButton, openDialog, toast } from "../dialogs.js";
import { showPreview } from "../editor/preview.js";
import { formatCount, formatDistance, formatTimeAgo, parseTime } from "../format.js";
import { renderLanguageHint } from "../languages.js";
import { defineList, ListPage, PAGE_SIZE } from "./list-page.js";
import { makeBinTabs, countBinItems, makePageTabs, makeStatusTabs } from "./list-tabs.js";
import { restoreItems, getUuid, getTitle } from "./items.js";

const DELETED_PATH = "blog/deleted/";
const [, , pathPart] = location.pathname.split("/");
const collection = /** @type {import("./list-tabs.js").Collection} */ (pathPart);
const kind = collection.slice(0, -1);
const DAY_MS = 86_400_000;
const COLUMNS = [
  ["thumbnail", html`<span class="sr-only">Cover</span>`],
  ["title", "Title"],
  ["status", "Comes back as"],
  ["byline", "Deleted by"],
  ["num changed", "Deleted"],
  ["goes", "Leaves the bin"],
  ["restore", html`<span class="sr-only">Restore</span>`],
];

/** @typedef {Article & {edits: string | null, deleted: string, deleted_by: string, goes: string}} DeletedItem */

/** @param {DeletedItem[]} items */
const describeItems = (items) => (items.length === 1 ? `“${getTitle(items[0])}”` : formatCount(items.length, kind));

/** Show the text of a deleted item as readers would see it, with its edits. @param {DeletedItem} item */
async function openItemText({ uuid }) {
  const { data } = await get(`${DELETED_PATH}${uuid}/`);
  const { category, html: text, ...edits } = data.edited_text ?? data.text;
  const showText = (/** @type {HTMLElement | undefined} */ host) =>
    host && showPreview(host, { ...edits, category: category?.name, text });
  const note = data.edits ? html`<p class="soft">With the edits that readers have not seen.</p>` : nothing;
  const renderContent = (/** @type {Close} */ close) => html`${note}<div class="reading bin-look" tabindex="0"
      role="region" aria-label="Text"><div class="sheet" ${ref(/** @type {any} */ (showText))}></div></div>
    <div class="dialog-buttons">${button("Close", () => close(), { autofocus: true })}</div>`;
  openDialog({ title: getTitle(edits), content: renderContent, kind: "wide" });
}

class Bin extends ListPage {
  nouns = [kind, collection];
  main = button(`New ${kind}`, null, { icon: "plus", kind: "main", href: `/admin/${collection}/new/` });
  /** The numbers of articles by status, or of all pages. @type {Record<string, number>} */
  counts = {};
  /** @type {number | null} */
  binCount = null;

  /** @param {Record<string, string>} query */
  async loadList(query) {
    const pages = { status: "any", page: 1, page_size: 1, fields: "uuid" };
    const counting = collection === "articles" ? get("blog/article-counts/") : get("blog/pages/", { query: pages });
    const listing = get(DELETED_PATH, { query: { ...query, kind, page_size: PAGE_SIZE } });
    const requests = Promise.all([listing, counting, countBinItems(collection)]);
    const [{ data: items, total }, { data, total: any }, binCount] = await requests;
    return { items, total, counts: collection === "articles" ? data : { any }, binCount };
  }

  /** @param {DeletedItem[]} items */
  async restoreDeletedItems(items) {
    const restoreAll = async () => ({ notes: await restoreItems(`blog/${collection}/`, items) });
    const outcome = await this.runAndReload("restore", restoreAll);
    if (!outcome) return;
    this.clearSelection();
    const openItem = () => location.assign(`/admin/${collection}/${items[0].uuid}/`);
    const action = items.length === 1 && { label: "Open", run: openItem };
    toast(`${describeItems(items)} restored. ${outcome.notes}`.trim(), { action });
  }

  /** @param {DeletedItem[]} items */
  async deleteItemsForGood(items) {
    const title = `Delete ${describeItems(items)} for good?`;
    const text = "Its edits, versions and former addresses are deleted too. There is no undo. Pictures stay.";
    if (!(await confirmRisk({ title, text, action: "Delete for good" }))) return;
    const deleteAll = () => del(DELETED_PATH, { query: { uuid: items.map(getUuid) }, etag: "*" });
    if (!(await this.runAndReload("delete", deleteAll))) return;
    this.clearSelection();
    toast(`${describeItems(items)} deleted for good`);
  }

  renderPage() {
    const own = collection === "articles" ? makeStatusTabs(this.counts, makeHref) : makePageTabs(this.counts.any);
    const rows = repeat(this.items, getUuid, (item) => this.renderItem(item));
    const bulk = html`${button("Restore", () => this.restoreDeletedItems(this.selection))}
      ${button("Delete for good", () => this.deleteItemsForGood(this.selection), { kind: "risk" })}`;
    return html`${this.renderTabs([...own, ...makeBinTabs(collection, this.binCount)], "bin", "Search the bin")}
      ${this.renderBinNote()} ${this.renderList("bin", COLUMNS.slice(this.hasCovers ? 0 : 1), bulk, rows)}`;
  }

  renderBinNote() {
    const [first] = this.items;
    if (!first) return nothing;
    const days = Math.round((parseTime(first.goes).getTime() - parseTime(first.deleted).getTime()) / DAY_MS);
    const more = kind === "page" ? "place" : "tags";
    return html`<p class="bin-note soft">Deleted ${collection} stay here for ${formatCount(days, "day")}. A restored
      ${kind} comes back as it was, with its text, unpublished edits, history, address and ${more}.</p>`;
  }

  renderNothingFound() {
    if (this.query.q) return super.renderNothingFound();
    return html`<p class="section soft" role="status">The bin is empty.</p>`;
  }

  /** @param {DeletedItem} item */
  renderItem(item) {
    const { uuid, status, edits, deleted, deleted_by: user, goes } = item;
    const title = getTitle(item);
    const state = badge({ status, working_copy: edits && { last_updated: edits } });
    const openText = () => this.runTask("look", () => openItemText(item));
    const menu = [
      { label: "Show the text", icon: "eye", action: openText },
      { label: "Delete for good", icon: "trash-2", risk: true, action: () => this.deleteItemsForGood([item]) },
    ];
    const restoreItem = () => this.restoreDeletedItems([item]);
    const wait = formatDistance(goes);
    return html`<tr class=${this.selected.has(uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheckbox(`Select ${title}`, [item])}</td>
      ${this.renderCover(item)}
      <th class="title" scope="row"><button type="button" class="link-button" dir="auto" aria-haspopup="dialog"
        @click=${openText}>${title}</button>${renderLanguageHint(item, this.items)}</th>
      <td class="status">${state}</td>
      <td class="byline">${user}</td>
      <td class="num changed nowrap">${formatTimeAgo(deleted)}</td>
      <td class="goes"><span class="phone-only">Leaves the bin </span><span>${wait}</span></td>
      <td class="restore">${button("Restore", restoreItem, { label: `Restore ${title}` })}</td>
      <td class="menu-cell">${menuButton(`Actions for ${title}`, menu)}</td></tr>`;
  }
}

/** Return the address of the list of articles with this status. @param {string} status */
const makeHref = (status) => `/admin/articles/${status === "any" ? "" : `?status=${status}`}`;

defineList(Bin);
