/** The list of articles: tabs, filters, live search, order, and actions on one or several articles, with undo. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { ACTIONS, listActions, run } from "../actions.js";
import { ApiError, del, fileAddress, get, patch, post } from "../api.js";
import { badge, button, icon, problem } from "../components.js";
import { confirmRisk, menuButton, openMenu, openPopover, toast } from "../dialogs.js";
import "../editor/picker.js";
import { makeTimeForm, renderTime } from "../editor/publish-time.js";
import { count, formatChanged, formatNumber, toInstant } from "../format.js";
import { languageHint, languageName } from "../languages.js";
import { hasRole, listPath, mayChange, mayPublish } from "../roles.js";
import { content, lastSession, session } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { defineList, ListPage, PAGE_SIZE } from "./list-page.js";
import { addressOf, bringBack, hasBin, byUuid, changeOf, FIELDS, followStored, PATH, titleOf } from "./lists.js";

const [newArticle, emptyList] = content;
const LIST_FIELDS = `${FIELDS},cover,cover_image,authors,featured,language`;
// A write has at most this many articles, and so many actions run at once.
const [MAX_WRITE, MAX_AT_ONCE] = [100, 20];
// The largest number of found articles that can be selected at once.
const MAX_SELECTED = 500;
const TABS = { any: { name: "All" }, ...STATUSES, draft: { name: "Drafts" } };
/** The filters: the name of the parameter and of one term, and the path of the terms. */
const FILTERS = [
  ["author", "Author", "authors"],
  ["category", "Category", "categories"],
  ["tag", "Tag", "tags"],
  ["language", "Language", "languages"],
];
/**
 * The class of a column, its head, and the orderings that the first and the second click on the head select.
 * @type {any[][]}
 */
const COLUMNS = [
  ["thumbnail", html`<span class="sr-only">Cover</span>`],
  ["title", "Title", "title", "-title"],
  ["status", "Status"],
  ["byline", "Authors"],
  ["category", "Category"],
  ["num length", "Words"],
  ["num changed", "Changed", "-last_updated", "last_updated"],
  ["menu-cell", html`<span class="sr-only">Actions</span>`],
];

// Authors list only what they have written.
const isOffered = (/** @type {any[]} */ [name]) => name !== "author" || hasRole("editor");

/** Return the items in parts of `size` items. */
const chunk = (items, size = MAX_WRITE) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Return a function that changes fields of articles, of all or of none; fields(article) returns them. */
const write = (fields) => async (articles) => {
  for (const part of chunk(articles)) {
    const items = part.map((article) => ({ ...fields(article), uuid: article.uuid }));
    await patch(PATH, items, { query: { fields: "uuid" }, etag: "*" });
  }
};
const restore = write(({ status, published_at, category, tags, authors }) => ({
  status,
  published_at,
  category,
  tags,
  authors,
}));

const UNDONE = "as before";

/** Work on articles, each by itself: one that is refused does not stop the others. done: what each becomes. */
async function forEach(articles, done, work) {
  const problems = [];
  const note = (article, { message }) =>
    problems.push(`“${titleOf(article)}” is not ${done.split(":")[0]}: ${message}`);
  for (const part of chunk(articles, MAX_AT_ONCE)) {
    await Promise.all(part.map((article) => work(article).catch((error) => note(article, error))));
  }
  if (problems.length) throw new ApiError(0, { detail: problems.join(" ") });
}

/** Return the action on articles that runs the row of the table which choose(article) returns. at: see run(). */
const makeAction = (done, choose, at) => {
  const undos = new Map();
  const send = async (article) => undos.set(article, await run(`${PATH}${article.uuid}/`, choose(article), { at }));
  const back = async (article) => undos.get(article).undo?.();
  const work = (/** @type {any[]} */ articles) => forEach(articles, done, send);
  return { done, work, undo: (/** @type {any[]} */ articles) => forEach(articles, UNDONE, back) };
};
const toAction = (row) => makeAction(row.done, () => row);

