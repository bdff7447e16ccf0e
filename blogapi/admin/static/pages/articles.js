/** The list of articles: tabs, live search, order, and actions on one or several articles, with undo. */

import { html, live, nothing, repeat } from "../vendor/lit.js";
import { ApiError, del, get, patch, post } from "../api.js";
import { badge, button, emptyState, icon, menuButton, openPopover, searchField, tabs }
  from "../components.js";
import "../editor/picker.js";
import { count, formatChanged, formatNumber, parseTime } from "../format.js";
import { definePage, Page, toast } from "../shell.js";
import { addressOf, changeOf, FIELDS, newArticle, PATH, titleOf } from "./lists.js";

const PAGE_SIZE = 50;
const USUAL = { status: "any", q: "", ordering: "-last_updated", page: "1" };
const TABS = [["any", "All"], ["draft", "Drafts"], ["scheduled", "Scheduled"], ["published", "Published"],
  ["archived", "Archived"]];
// The class of a column, its head, and the orders after the first and after the second click on the head.
const COLUMNS = [["title", "Title", "title", "-title"], ["status", "Status"], ["category", "Category"],
  ["num length", "Words"], ["num changed", "Changed", "-last_updated", "last_updated"],
  ["menu-cell", html`<span class="sr-only">Actions</span>`]];

/** Change fields of the articles, all or none; `fields` returns those of one article. */
function write(articles, fields) {
  const items = articles.map((article) => ({ ...fields(article), uuid: article.uuid }));
  return patch(PATH, items, { query: { fields: "uuid" }, etag: "*" });
}

/** Undo changes: write the former values of the articles. */
const restore = (articles) => write(articles, ({ status, published_at, category, tags }) =>
  ({ status, published_at, category, tags }));

/** Publish an article together with the edits that wait in its working copy. */
async function publish({ uuid, status }) {
  if (status === "archived") await patch(`${PATH}${uuid}/`, { status: "draft" }, { etag: "*" });
  await post(`${PATH}${uuid}/working-copy/publish/`, { status: "published" }, { etag: "*" });
}

class Articles extends Page {
  articles = [];
  counts = {};
  selected = new Set();
  selecting = false;
  turn = 0;

