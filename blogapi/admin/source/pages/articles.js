/** The list of articles, with tabs, filters, search and order, and with actions on one or several articles. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { ACTIONS, listActions, runAction } from "../actions.js";
import { ApiError, del, get, patch, post } from "../api.js";
import { badge, button, icon, withButton, problemAlert } from "../components.js";
import { confirmRisk, menuButton, openMenu, openPopover, dialogButtons, toast } from "../dialogs.js";
import "../editor/term-picker.js";
import { PublishTimeForm } from "../editor/publish-time.js";
import { formatCount, formatTimeAgo, formatNumber, formatShortTime } from "../format.js";
import { renderLanguageHint, getLanguageName } from "../languages.js";
import { hasRole, getArticlesPath, mayChangeItem, mayPublish } from "../roles.js";
import { getLastSession, refs, getSession } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { defineList, ListPage, PAGE_SIZE } from "./list-page.js";
import { renderBinLink, makeBinTabs, countBinItems, makeStatusTabs } from "./list-tabs.js";
import { makeArticleAddress, restoreItems, hasBin, getUuid, getChangeTime, ROW_FIELDS, getTitle } from "./items.js";
import { TERM_KINDS } from "./term-kinds.js";

/**
 * done: the word for the result, for the toast.
 *
 * @typedef {{done: string, work: (articles: Article[]) => Promise<unknown>,
 *   undo?: (articles: Article[]) => Promise<unknown>}} ListAction
 */

const LIST_PATH = "blog/articles/";
const LIST_FIELDS = `${ROW_FIELDS},cover_image,authors,featured,language`;
// The largest number of articles in one write request, and the number of actions that run at the same time.
const [MAX_WRITTEN, MAX_CONCURRENT] = [100, 20];
// The largest number of found articles for which "Select all" is offered.
const MAX_SELECTED = 500;
/** The filters: the query parameter, the label, and the API path of the terms. */
const FILTERS = [
  ["author", "Author", "authors"],
  ["category", "Category", "categories"],
  ["tag", "Tag", "tags"],
  ["language", "Language", "languages"],
];
/**
 * The columns: the class, the head, and the orderings after the first and the second click on the head.
 * @type {Renderable[][]}
 */
const COLUMNS = [
  ["thumbnail", html`<span class="sr-only">Cover</span>`],
  ["title", "Title", "title", "-title"],
  ["status", "Status"],
  ["byline", "Authors"],
  ["category", "Category"],
  ["since", "Readers since", "-published_at", "published_at"],
  ["num changed", "Changed", "-last_updated", "last_updated"],
];

/** Return whether the filter is offered: authors list only their own articles. @param {string[]} filter */
const isFilterOffered = ([name]) => name !== "author" || hasRole("editor");

/** Return the articles in parts of `size`. @param {Article[]} articles */
const splitArticles = (articles, size = MAX_WRITTEN) =>
  Array.from({ length: Math.ceil(articles.length / size) }, (_, n) => articles.slice(n * size, (n + 1) * size));

/**
 * Return the function that changes a field of articles. change(value, listed) returns the new value from the stored
 * value, which other users can have changed, and from the listed value. Each request changes all of its articles or
 * none.
 * @param {string} field @param {(value: any, listed: any) => unknown} change @returns {ListAction["work"]}
 */
const makeFieldChange = (field, change) => async (articles) => {
  for (const part of splitArticles(articles)) {
    const query = { uuid: part.map(getUuid), status: "any", page_size: MAX_WRITTEN, fields: `uuid,${field}` };
    const { data } = await get(getArticlesPath(), { query });
    const stored = Object.fromEntries(data.map((/** @type {Article} */ article) => [article.uuid, article[field]]));
    const items = part.map(({ uuid, [field]: listed }) => ({ uuid, [field]: change(stored[uuid] ?? listed, listed) }));
    await patch(LIST_PATH, items, { query: { fields: "uuid" }, etag: "*" });
  }
};

const AS_BEFORE = "as before";