/**
 * The actions on articles; `done` is for the toast.
 *
 * @typedef {{done: string, work: (articles: any[]) => unknown, undo?: (articles: any[]) => unknown}} Action
 */

const remove = async (articles) => {
  for (const part of chunk(articles)) {
    await del(PATH, { query: { uuid: part.map(({ uuid }) => uuid) }, etag: "*" });
  }
};
const restoreDeleted = (articles) => bringBack(PATH, articles);
const DELETE = { label: "Delete", icon: "trash-2", risk: true, done: "deleted", work: remove, undo: restoreDeleted };

// The actions that give articles a term.
const add = (uuid, terms) => [...terms.filter((term) => term.uuid !== uuid), { uuid }];
const move = ({ uuid, name }) => {
  return { done: `moved to ${name}`, work: write(() => ({ category: { uuid } })), undo: restore };
};
const addTag = ({ uuid, name }) => {
  const work = write(({ tags }) => ({ tags: add(uuid, tags) }));
  return { done: `with the tag ${name}`, work, undo: restore };
};
const addAuthor = ({ uuid, name }) => {
  const work = write(({ authors }) => ({ authors: add(uuid, authors) }));
  return { done: `with the author ${name}`, work, undo: restore };
};
// For each kind of term: the label of the button, the noun, and the action.
const CHOICES = {
  tags: ["Tags", "tag", addTag],
  categories: ["Category", "category", move],
  authors: ["Authors", "author", addAuthor],
};

/** Return the action with which an article goes live, if there is one. */
const findGoLive = (article, isLater) => {
  const { publish, schedule, reschedule, update } = ACTIONS;
  if (isLater) return [schedule, reschedule].find(({ from }) => from.includes(article.status));
  return listActions(article).find((action) => action === publish || action === update);
};

class Articles extends ListPage {
  usual = { status: "any", q: "", ordering: "-last_updated", page: "1", author: "", category: "", tag: "" };
  words = ["article", "articles"];
  counts = {};
  /** @type {any[]} the selected articles on other pages */
  others = [];
  /** @type {Record<string, string>} the names of the terms in the address, by their references */
  names = {};
  /** @type {string[]} the languages of the blog */
  languages = [];

  get filters() {
    return FILTERS.filter(([name]) => this.query[name]);
  }

  get chosen() {
    return [...super.chosen, ...this.others];
  }

  async read(query) {
    const listing = get(listPath(), { query: { ...query, page_size: PAGE_SIZE, fields: LIST_FIELDS } });
    const counting = get("blog/article-counts/");
    const [{ data: items, total }, { data: counts }] = await Promise.all([listing, counting, this.readNames()]);
    return { items, total, counts };
  }

  async readNames() {
    const isUnknown = (/** @type {any[]} */ [name]) => name !== "language" && !(this.query[name] in this.names);
    const unknown = this.filters.filter(isUnknown);
    const read = async (/** @type {any[]} */ [name, , kind]) => {
      const reference = this.query[name];
      const found = get(`blog/${kind}/${encodeURIComponent(reference)}/`, { query: { fields: "name" } });
      // The list is empty if there is no such term.
      this.names[reference] = await found.then(({ data }) => data.name).catch(() => reference);
    };
    await Promise.all(unknown.map(read));
  }

  async load() {
    await super.load();
    followStored(this, this.items);
  }

  clear() {
    this.others = [];
    super.clear();
  }

  /** Select all found articles, those on other pages too. */
  async selectAll() {
    const { page, ...query } = this.query;
    const read = (number) =>
      get(listPath(), { query: { ...query, page: number, page_size: 100, fields: LIST_FIELDS } });
    const numbers = Array.from({ length: Math.ceil(this.total / 100) }, (_, at) => at + 1);
    const answers = await this.act("select", () => Promise.all(numbers.map(read)));
    if (!answers) return;
    const found = answers.flatMap(({ data }) => data);
    const shown = new Set(this.items.map(byUuid));
    this.set({ others: found.filter(({ uuid }) => !shown.has(uuid)), selected: new Set(found.map(byUuid)) });
  }

