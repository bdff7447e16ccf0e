/** The list of articles: tabs, live search, order, and actions on one or several articles, with undo. */

import { html, live, nothing, repeat } from "../vendor/lit.js";
import { ApiError, del, get, patch, post } from "../api.js";
import { badge, button, icon, iconButton, searchField, tabs } from "../components.js";
import { menuButton, openPopover, toast } from "../dialogs.js";
import "../editor/picker.js";
import { count, formatChanged, formatNumber, parseTime } from "../format.js";
import { content, definePage, Page } from "../shell.js";
import { canBecome, STATUSES } from "../statuses.js";
import { addressOf, byUuid, changeOf, FIELDS, PATH, titleOf } from "./lists.js";

const [newArticle, emptyList] = content;
const PAGE_SIZE = 50;
/** @type {Record<string, string>} */
const USUAL = { status: "any", q: "", ordering: "-last_updated", page: "1" };
const TABS = { any: { name: "All" }, ...STATUSES, draft: { name: "Drafts" } };
/**
 * The class of a column, its head, and the orderings that the first and the second click on the head select.
 * @type {any[][]}
 */
const COLUMNS = [
  ["title", "Title", "title", "-title"],
  ["status", "Status"],
  ["category", "Category"],
  ["num length", "Words"],
  ["num changed", "Changed", "-last_updated", "last_updated"],
  ["menu-cell", html`<span class="sr-only">Actions</span>`],
];

/** Return a function that changes fields of articles, of all or of none; fields(article) returns them. */
const write = (fields) => (articles) => {
  const items = articles.map((article) => ({ ...fields(article), uuid: article.uuid }));
  return patch(PATH, items, { query: { fields: "uuid" }, etag: "*" });
};
const toDraft = write(() => ({ status: "draft" }));
const restore = write(({ status, published_at, category, tags }) => ({ status, published_at, category, tags }));

/** Publish articles with their edits, one by one: an article that is refused does not stop the others. */
async function publish(articles) {
  const problems = [];
  const send = (article) => {
    const request = post(`${PATH}${article.uuid}/working-copy/publish/`, { status: "published" }, { etag: "*" });
    return request.catch(({ message }) => problems.push(`“${titleOf(article)}” is not published: ${message}`));
  };
  await Promise.all(articles.map(send));
  if (problems.length) throw new ApiError(0, { detail: problems.join(" ") });
}

async function bringBack(/** @type {any[]} */ [article]) {
  const path = `${PATH}${article.uuid}/revisions/`;
  const { data: versions } = await get(path, { query: { fields: "number,created" } });
  // The history can also contain the working copy, and versions of a conflict.
  const isLast = ({ created }) => parseTime(created).getTime() === parseTime(article.last_updated).getTime();
  await post(`${path}${(versions.find(isLast) ?? versions[0]).number}/restore/`);
  // A restored article is a draft.
  await restore([article]);
}

const hasEdits = ({ status, working_copy: copy }) => status === "published" && copy;

/**
 * The actions on articles; `done` is for the toast.
 *
 * @typedef {{done: string, work: (articles: any[]) => unknown, undo?: (articles: any[]) => unknown}} Action
 * @typedef {Action & {label: string, icon: string, risk?: boolean}} MenuAction
 */

const PUBLISH = { label: "Publish now", icon: "send", done: "published", work: publish, undo: restore };
const PUBLISH_EDITS = { label: "Publish the edits", icon: "send", done: "published, with the edits", work: publish };
const UNPUBLISH = { label: "Back to drafts", icon: "undo-2", done: "is a draft", work: toDraft, undo: restore };
// An archived article cannot be published: it must become a draft first.
const restoreArchived = (articles) => toDraft(articles).then(() => restore(articles));
const archive = write(() => ({ status: "archived" }));
const ARCHIVE = { label: "Archive", icon: "archive", done: "archived", work: archive, undo: restoreArchived };
const remove = (/** @type {any[]} */ [{ uuid }]) => del(`${PATH}${uuid}/`, { etag: "*" });
const DELETE = { label: "Delete", icon: "trash-2", risk: true, done: "deleted", work: remove, undo: bringBack };

// The actions that give articles a term.
const move = (category) => ({ done: `moved to ${category.name}`, work: write(() => ({ category })), undo: restore });
const addTag = (tag) => {
  const work = write(({ tags }) => ({ tags: [...tags.filter(({ uuid }) => uuid !== tag.uuid), tag] }));
  return { done: `with the tag ${tag.name}`, work, undo: restore };
};

class Articles extends Page {
  counts = {};
  selected = new Set();
  selecting = false;