/**
 * Call work() for each article, and then throw one error about all articles for which it failed. done: the word for the
 * result.
 * @param {Article[]} articles @param {string} done @param {(article: Article) => Promise<unknown>} work
 */
async function forEachArticle(articles, done, work) {
  /** @type {string[]} */
  const problems = [];
  /** @type {(article: Article, error: Error) => void} */
  const addProblem = (article, { message }) =>
    problems.push(`“${getTitle(article)}” is not ${done.split(":")[0]}: ${message}`);
  for (const part of splitArticles(articles, MAX_CONCURRENT)) {
    await Promise.all(part.map((article) => work(article).catch((error) => addProblem(article, error))));
  }
  if (problems.length) throw new ApiError(0, { detail: problems.join(" ") });
}

/**
 * Return the list action that runs the action choose(article) on each article. at: see runAction().
 * @param {string} done @param {(article: Article) => import("../actions.js").Action | undefined} choose
 * @param {Date | null} [at] @returns {ListAction}
 */
const makeListAction = (done, choose, at) => {
  const results = new Map();
  const sendArticle = async (/** @type {Article} */ article) =>
    results.set(article, await runAction(`${LIST_PATH}${article.uuid}/`, /** @type {any} */ (choose(article)), { at }));
  const undoForArticle = async (/** @type {Article} */ article) => results.get(article).undo?.();
  return {
    done,
    work: (articles) => forEachArticle(articles, done, sendArticle),
    undo: (articles) => forEachArticle(articles, AS_BEFORE, undoForArticle),
  };
};
/** @param {import("../actions.js").Action} action */
const toListAction = (action) => makeListAction(action.done, () => action);

/** @type {ListAction["work"]} */
const deleteArticles = async (articles) => {
  for (const part of splitArticles(articles)) await del(LIST_PATH, { query: { uuid: part.map(getUuid) }, etag: "*" });
};
const DELETE_ACTION = {
  ...{ label: "Delete", icon: "trash-2", risk: true, done: "deleted" },
  work: deleteArticles,
  undo: (/** @type {Article[]} */ articles) => restoreItems(LIST_PATH, articles),
};

/** The kinds of terms in the order of their buttons. @type {(keyof typeof TERM_KINDS)[]} */
const TERM_KIND_ORDER = ["tags", "categories", "authors"];

/** Return the action that gives articles a term. @param {keyof typeof TERM_KINDS} kind @param {Term} term */
const makeTermAssignment = (kind, { uuid, name }) => {
  const { noun, field, isSingle } = TERM_KINDS[kind];
  const isTerm = (/** @type {Term | null} */ term) => term?.uuid === uuid;
  /** @type {(terms: Term[]) => Partial<Term>[]} */
  const addTerm = (terms) => (terms.some(isTerm) ? terms : [...terms, { uuid }]);
  /** @type {(terms: Term[], listed: Term[]) => Term[]} */
  const removeTerm = (terms, listed) => (listed.some(isTerm) ? terms : terms.filter((term) => !isTerm(term)));
  const work = makeFieldChange(field, isSingle ? () => ({ uuid }) : addTerm);
  const undo = makeFieldChange(field, isSingle ? (term, listed) => (isTerm(term) ? listed : term) : removeTerm);
  return { done: isSingle ? `moved to ${name}` : `with the ${noun} ${name}`, work, undo };
};

/**
 * Return the action that publishes the article or its edits now, or that schedules it (isLater); undefined if no action
 * does.
 * @param {Article} article @param {boolean} isLater
 */
const findPublishAction = (article, isLater) => {
  const { publish, schedule, reschedule, update } = ACTIONS;
  if (isLater) return [schedule, reschedule].find(({ from }) => from.includes(article.status));
  return listActions(article).find((action) => action === publish || action === update);
};