  /**
   * Run an action on the articles, show its result, and offer to undo it.
   * @param {any[]} articles @param {Action} action
   */
  async apply(articles, { done, work, undo }) {
    const outcome = await this.act("apply", async () => ({ notes: await work(articles) }));
    await this.reload();
    if (!outcome) return false;
    this.clear();
    const subject = articles.length === 1 ? `“${titleOf(articles[0])}”` : count(articles.length, "article");
    const back = () => this.apply(articles, { done: UNDONE, work: /** @type {Action["work"]} */ (undo) });
    toast(`${subject} ${outcome.notes ? `restored. ${outcome.notes}` : done}`, { undo: undo && back });
    return true;
  }

  /**
   * Open a field below a button to find a term. use(term): what is done with it; create: the noun of a term that
   * can be created.
   */
  async pick(anchor, kind, label, use, create = "") {
    /** @type {any[]} */
    let found = [];
    const fields = "uuid,name,slug,articles_by_status";
    const find = async (q) => {
      // The number of articles is for those who see all drafts.
      const ordering = q || lastSession().role === "author" ? "" : "-articles";
      found = (await get(`blog/${kind}/`, { query: { q, ordering, page: 1, page_size: 20, fields } })).data;
      return found;
    };
    const add = async (name) => {
      const answer = await this.act("create", () => post(`blog/${kind}/`, { name }));
      found = [...found, ...(answer ? [answer.data] : [])];
      return answer?.data;
    };
    const items = (await this.act("read", () => find(""))) ?? [];
    const take = (close, uuid) => (close(), use(found.find((term) => term.uuid === uuid)));
    const draw = (close) => html`<term-picker class="field" .items=${items} .find=${find} .single=${true}
      .label=${label} .open=${true} .kind=${create} .create=${create ? add : null}
      @choose=${({ detail }) => take(close, detail[0])}></term-picker>`;
    const float = openPopover(anchor, draw, { label, kind: "filter" });
    const picker = /** @type {any} */ (float?.element.firstElementChild);
    await picker?.updateComplete;
    picker?.querySelector("input").focus();
  }

  /** Open a field for the category, the tag or the author that the articles get. */
  choose(kind, anchor, articles) {
    const [label, one, assign] = CHOICES[kind];
    const create = kind === "tags" || (kind === "categories" && hasRole("editor")) ? one : "";
    return this.pick(anchor, kind, label, (term) => this.apply(articles, assign(term)), create);
  }

  /** Delete articles with undo; many of them, or articles that cannot be restored, only after a question. */
  async remove(articles) {
    if (hasBin && articles.length <= PAGE_SIZE) return this.apply(articles, DELETE);
    const title = `Delete ${count(articles.length, "article")}?`;
    const many = hasBin ? " for so many at once" : "";
    const text = `There is no undo${many}. Their versions stay in the database and in its backups.`;
    const isSure = await confirmRisk({ title, text, action: `Delete ${count(articles.length, "article")}` });
    return isSure && this.apply(articles, { ...DELETE, undo: undefined });
  }