  connectedCallback() {
    super.connectedCallback();
    // A link to another address of the list loads only its rows; without navigation events, the whole page.
    window.navigation?.addEventListener("navigate", (event) => {
      const isList = new URL(event.destination.url).pathname === location.pathname && !event.hashChange;
      if (!isList || !event.canIntercept || !["push", "traverse"].includes(event.navigationType)) return;
      event.intercept({ focusReset: "manual", handler: () => (this.clear(), this.reload()) });
    });
    addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && !document.querySelector("dialog[open], .popover")) this.clear();
    });
  }

  /** The query of the list, from the address of the page. */
  get query() { return { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.search)) }; }

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
    const turn = ++this.turn;
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

  clear() { this.set({ selected: new Set(), selecting: false }); }

  /** Do work() for the articles, show what is done, and offer to undo it, unless `undo` is null. */
  async apply(articles, done, work, undo = () => restore(articles)) {
    const succeeded = await this.act("apply", async () => (await work(), true));
    await this.reload();
    if (!succeeded) return;
    this.clear();
    const subject = articles.length === 1 ? `“${titleOf(articles[0])}”` : count(articles.length, "article");
    toast(`${subject} ${done}`, { undo: undo && (() => this.apply(articles, "as before", undo, null)) });
  }

  archive(articles) {
    // An archived article cannot be published: it must become a draft first.
    const undo = () => write(articles, () => ({ status: "draft" })).then(() => restore(articles));
    return this.apply(articles, "archived", () => write(articles, () => ({ status: "archived" })), undo);
  }

  /** Publish the articles one by one: what one of them needs does not hold up the others. */
  publish(articles) {
    const waiting = articles.filter(({ status, working_copy: copy }) => status !== "published" || copy);
    if (!waiting.length) return toast("They are published already");
    const isNew = waiting.every(({ status }) => status !== "published");
    return this.apply(waiting, isNew ? "published" : "published, with the edits", async () => {
      const refused = [];
      await Promise.all(waiting.map((article) => publish(article).catch(({ message }) =>
        refused.push(`“${titleOf(article)}” is not published: ${message}`))));
      const number = waiting.length - refused.length;
      const published = number ? `${number} of ${waiting.length} are published. ` : "";
      if (refused.length) throw new ApiError(0, { detail: published + refused.join(" ") });
    }, isNew ? undefined : null);
  }

  remove(article) {
    const path = `${PATH}${article.uuid}/`;
    return this.apply([article], "deleted", () => del(path, { etag: "*" }), async () => {
      const { data: versions } = await get(`${path}revisions/`, { query: { fields: "number,created" } });
      // The history can also contain the working copy, and versions of a conflict.
      const isLast = ({ created }) => parseTime(created) - parseTime(article.last_updated) === 0;
      await post(`${path}revisions/${(versions.find(isLast) ?? versions[0]).number}/restore/`);
      // A restored article is a draft.
      await restore([article]);
    });
  }

  /** Open a field below a button to find a category or a tag; a tag of all the articles can be removed. */
  async choose(kind, anchor, articles) {
    const isShared = ({ uuid }) => articles.every(({ tags }) => tags.some((tag) => tag.uuid === uuid));
    const shared = kind === "tags" ? articles[0].tags.filter(isShared).map(({ uuid }) => uuid) : [];
    let terms = [];
    const take = (chosen) => {
      const term = terms.find(({ uuid }) => chosen.includes(uuid) !== shared.includes(uuid));
      const others = ({ tags }) => tags.filter(({ uuid }) => uuid !== term.uuid);
      const [done, fields] = kind === "categories" ? ["moved to", () => ({ category: term })]
        : isShared(term) ? ["without the tag", (article) => ({ tags: others(article) })]
        : ["with the tag", (article) => ({ tags: [...others(article), term] })];
      this.apply(articles, `${done} ${term.name}`, () => write(articles, fields));
    };
    const float = openPopover(anchor, (close) => html`<term-picker class="field" .items=${terms}
      .label=${anchor.textContent.trim()} .chosen=${shared} .single=${kind === "categories"} .open=${true}
      @choose=${({ detail }) => (close(), take(detail))}></term-picker>`);
    if (!float) return;
    const read = async () => (await get(`blog/${kind}/`, { query: { fields: "uuid,name" } })).data;
    terms = (await this.act("read", read)) ?? [];
    float.update();
    float.element.querySelector("input").focus();
  }

  menuOf(article) {
    const { status, working_copy: copy, url } = article;
    const isPublic = status === "published";
    const only = [article];
    const draft = () => this.apply(only, "is a draft", () => write(only, () => ({ status: "draft" })));
    return [
      { label: "Edit", icon: "pencil", href: addressOf(article) },
      { label: "Preview", icon: "eye", href: addressOf(article, "preview/") },
      { label: "History", icon: "history", href: addressOf(article, "history/") },
      isPublic && url && { label: "Open the page", icon: "external-link", href: url },
      (!isPublic || copy) && { label: isPublic ? "Publish the edits" : "Publish now", icon: "send",
        action: () => this.publish(only) },
      status !== "draft" && { label: "Back to drafts", icon: "undo-2", action: draft },
      status !== "archived" && { label: "Archive", icon: "archive", action: () => this.archive(only) },
      { label: "Delete", icon: "trash-2", risk: true, action: () => this.remove(article) },
    ];
  }

  get isEmpty() { return !location.search && this.counts.any === 0; }

  renderMain() { return this.isEmpty ? nothing : newArticle(); }

  renderPage() {
    if (this.isEmpty) {
      const importTexts = button({ text: "Import texts", icon: "import", href: "/admin/import/" });
      return emptyState({
        title: "Nothing written yet",
        text: `Start with one article. It stays a draft, which readers cannot see, until you publish it. If
          you have texts elsewhere, import them: a zip archive of Markdown or HTML files, or the export of
          another blog.`,
        actions: html`${newArticle()} ${importTexts}`,
      });
    }
    const { status, q } = this.query;
    const items = TABS.map(([key, text]) =>
      ({ key, text, count: this.counts[key] ?? null, href: this.link({ status: key }) }));
    const toggle = () => (this.selecting ? this.clear() : this.set({ selecting: true }));
    const beside = html`<div class="list-tools">
      ${searchField({ label: "Search title and text", value: q, onInput: (text) => this.search(text) })}
      ${button({ icon: "list-checks", label: "Select", pressed: this.selecting, onClick: toggle })}</div>`;
    const filter = ["category", "tag", "author"].find((name) => this.query[name]);
    const filtered = html`<p class="list-end">Only the ${filter} “${this.query[filter]}”
      <a href=${this.link({ [filter]: "" })}>Show all articles</a></p>`;
    const more = html`<a href=${this.link({ status: "any" })}>Search all statuses</a>`;
    const missing = q ? html`No article contains “${q}”. ${status === "any" ? "" : more}` : "No articles";
    const none = html`<p class="section soft" role="status">${missing}</p>`;
    return html`${tabs(items, status, { label: "Status", beside })}
      ${filter ? filtered : nothing}${this.articles.length ? this.renderTable() : none}`;
  }

  renderTable() {
    const { pages, selected: { size } } = this;
    const page = Number(this.query.page);
    const turn = (to, text) =>
      to < 1 || to > pages ? nothing : html`<a href=${this.link({ page: String(to) })}>${text}</a>`;
    return html`<table class="table bleed articles ${this.selecting || size ? "selecting" : ""}">
        <colgroup><col class="check-cell">${COLUMNS.map(([kind]) => html`<col class=${kind}>`)}</colgroup>
        <thead><tr><th class="check-cell" scope="col">
          ${this.renderCheck("Select all on this page", this.articles)}</th>
          ${size ? this.renderBulk() : COLUMNS.map((column) => this.renderColumn(column))}</tr></thead>
        <tbody>${repeat(this.articles, ({ uuid }) => uuid, (article) => this.renderArticle(article))}</tbody>
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
    const act = (text, name, run, popup) =>
      button({ text, icon: name, popup, onClick: ({ currentTarget }) => run(currentTarget) });
    return html`<td class="bulk-cell" colspan="6">
      <div class="bulk" role="group" aria-label="Selection"><strong>${articles.length} selected</strong>
      ${act("Publish", "send", () => this.publish(articles))}
      ${act("Category", "folder", (anchor) => this.choose("categories", anchor, articles), "dialog")}
      ${act("Tags", "tag", (anchor) => this.choose("tags", anchor, articles), "dialog")}
      ${act("Archive", "archive", () => this.archive(articles))}
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