class Articles extends ListPage {
  defaultQuery = { status: "any", q: "", ordering: "-last_updated", page: "1", author: "", category: "", tag: "" };
  nouns = ["article", "articles"];
  /** @type {Record<string, number>} */
  counts = {};
  /** @type {number | null} the number of articles in the bin */
  binCount = null;
  /** @type {Article[]} the selected articles on other pages */
  others = [];
  /** @type {Record<string, string>} the names of the terms in the address, by their references */
  names = {};
  /** @type {string[]} the languages of the blog */
  languages = [];

  get filters() {
    return FILTERS.filter(([name]) => this.query[name]);
  }

  get selection() {
    return [...super.selection, ...this.others];
  }

  /** @param {Record<string, string>} query */
  async loadList(query) {
    const listing = get(getArticlesPath(), { query: { ...query, page_size: PAGE_SIZE, fields: LIST_FIELDS } });
    const counting = get("blog/article-counts/");
    const requests = Promise.all([listing, counting, countBinItems("articles"), this.loadFilterNames()]);
    const [{ data: items, total }, { data: counts }, binCount] = await requests;
    return { items, total, counts, binCount };
  }

  async loadFilterNames() {
    const unknown = this.filters.filter(([name]) => name !== "language" && !(this.query[name] in this.names));
    /** @param {string[]} filter */
    const loadFilterName = async ([name, , kind]) => {
      const reference = this.query[name];
      const found = get(`blog/${kind}/${encodeURIComponent(reference)}/`, { query: { fields: "name" } });
      // If the term does not exist, the list is empty, and the filter shows the reference.
      this.names[reference] = await found.then(({ data }) => data.name).catch(() => reference);
    };
    await Promise.all(unknown.map(loadFilterName));
  }

  clearSelection() {
    this.others = [];
    super.clearSelection();
  }

  /** Select all found articles, including articles on other pages of the list. */
  async selectAllFound() {
    const { page, ...query } = this.query;
    /** @param {number} number */
    const loadPage = (number) =>
      get(getArticlesPath(), { query: { ...query, page: number, page_size: 100, fields: LIST_FIELDS } });
    const numbers = Array.from({ length: Math.ceil(this.total / 100) }, (_, n) => n + 1);
    const answers = await this.runTask("select", () => Promise.all(numbers.map(loadPage)));
    if (!answers) return;
    /** @type {Article[]} */
    const found = answers.flatMap(({ data }) => data);
    const shown = new Set(this.items.map(getUuid));
    this.setFields({ others: found.filter(({ uuid }) => !shown.has(uuid)), selected: new Set(found.map(getUuid)) });
  }

  /**
   * Run an action on the articles, show its result, and offer to undo it.
   * @param {Article[]} articles @param {ListAction} action @returns {Promise<boolean>}
   */
  async applyAction(articles, { done, work, undo }) {
    const outcome = await this.runTask("apply", async () => ({ notes: await work(articles) }));
    await this.reloadPage();
    // After a failure, articles stay selected, unless some were on other pages: the list has a new order.
    if (outcome || this.others.length) this.clearSelection();
    if (!outcome) return false;
    const subject = articles.length === 1 ? `“${getTitle(articles[0])}”` : formatCount(articles.length, "article");
    const applyUndo = () =>
      this.applyAction(articles, { done: AS_BEFORE, work: /** @type {ListAction["work"]} */ (undo) });
    toast(`${subject} ${outcome.notes ? `restored. ${outcome.notes}` : done}`, { undo: undo && applyUndo });
    return true;
  }

