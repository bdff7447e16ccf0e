/** The list of articles: tabs, live search, order, and actions on one or several articles, with undo. */

import { html, live, nothing, repeat } from "../vendor/lit.js";
import { ApiError, del, get, patch, post } from "../api.js";
import { badge, button, icon, menuButton, openPopover, searchField, tabs, toast } from "../components.js";
import "../editor/picker.js";
import { count, formatChanged, formatNumber, parseTime } from "../format.js";
import { definePage, Page } from "../shell.js";
import { addressOf, changeOf, FIELDS, PATH, titleOf } from "./lists.js";

const [newArticle, emptyList] = document.getElementById("content").content.children;
const PAGE_SIZE = 50;
const USUAL = { status: "any", q: "", ordering: "-last_updated", page: "1" };
const TABS = [
  ["any", "All"],
  ["draft", "Drafts"],
  ["scheduled", "Scheduled"],
  ["published", "Published"],
  ["archived", "Archived"],
];
// The class of a column, its head, and the orders after the first and after the second click on the head.
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

/** Publish articles with their edits, one by one: what one of them needs does not hold up the others. */
async function publish(articles) {
  const results = await Promise.allSettled(
    articles.map(({ uuid }) => post(`${PATH}${uuid}/working-copy/publish/`, { status: "published" }, { etag: "*" })),
  );
  const refused = results.flatMap(({ reason }, at) =>
    reason ? `“${titleOf(articles[at])}” is not published: ${reason.message}` : [],
  );
  if (refused.length) throw new ApiError(0, { detail: refused.join(" ") });
}

async function bringBack([article]) {
  const path = `${PATH}${article.uuid}/revisions/`;
  const { data: versions } = await get(path, { query: { fields: "number,created" } });
  // The history can also contain the working copy, and versions of a conflict.
  const isLast = ({ created }) => parseTime(created) - parseTime(article.last_updated) === 0;
  await post(`${path}${(versions.find(isLast) ?? versions[0]).number}/restore/`);
  // A restored article is a draft.
  await restore([article]);
}

const hasEdits = ({ status, working_copy: copy }) => status === "published" && copy;

// What can be done with articles; `done` is for the toast.
const PUBLISH = { label: "Publish now", icon: "send", done: "published", work: publish, undo: restore };
const PUBLISH_EDITS = { label: "Publish the edits", icon: "send", done: "published, with the edits", work: publish };
const UNPUBLISH = { label: "Back to drafts", icon: "undo-2", done: "is a draft", work: toDraft, undo: restore };
const ARCHIVE = {
  label: "Archive",
  icon: "archive",
  done: "archived",
  work: write(() => ({ status: "archived" })),
  // An archived article cannot be published: it must become a draft first.
  undo: (articles) => toDraft(articles).then(() => restore(articles)),
};
const DELETE = {
  label: "Delete",
  icon: "trash-2",
  risk: true,
  done: "deleted",
  work: ([{ uuid }]) => del(`${PATH}${uuid}/`, { etag: "*" }),
  undo: bringBack,
};