  /** The query of the list, from the address of the page. */
  get query() {
    return { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.search)) };
  }

  /** The address of the list with other parameters, by default of its first page. */
  link(changes) {
    const given = Object.entries({ ...this.query, page: "1", ...changes });
    const query = new URLSearchParams(given.filter(([name, value]) => value && value !== USUAL[name]));
    return query.size ? `${location.pathname}?${query}` : location.pathname;
  }

  // The address follows each key: rendering the page shows its words in the field.
  search(q) {
    history.replaceState(null, "", this.link({ q: q.trimStart() }));
    clearTimeout(this.typing);
    this.typing = setTimeout(() => (this.clear(), this.reload()), 250);
  }

  async load() {
    const turn = {};
    this.turn = turn;
    const { query } = this;
    const { q, category, tag, author } = query;
    const list = get(PATH, { query: { ...query, page_size: PAGE_SIZE, fields: FIELDS } });
    const counting = get("blog/article-counts/", { query: { q, category, tag, author } });
    const [{ data: articles, total }, { data: counts }] = await Promise.all([list, counting]);
    // The response to an earlier search can arrive later.
    if (turn !== this.turn) return;
    Object.assign(this, { articles, counts, total, pages: Math.ceil(total / PAGE_SIZE) });
    if (articles.length || !total) return;
    // The last article of the last page is deleted.
    history.replaceState(null, "", this.link({ page: String(this.pages) }));
    await this.load();
  }

  clear() {
    this.set({ selected: new Set(), selecting: false });
  }

  /**
   * Run an action on the articles, show its result, and offer to undo it.
   * @param {any[]} articles @param {Action} action
   */
  async apply(articles, { done, work, undo }) {
    const succeeded = await this.act("apply", async () => (await work(articles), true));
    await this.reload();
    if (!succeeded) return;
    this.clear();
    const subject = articles.length === 1 ? `“${titleOf(articles[0])}”` : count(articles.length, "article");
    const back = () => this.apply(articles, { done: "as before", work: /** @type {Action["work"]} */ (undo) });
    toast(`${subject} ${done}`, { undo: undo && back });
  }

  /** Open a field below a button to find the category or the tag that the articles get. */
  async choose(kind, anchor, articles, assign) {
    const read = () => get(`blog/${kind}/`, { query: { fields: "uuid,name" } });
    const { data: terms } = (await this.act("read", read)) ?? {};
    if (!terms) return;
    const take = (chosen) => this.apply(articles, assign(terms.find(({ uuid }) => uuid === chosen)));
    const label = anchor.textContent.trim();
    const draw = (close) => html`<term-picker class="field" .items=${terms} .single=${true} .label=${label}
      .open=${true} @choose=${({ detail }) => (close(), take(detail[0]))}></term-picker>`;
    const float = openPopover(anchor, draw);
    const picker = /** @type {any} */ (float?.element.firstElementChild);
    await picker?.updateComplete;
    picker?.querySelector("input").focus();
  }

  menuOf(article) {
    const { status, url } = article;
    const link = (label, icon, href) => ({ label, icon, href });
    const item = (/** @type {MenuAction} */ { label, icon, risk, ...action }, isOffered = true) =>
      isOffered && { label, icon, risk, action: () => this.apply([article], action) };
    return [
      link("Preview", "eye", addressOf(article, "preview/")),
      link("History", "history", addressOf(article, "history/")),
      status === "published" && url && link("Open the page", "external-link", url),
      item(PUBLISH, canBecome(article, "published")),
      item(PUBLISH_EDITS, hasEdits(article)),
      item(UNPUBLISH, canBecome(article, "draft")),
      item(ARCHIVE, canBecome(article, "archived")),
      item(DELETE),
    ];
  }

  get isEmpty() {
    return !location.search && this.counts.any === 0;
  }

  renderMain() {
    return this.isEmpty ? nothing : newArticle;
  }

  renderPage() {
    if (this.isEmpty) return emptyList;
    const { status, q } = this.query;
    const item = (key) => ({
      key,
      text: TABS[key].name,
      count: this.counts[key] ?? null,
      href: this.link({ status: key }),
    });
    const items = Object.keys(TABS).map(item);
    const toggle = () => (this.selecting ? this.clear() : this.set({ selecting: true }));
    const beside = html`<div class="list-tools">
      ${searchField({ label: "Search title and text", value: q, onInput: (text) => this.search(text) })}
      ${iconButton("list-checks", "Select", toggle, { pressed: this.selecting })}</div>`;
    const filter = ["category", "tag", "author"].find((name) => this.query[name]) ?? "";
    const filtered = html`<p class="list-end">Only the ${filter} “${this.query[filter]}”
      <a href=${this.link({ [filter]: "" })}>Show all articles</a></p>`;
    const more = html`<a href=${this.link({ status: "any" })}>Search all statuses</a>`;
    const missing = q ? `No article contains “${q}”.` : "No articles";
    const none = html`<p class="section soft" role="status">${missing} ${q && status !== "any" ? more : nothing}</p>`;
    return html`${tabs(items, status, { label: "Status", beside })}
      ${filter ? filtered : nothing}${this.articles.length ? this.renderTable() : none}`;
  }

  renderTable() {
    const { pages, selected } = this;
    const { size } = selected;
    const page = Number(this.query.page);
    const turn = (to, text) =>
      to < 1 || to > pages ? nothing : html`<a href=${this.link({ page: String(to) })}>${text}</a>`;
    return html`<table class="table bleed list articles ${this.selecting || size ? "selecting" : ""}">
        <colgroup><col class="check-cell">${COLUMNS.map(([kind]) => html`<col class=${kind}>`)}</colgroup>
        <thead><tr><th class="check-cell" scope="col">
          ${this.renderCheck("Select all on this page", this.articles)}</th>
          ${size ? this.renderBulk() : COLUMNS.map((column) => this.renderColumn(column))}</tr></thead>
        <tbody>${repeat(this.articles, byUuid, (article) => this.renderArticle(article))}</tbody>
      </table>
      <p class="list-end">${count(this.total, "article")}${pages > 1 ? `, page ${page} of ${pages}` : nothing}
        ${turn(page - 1, "Previous page")} ${turn(page + 1, "Next page")}</p>`;
  }

  /** @param {any[]} column */
  renderColumn([kind, text, ...orders]) {
    const { ordering } = this.query;
    const direction = ordering.startsWith("-") ? "descending" : "ascending";
    const href = this.link({ ordering: orders.find((order) => order !== ordering) });
    return html`<th class=${kind} scope="col" aria-sort=${orders.includes(ordering) ? direction : nothing}>
      ${orders.length ? html`<a href=${href}>${text} ${icon("arrow-down")}</a>` : text}</th>`;
  }

  /** A checkbox that selects the articles. */
  renderCheck(label, articles) {
    const number = articles.filter(({ uuid }) => this.selected.has(uuid)).length;
    const select = ({ target: { checked } }) => {
      for (const { uuid } of articles) this.selected[checked ? "add" : "delete"](uuid);
      this.requestUpdate();
    };
    return html`<input type="checkbox" aria-label=${label} .checked=${live(number === articles.length)}
      .indeterminate=${live(number > 0 && number < articles.length)} @change=${select}>`;
  }

  renderBulk() {
    const articles = this.articles.filter(({ uuid }) => this.selected.has(uuid));
    const publishing = articles.some(hasEdits) ? PUBLISH_EDITS : PUBLISH;
    const act = (text, icon, run, popup) => button(text, ({ currentTarget }) => run(currentTarget), { icon, popup });
    return html`<td class="bulk-cell" colspan="6">
      <div class="bulk" role="group" aria-label="Selection"><strong>${articles.length} selected</strong>
      ${act("Publish", "send", () => this.apply(articles, publishing))}
      ${act("Category", "folder", (anchor) => this.choose("categories", anchor, articles, move), "dialog")}
      ${act("Tags", "tag", (anchor) => this.choose("tags", anchor, articles, addTag), "dialog")}
      ${act("Archive", "archive", () => this.apply(articles, ARCHIVE))}
      ${button("Clear selection", () => this.clear(), { kind: "bare" })}</div></td>`;
  }

  renderArticle(article) {
    const title = titleOf(article);
    return html`<tr class=${this.selected.has(article.uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheck(`Select ${title}`, [article])}</td>
      <th class="title" scope="row"><a href=${addressOf(article)} dir="auto">${title}</a></th>
      <td class="status">${badge(article)}</td><td class="category">${article.category.name}</td>
      <td class="num length">${formatNumber(article.word_count)}</td>
      <td class="num changed nowrap">${formatChanged(changeOf(article))}</td>
      <td class="menu-cell">${menuButton(`Actions for ${title}`, () => this.menuOf(article))}</td></tr>`;
  }
}

const page = definePage(Articles);
// A link to another address of the list loads only its rows; browsers without the Navigation API load the
// whole page.
window.navigation?.addEventListener("navigate", (event) => {
  const isList = new URL(event.destination.url).pathname === location.pathname && !event.hashChange;
  if (!isList || !event.canIntercept || !["push", "traverse"].includes(event.navigationType)) return;
  event.intercept({ focusReset: "manual", handler: () => (page.clear(), page.reload()) });
});
addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && !document.querySelector("dialog[open], .popover")) page.clear();
});