  /**
   * Open a popover with a field that finds terms. use(term): called with the chosen term; create: the noun for a term,
   * if the user may create terms.
   * @param {HTMLElement} anchor @param {string} kind @param {string} label @param {(term: Term) => unknown} use
   * @param {string} [create]
   */
  async openTermPicker(anchor, kind, label, use, create = "") {
    /** @type {Term[]} */
    let found = [];
    const fields = "uuid,name,slug,articles_by_status";
    /** @param {string} q */
    const findTerms = async (q) => {
      // Only users who see all drafts can sort by the number of articles.
      const ordering = q || getLastSession().role === "author" ? "" : "-articles";
      found = (await get(`blog/${kind}/`, { query: { q, ordering, page: 1, page_size: 20, fields } })).data;
      return found;
    };
    /** @param {string} name */
    const createTerm = async (name) => {
      const answer = await this.runTask("create", () => post(`blog/${kind}/`, { name }));
      found = [...found, ...(answer ? [answer.data] : [])];
      return answer?.data;
    };
    const items = (await this.runTask("read", () => findTerms(""))) ?? [];
    const renderTermPicker = (/** @type {Close} */ close) => {
      /** @param {CustomEvent<string[]>} event */
      const chooseTerm = ({ detail: [uuid] }) => {
        close();
        for (const term of found) if (term.uuid === uuid) use(term);
      };
      return html`<term-picker class="field" .items=${items} .find=${findTerms} .single=${true} .label=${label}
        .open=${true} .kind=${create} .create=${create ? createTerm : null} @choose=${chooseTerm}></term-picker>`;
    };
    const overlay = openPopover(anchor, renderTermPicker, { label, kind: "filter" });
    const picker = /** @type {any} */ (overlay?.element.firstElementChild);
    await picker?.updateComplete;
    picker?.querySelector("input").focus();
  }

  /**
   * Let the user choose a category, a tag or an author, and add it to the articles.
   * @param {keyof typeof TERM_KINDS} kind @param {HTMLElement} anchor @param {Article[]} articles
   */
  chooseTerm(kind, anchor, articles) {
    const { label, noun, creator } = TERM_KINDS[kind];
    const assignTerm = (/** @type {Term} */ term) => this.applyAction(articles, makeTermAssignment(kind, term));
    return this.openTermPicker(anchor, kind, label, assignTerm, creator && hasRole(creator) ? noun : "");
  }

  /**
   * Delete articles. Ask first if the deletion cannot be undone: for many articles, and on a blog without a bin.
   * @param {Article[]} articles
   */
  async askAndDeleteArticles(articles) {
    if (hasBin && articles.length <= PAGE_SIZE) return this.applyAction(articles, DELETE_ACTION);
    const title = `Delete ${formatCount(articles.length, "article")}?`;
    const kept = hasBin ? "they go to the bin" : "their versions stay in the database and in its backups";
    const text = `There is no undo${hasBin ? " for so many at once" : ""}, but ${kept}.`;
    const isSure = await confirmRisk({ title, text, action: `Delete ${formatCount(articles.length, "article")}` });
    return isSure && this.applyAction(articles, { ...DELETE_ACTION, undo: undefined });
  }

  /**
   * Ask for the publication time of the articles, and publish them.
   * @param {HTMLElement} anchor @param {Article[]} articles
   */
  askForPublishTime(anchor, articles) {
    const time = new PublishTimeForm(() => overlay?.update());
    const chooseAction = (/** @type {Article} */ article) => findPublishAction(article, time.isFuture);
    /** @param {Close} close */
    const publishAll = async (close) => {
      const { done } = time.isFuture ? ACTIONS.schedule : ACTIONS.publish;
      if (await this.applyAction(articles.filter(chooseAction), makeListAction(done, chooseAction, time.instant)))
        close();
    };
    const renderPopover = (/** @type {Close} */ close) => {
      const live = articles.filter(chooseAction);
      const left = articles.length - live.length;
      const reason = "public without edits, or archived: an archived article becomes a draft first";
      const stay = left === 1 ? "One stays as it is" : `${left} stay as they are`;
      const number = articles.length === 1 ? "" : `${live.length} of ${articles.length} go live. `;
      const main = { busy: this.busy === "apply", busyText: "Saving…" };
      const goLive = () => (live.length ? publishAll(close) : this.setFields({ problem: "None of them can go live." }));
      return html`<h2>Publish ${formatCount(articles.length, "article")}</h2>${time.render()}
        <p class="soft">${number}${left ? `${stay}: ${reason}.` : ""}</p>
        ${problemAlert(this.problem)} ${dialogButtons(close, time.isFuture ? "Schedule" : "Publish", goLive, main)}`;
    };
    this.setFields({ problem: "" });
    const overlay = openPopover(anchor, renderPopover, { label: "Publish", kind: "filter" });
  }