// The actions that give articles a term.
const ASSIGN = {
  categories: (category) => ({ done: `moved to ${category.name}`, work: write(() => ({ category })), undo: restore }),
  tags: (tag) => ({
    done: `with the tag ${tag.name}`,
    undo: restore,
    work: write(({ tags }) => ({ tags: [...tags.filter(({ uuid }) => uuid !== tag.uuid), tag] })),
  }),
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
    const turn = (this.turn = {});
    const { query } = this;
    const { q, category, tag, author } = query;
    const [{ data: articles, total }, { data: counts }] = await Promise.all([
      get(PATH, { query: { ...query, page_size: PAGE_SIZE, fields: FIELDS } }),
      get("blog/article-counts/", { query: { q, category, tag, author } }),
    ]);
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

  /** Do an action with the articles, show what is done, and offer to undo it. */
  async apply(articles, { done, work, undo }) {
    const succeeded = await this.act("apply", async () => (await work(articles), true));
    await this.reload();
    if (!succeeded) return;
    this.clear();
    const subject = articles.length === 1 ? `“${titleOf(articles[0])}”` : count(articles.length, "article");
    const back = () => this.apply(articles, { done: "as before", work: undo });
    toast(`${subject} ${done}`, { undo: undo && back });
  }

  /** Open a field below a button to find the category or the tag that the articles get. */
  async choose(kind, anchor, articles) {
    const read = () => get(`blog/${kind}/`, { query: { fields: "uuid,name" } });
    const { data: terms } = (await this.act("read", read)) ?? {};
    if (!terms) return;
    const take = (chosen) => this.apply(articles, ASSIGN[kind](terms.find(({ uuid }) => uuid === chosen)));
    const float = openPopover(
      anchor,
      (close) => html`<term-picker class="field" .items=${terms}
      .single=${true} .label=${anchor.textContent.trim()} .open=${true}
      @choose=${({ detail }) => (close(), take(detail[0]))}></term-picker>`,
    );
    await float?.element.firstElementChild.updateComplete;
    float?.element.querySelector("input").focus();
  }

  menuOf(article) {
    const { status, url } = article;
    const link = (label, icon, href) => ({ label, icon, href });
    const item = ({ label, icon, risk, ...action }, isOffered = true) =>
      isOffered && { label, icon, risk, action: () => this.apply([article], action) };
    return [
      link("Preview", "eye", addressOf(article, "preview/")),
      link("History", "history", addressOf(article, "history/")),
      status === "published" && url && link("Open the page", "external-link", url),
      item(PUBLISH, ["draft", "scheduled"].includes(status)),
      item(PUBLISH_EDITS, hasEdits(article)),
      item(UNPUBLISH, status !== "draft"),
      item(ARCHIVE, status !== "archived"),
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
    const items = TABS.map(([key, text]) => ({
      key,
      text,
      count: this.counts[key] ?? null,
      href: this.link({ status: key }),
    }));
    const toggle = () => (this.selecting ? this.clear() : this.set({ selecting: true }));
    const beside = html`<div class="list-tools">
      ${searchField({ label: "Search title and text", value: q, onInput: (text) => this.search(text) })}
      ${button({ icon: "list-checks", label: "Select", pressed: this.selecting, onClick: toggle })}</div>`;
    const filter = ["category", "tag", "author"].find((name) => this.query[name]);
    const filtered = html`<p class="list-end">Only the ${filter} “${this.query[filter]}”
      <a href=${this.link({ [filter]: "" })}>Show all articles</a></p>`;
    const more = html`<a href=${this.link({ status: "any" })}>Search all statuses</a>`;
    const missing = q ? `No article contains “${q}”.` : "No articles";
    const none = html`<p class="section soft" role="status">${missing}
      ${q && status !== "any" ? more : nothing}</p>`;
    return html`${tabs(items, status, { label: "Status", beside })}
      ${filter ? filtered : nothing}${this.articles.length ? this.renderTable() : none}`;
  }

  renderTable() {
    const {
      pages,
      selected: { size },
    } = this;
    const page = Number(this.query.page);
    const turn = (to, text) =>
      to < 1 || to > pages ? nothing : html`<a href=${this.link({ page: String(to) })}>${text}</a>`;
    return html`<table class="table bleed articles ${this.selecting || size ? "selecting" : ""}">
        <colgroup><col class="check-cell">${COLUMNS.map(([kind]) => html`<col class=${kind}>`)}</colgroup>
        <thead><tr><th class="check-cell" scope="col">
          ${this.renderCheck("Select all on this page", this.articles)}</th>
          ${size ? this.renderBulk() : COLUMNS.map((column) => this.renderColumn(column))}</tr></thead>
        <tbody>${repeat(
          this.articles,
          ({ uuid }) => uuid,
          (article) => this.renderArticle(article),
        )}</tbody>
      </table>
      <p class="list-end">${count(this.total, "article")}${pages > 1 ? `, page ${page} of ${pages}` : nothing}
        ${turn(page - 1, "Previous page")} ${turn(page + 1, "Next page")}</p>`;
  }

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
    const act = (text, icon, run, popup) =>
      button({ text, icon, popup, onClick: ({ currentTarget }) => run(currentTarget) });
    return html`<td class="bulk-cell" colspan="6">
      <div class="bulk" role="group" aria-label="Selection"><strong>${articles.length} selected</strong>
      ${act("Publish", "send", () => this.apply(articles, publishing))}
      ${act("Category", "folder", (anchor) => this.choose("categories", anchor, articles), "dialog")}
      ${act("Tags", "tag", (anchor) => this.choose("tags", anchor, articles), "dialog")}
      ${act("Archive", "archive", () => this.apply(articles, ARCHIVE))}
      ${button({ text: "Clear selection", kind: "bare", onClick: () => this.clear() })}</div></td>`;
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

definePage(Articles);
const page = document.querySelector("admin-page");
// A link to another address of the list loads only its rows; without navigation events, the whole page.
window.navigation?.addEventListener("navigate", (event) => {
  const isList = new URL(event.destination.url).pathname === location.pathname && !event.hashChange;
  if (!isList || !event.canIntercept || !["push", "traverse"].includes(event.navigationType)) return;
  event.intercept({ focusReset: "manual", handler: () => (page.clear(), page.reload()) });
});
addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && !document.querySelector("dialog[open], .popover")) page.clear();
});