  /** Ask when the articles are published. */
  askWhen(anchor, articles) {
    const form = makeTimeForm();
    const set = (fields) => {
      Object.assign(form, fields);
      float?.update();
    };
    const isAhead = () => form.isLater && toInstant(form.day, form.time).getTime() > Date.now();
    const choose = (article) => findGoLive(article, isAhead());
    const send = async (close) => {
      const at = form.isLater ? toInstant(form.day, form.time) : null;
      const { done } = isAhead() ? ACTIONS.schedule : ACTIONS.publish;
      if (await this.apply(articles.filter(choose), makeAction(done, choose, at))) close();
    };
    const draw = (close) => {
      const live = articles.filter(choose);
      const left = articles.length - live.length;
      const reason = "public without edits, or archived: an archived article becomes a draft first";
      const stay = left === 1 ? "One stays as it is" : `${left} stay as they are`;
      const number = articles.length === 1 ? "" : `${live.length} of ${articles.length} go live. `;
      const main = { kind: "main", busy: this.busy === "apply", busyText: "Saving…" };
      const go = () => (live.length ? send(close) : this.set({ problem: "None of them can go live." }));
      return html`<h2>Publish ${count(articles.length, "article")}</h2>${renderTime(form, set)}
        <p class="soft">${number}${left ? `${stay}: ${reason}.` : ""}</p>
        ${problem(this.problem)}
        <div class="popover-buttons">${button("Cancel", () => close(), { kind: "bare" })}
          ${button(isAhead() ? "Schedule" : "Publish", go, main)}</div>`;
    };
    this.set({ problem: "" });
    const float = openPopover(anchor, draw, { label: "Publish", kind: "filter" });
  }

  // The code of the editor is not needed before.
  duplicate({ uuid }) {
    return this.act("duplicate", async () => (await import("../editor/duplicate.js")).duplicate(uuid));
  }