  /** Duplicate an article, with code of the editor that is loaded for it. @param {Article} article */
  duplicateArticle({ uuid }) {
    return this.runTask("duplicate", async () => (await import("../editor/duplicate.js")).duplicateItem(uuid));
  }

  /** @param {Article} article @returns {MenuItems} */
  listArticleActions(article) {
    const { status, url } = article;
    /** @param {import("../actions.js").Action} action */
    const makeMenuItem = (action) => {
      const { name, label = name, icon } = action;
      return { label, icon, action: () => this.applyAction([article], toListAction(action)) };
    };
    const isLinked = (status === "published" || status === "unlisted") && url;
    return [
      { label: "Preview", icon: "eye", href: makeArticleAddress(article, "preview/") },
      { label: "History", icon: "history", href: makeArticleAddress(article, "history/") },
      isLinked && { label: "Open the page", icon: "external-link", href: url },
      { label: "Duplicate", icon: "copy", action: () => this.duplicateArticle(article) },
      ...listActions(article).map(makeMenuItem),
      mayChangeItem(article) && { ...DELETE_ACTION, action: () => this.askAndDeleteArticles([article]) },
    ];
  }

  get isEmpty() {
    return !location.search && this.counts.any === 0;
  }

  renderMainButton() {
    return this.isEmpty ? nothing : refs.newButton;
  }

  renderPage() {
    if (this.isEmpty) return html`${refs.empty}${renderBinLink("articles", this.binCount)}`;
    const { status } = this.query;
    const own = makeStatusTabs(this.counts, (key) => this.makeLink({ status: key }));
    const tabs = [...own, ...makeBinTabs("articles", this.binCount)];
    const columns = COLUMNS.slice(this.hasCovers ? 0 : 1);
    const rows = repeat(this.items, getUuid, (article) => this.renderArticle(article));
    return html`${this.renderTabs(tabs, status, "Search title and text")}
      ${this.renderFilters()} ${this.renderList("articles", columns, this.renderBulkActions(), rows)}`;
  }

  renderNothingFound() {
    const { status, q } = this.query;
    const link = html`<a href=${this.makeLink({ status: "any" })}>Search all statuses</a>`;
    return super.renderNothingFound(q && status !== "any" ? link : nothing);
  }

  /** Render the buttons of the filters, and the number of articles that match them. */
  renderFilters() {
    const all = this.counts[this.query.status] ?? 0;
    const isFiltered = this.filters.length > 0 || this.query.featured || this.query.q;
    const cleared = this.makeLink({ author: "", category: "", tag: "", language: "", featured: "", q: "" });
    const found = html`<p><span role="status">${formatNumber(this.total)} of ${formatCount(all, "article")}</span>
      <a href=${cleared}>Clear filter</a></p>`;
    const { language, languages } = getSession().site;
    /** @param {string[]} filter */
    const isUsed = ([name]) => name !== "language" || this.languages.length > 1 || this.query.language;
    // The page knows the languages of the site and of the articles that it has listed.
    const named = [...languages, ...this.items].map((item) => item.language).filter(Boolean);
    this.languages = [...new Set([language, ...this.languages, ...named])];
    const filters = FILTERS.filter((filter) => isFilterOffered(filter) && isUsed(filter));
    const buttons = filters.map((filter) => this.renderFilter(filter));
    return html`<div class="filters"><div role="group" aria-label="Filters">${buttons}
        ${this.renderFeaturedFilter()}</div>
      ${isFiltered ? found : nothing}</div>`;
  }

  renderFeaturedFilter() {
    if (this.query.featured) return this.renderActiveFilter("featured", "Featured");
    return html`<a class="button bare filter" href=${this.makeLink({ featured: "true" })}>
      <span>Featured</span>${icon("star")}</a>`;
  }

  /**
   * Render the button of a filter that is set; a click on it removes the filter.
   * @param {string} name @param {string} text
   */
  renderActiveFilter(name, text) {
    return html`<a class="button filter set" href=${this.makeLink({ [name]: "" })}
      aria-label="${text}. Remove the filter"> <span>${text}</span>${icon("x")}</a>`;
  }

  /** @param {string[]} filter */
  renderFilter([name, label, kind]) {
    const reference = this.query[name];
    if (reference) {
      const named = name === "language" ? getLanguageName(reference) : (this.names[reference] ?? reference);
      return this.renderActiveFilter(name, `${label}: ${named}`);
    }
    /** @param {Term} term */
    const showTerm = (term) => {
      this.names[term.slug] = term.name;
      location.assign(this.makeLink({ [name]: term.slug }));
    };
    /** @param {string} tag */
    const toItem = (tag) => ({ label: getLanguageName(tag), icon: "globe", href: this.makeLink({ language: tag }) });
    const [popup, open] =
      name === "language"
        ? ["menu", withButton((anchor) => openMenu(anchor, this.languages.map(toItem), label))]
        : ["dialog", withButton((anchor) => this.openTermPicker(anchor, kind, label, showTerm))];
    return html`<button type="button" class="button bare filter" aria-haspopup=${popup} @click=${open}>
      <span>${label}</span>${icon("chevron-down")}</button>`;
  }

  renderBulkActions() {
    const { selection: chosen, total } = this;
    /** @param {string} text @param {(anchor: HTMLElement) => unknown} open */
    const renderOpener = (text, open) => button(text, withButton(open), { popup: "dialog" });
    const canSelectMore = chosen.length < total && total > this.items.length && total <= MAX_SELECTED;
    const more = button(`Select all ${formatNumber(total)}`, () => this.selectAllFound(), { kind: "select-all" });
    if (!chosen.every(mayChangeItem)) return canSelectMore ? more : nothing;
    const { from } = ACTIONS.archive;
    const archivable = chosen.filter(({ status }) => from.includes(status));
    const kinds = TERM_KIND_ORDER.filter((kind) => hasRole(TERM_KINDS[kind].chooser));
    return html`${mayPublish() ? renderOpener("Publish…", (anchor) => this.askForPublishTime(anchor, chosen)) : nothing}
      ${kinds.map((kind) => renderOpener(TERM_KINDS[kind].label, (anchor) => this.chooseTerm(kind, anchor, chosen)))}
      ${button("Archive", () => this.applyAction(archivable, toListAction(ACTIONS.archive)))}
      ${button("Delete", () => this.askAndDeleteArticles(chosen), { kind: "risk" })}
      ${canSelectMore ? more : nothing}`;
  }

  /** @param {Article} article */
  renderArticle(article) {
    const title = getTitle(article);
    const { status, published_at: time } = article;
    const isReadable = STATUSES[status].readable;
    const star = article.featured ? html`${icon("star", "accent")} ` : nothing;
    const featured = article.featured ? html`<span class="sr-only">Featured</span>` : nothing;
    return html`<tr class=${this.selected.has(article.uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheckbox(`Select ${title}`, [article])}</td>
      ${this.renderCover(article)}
      <th class="title" scope="row"><a href=${makeArticleAddress(article)} dir="auto">${star}${title}</a>${featured}
        ${renderLanguageHint(article, this.items)}</th>
      <td class="status">${badge(article)}</td>
      <td class="byline">${article.authors.map(({ name }) => name).join(", ")}</td>
      <td class="category">${article.category?.name}</td>
      <td class="since nowrap">${isReadable && time ? formatShortTime(time) : nothing}</td>
      <td class="num changed nowrap">${formatTimeAgo(getChangeTime(article))}</td>
      <td class="menu-cell">${menuButton(`Actions for ${title}`, () => this.listArticleActions(article))}</td></tr>`;
  }
}

defineList(Articles);