  menuOf(article) {
    const { status, url } = article;
    const link = (label, icon, href) => ({ label, icon, href });
    const item = (action) => {
      const { name, label = name, icon } = action;
      return { label, icon, action: () => this.apply([article], toAction(action)) };
    };
    return [
      link("Preview", "eye", addressOf(article, "preview/")),
      link("History", "history", addressOf(article, "history/")),
      (status === "published" || status === "unlisted") && url && link("Open the page", "external-link", url),
      { label: "Duplicate", icon: "copy", action: () => this.duplicate(article) },
      ...listActions(article).map(item),
      mayChange(article) && { ...DELETE, action: () => this.remove([article]) },
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
    const more = html`<a href=${this.link({ status: "any" })}>Search all statuses</a>`;
    const missing = q ? `No article contains “${q}”.` : "No articles";
    const none = html`<p class="section soft" role="status">${missing} ${q && status !== "any" ? more : nothing}</p>`;
    this.hasCovers = this.items.some(({ cover, cover_image: address }) => cover || address);
    const columns = COLUMNS.slice(this.hasCovers ? 0 : 1);
    const rows = repeat(this.items, byUuid, (article) => this.renderArticle(article));
    return html`${this.renderTabs(Object.keys(TABS).map(item), status, "Search title and text")}
      ${this.renderFilters()}
      ${this.items.length ? this.renderTable("articles", columns, this.renderBulk(), rows) : none}
      ${this.items.length ? this.renderFoot() : nothing}`;
  }

  /** The buttons for the filters, and how many articles they leave. */
  renderFilters() {
    const all = this.counts[this.query.status] ?? 0;
    const isFiltered = this.filters.length > 0 || this.query.featured || this.query.q;
    const cleared = this.link({ author: "", category: "", tag: "", language: "", featured: "", q: "" });
    const found = html`<p><span role="status">${formatNumber(this.total)} of ${count(all, "article")}</span>
      <a href=${cleared}>Clear filter</a></p>`;
    const { language, languages } = session().site;
    const isUsed = (/** @type {any[]} */ [name]) =>
      name !== "language" || this.languages.length > 1 || this.query.language;
    // The languages of the site, and those of articles that were shown.
    const named = [...languages, ...this.items].map((one) => one.language).filter(Boolean);
    this.languages = [...new Set([language, ...this.languages, ...named])];
    const filters = FILTERS.filter((filter) => isOffered(filter) && isUsed(filter));
    const buttons = filters.map((filter) => this.renderFilter(filter));
    return html`<div class="filters"><div role="group" aria-label="Filters">${buttons}
        ${this.renderFeaturedFilter()}</div>
      ${isFiltered ? found : nothing}</div>`;
  }

  renderFeaturedFilter() {
    const { featured } = this.query;
    if (!featured) {
      return html`<a class="button bare filter" href=${this.link({ featured: "true" })}>
        <span>Featured</span>${icon("star")}</a>`;
    }
    return html`<a class="button filter set" href=${this.link({ featured: "" })}
      aria-label="Featured. Remove the filter">
      <span>Featured</span>${icon("x")}</a>`;
  }

  renderFilter(/** @type {any[]} */ [name, label, kind]) {
    const reference = this.query[name];
    if (reference) {
      const named = name === "language" ? languageName(reference) : (this.names[reference] ?? reference);
      const text = `${label}: ${named}`;
      return html`<a class="button filter set" href=${this.link({ [name]: "" })}
        aria-label="${text}. Remove the filter">
        <span>${text}</span>${icon("x")}</a>`;
    }
    const show = (term) => {
      this.names[term.slug] = term.name;
      location.assign(this.link({ [name]: term.slug }));
    };
    const offer = (tag) => ({ label: languageName(tag), icon: "globe", href: this.link({ language: tag }) });
    const open = ({ currentTarget }) =>
      name === "language"
        ? openMenu(currentTarget, this.languages.map(offer), label)
        : this.pick(currentTarget, kind, label, show);
    const popup = name === "language" ? "menu" : "dialog";
    return html`<button type="button" class="button bare filter" aria-haspopup=${popup} @click=${open}>
      <span>${label}</span>${icon("chevron-down")}</button>`;
  }

  renderBulk() {
    const { chosen, total } = this;
    const act = (text, run, more = {}) => button(text, ({ currentTarget }) => run(currentTarget), more);
    const choose = (kind) => act(CHOICES[kind][0], (anchor) => this.choose(kind, anchor, chosen), { popup: "dialog" });
    const canSelectMore = chosen.length < total && total > this.items.length && total <= MAX_SELECTED;
    const more = act(`Select all ${formatNumber(total)}`, () => this.selectAll(), { kind: "select-all" });
    const publish = act("Publish…", (anchor) => this.askWhen(anchor, chosen), { popup: "dialog" });
    if (!chosen.every(mayChange)) return canSelectMore ? more : nothing;
    const { from } = ACTIONS.archive;
    const kinds = Object.keys(CHOICES).filter((kind) => kind !== "authors" || hasRole("editor"));
    return html`${mayPublish() ? publish : nothing}
      ${kinds.map(choose)}
      ${act("Archive", () =>
        this.apply(
          chosen.filter(({ status }) => from.includes(status)),
          toAction(ACTIONS.archive),
        ),
      )}
      ${act("Delete", () => this.remove(chosen), { kind: "risk" })}
      ${canSelectMore ? more : nothing}`;
  }

  renderArticle(article) {
    const title = titleOf(article);
    const star = article.featured ? html`${icon("star", "accent")} ` : nothing;
    const featured = article.featured ? html`<span class="sr-only">Featured</span>` : nothing;
    return html`<tr class=${this.selected.has(article.uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheck(`Select ${title}`, [article])}</td>
      ${this.hasCovers ? html`<td class="thumbnail">${renderThumbnail(article)}</td>` : nothing}
      <th class="title" scope="row"><a href=${addressOf(article)} dir="auto">${star}${title}</a>${featured}
        ${languageHint(article, this.items)}</th>
      <td class="status">${badge(article)}</td>
      <td class="byline">${article.authors.map(({ name }) => name).join(", ")}</td>
      <td class="category">${article.category.name}</td>
      <td class="num length">${formatNumber(article.word_count)}</td>
      <td class="num changed nowrap">${formatChanged(changeOf(article))}</td>
      <td class="menu-cell">${menuButton(`Actions for ${title}`, () => this.menuOf(article))}</td></tr>`;
  }
}

function renderThumbnail({ cover, cover_image: address }) {
  const smallest = cover?.renditions.toSorted((one, other) => one.width - other.width)[0] ?? cover;
  const source = smallest ? fileAddress(smallest) : /^https?:/.test(address) && address;
  return source ? html`<img src=${source} alt="" loading="lazy" width="40" height="30">` : html`<span></span>`;
}

defineList(Articles);
