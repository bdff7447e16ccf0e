/** The list of articles: tabs, filters, live search, order, and actions on one or several articles, with undo. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { ACTIONS, listActions, runAction } from "../actions.js";
import { ApiError, del, get, patch, post } from "../api.js";
import { badge, button, icon, onButton, problemAlert } from "../components.js";
import { confirmRisk, menuButton, openMenu, openPopover, dialogButtons, toast } from "../dialogs.js";
import "../editor/picker.js";
import { TimeForm } from "../editor/publish-time.js";
import { formatCount, formatChanged, formatNumber, formatShort } from "../format.js";
import { renderLanguageHint, getLanguageName } from "../languages.js";
import { hasRole, getListPath, mayChange, mayPublish } from "../roles.js";
import { lastSession, refs, session } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { defineList, ListPage, PAGE_SIZE } from "./list-page.js";
import { renderBinLink, makeBinTab, countBinItems, makeStatusTabs } from "./list-tabs.js";
import { makeAddress, restoreItems, hasBin, getUuid, getLastChange, FIELDS, PATH, getTitle } from "./lists.js";
import { TERM_KINDS } from "./term-words.js";

/**
 * done: what was done, for the toast.
 *
 * @typedef {{done: string, work: (articles: Article[]) => Promise<unknown>,
 *   undo?: (articles: Article[]) => Promise<unknown>}} ListAction
 */

const LIST_FIELDS = `${FIELDS},cover_image,authors,featured,language`;
// The number of articles in one write, and the number of actions that run at once.
const [MAX_WRITE, MAX_AT_ONCE] = [100, 20];
// The largest number of found articles that can be selected at once.
const MAX_SELECTED = 500;
/** The filters: the name of the parameter and of one term, and the path of the terms. */
const FILTERS = [
  ["author", "Author", "authors"],
  ["category", "Category", "categories"],
  ["tag", "Tag", "tags"],
  ["language", "Language", "languages"],
];
/**
 * The class of a column, its head, and the orderings that the first and the second click on the head select.
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
const isOffered = ([name]) => name !== "author" || hasRole("editor");

/** Return the articles in parts of `size`. @param {Article[]} articles */
const splitArticles = (articles, size = MAX_WRITE) =>
  Array.from({ length: Math.ceil(articles.length / size) }, (_, n) => articles.slice(n * size, (n + 1) * size));

/**
 * Return a function that changes fields of articles, of all or of none; fields(article) returns them.
 * @param {(article: Article) => Json} fields @returns {ListAction["work"]}
 */
const makeChange = (fields) => async (articles) => {
  for (const part of splitArticles(articles)) {
    const items = part.map((article) => ({ ...fields(article), uuid: article.uuid }));
    await patch(PATH, items, { query: { fields: "uuid" }, etag: "*" });
  }
};
/** The fields that actions change, and that undoing an action restores. @type {(keyof Article)[]} */
const RESTORED = ["status", "published_at", "category", "tags", "authors"];
const restoreFields = makeChange((article) => Object.fromEntries(RESTORED.map((name) => [name, article[name]])));

const UNDONE = "as before";

/**
 * Call work() for each article; a refused article does not stop the others. done: the word for the result.
 * @param {Article[]} articles @param {string} done @param {(article: Article) => Promise<unknown>} work
 */
async function forEachArticle(articles, done, work) {
  /** @type {string[]} */
  const problems = [];
  /** @type {(article: Article, error: Error) => void} */
  const noteProblem = (article, { message }) =>
    problems.push(`“${getTitle(article)}” is not ${done.split(":")[0]}: ${message}`);
  for (const part of splitArticles(articles, MAX_AT_ONCE)) {
    await Promise.all(part.map((article) => work(article).catch((error) => noteProblem(article, error))));
  }
  if (problems.length) throw new ApiError(0, { detail: problems.join(" ") });
}

/**
 * Return the list action that runs for each article the action that choose(article) returns. at: see runAction().
 * @param {string} done @param {(article: Article) => import("../actions.js").Action | undefined} choose
 * @param {Date | null} [at] @returns {ListAction}
 */
const makeAction = (done, choose, at) => {
  const results = new Map();
  const sendArticle = async (/** @type {Article} */ article) =>
    results.set(article, await runAction(`${PATH}${article.uuid}/`, /** @type {any} */ (choose(article)), { at }));
  const undoForArticle = async (/** @type {Article} */ article) => results.get(article).undo?.();
  return {
    done,
    work: (articles) => forEachArticle(articles, done, sendArticle),
    undo: (articles) => forEachArticle(articles, UNDONE, undoForArticle),
  };
};
/** @param {import("../actions.js").Action} action */
const toListAction = (action) => makeAction(action.done, () => action);

/** @type {ListAction["work"]} */
const deleteArticles = async (articles) => {
  for (const part of splitArticles(articles)) await del(PATH, { query: { uuid: part.map(getUuid) }, etag: "*" });
};
const DELETE = {
  ...{ label: "Delete", icon: "trash-2", risk: true, done: "deleted" },
  work: deleteArticles,
  undo: (/** @type {Article[]} */ articles) => restoreItems(PATH, articles),
};

/** The kinds of terms in the order of their buttons. @type {(keyof typeof TERM_KINDS)[]} */
const KINDS = ["tags", "categories", "authors"];

/** Return the action that gives articles a term. @param {keyof typeof TERM_KINDS} kind @param {Term} term */
const makeAssignment = (kind, { uuid, name }) => {
  const { noun, field, isSingle } = TERM_KINDS[kind];
  /** @param {Term[]} terms */
  const addTerm = (terms) => [...terms.filter((term) => term.uuid !== uuid), { uuid }];
  const work = makeChange((article) => ({ [field]: isSingle ? { uuid } : addTerm(article[field]) }));
  return { done: isSingle ? `moved to ${name}` : `with the ${noun} ${name}`, work, undo: restoreFields };
};

/**
 * Return the action with which an article goes live, if there is one.
 * @param {Article} article @param {boolean} isLater
 */
const findGoLive = (article, isLater) => {
  const { publish, schedule, reschedule, update } = ACTIONS;
  if (isLater) return [schedule, reschedule].find(({ from }) => from.includes(article.status));
  return listActions(article).find((action) => action === publish || action === update);
};

class Articles extends ListPage {
  usual = { status: "any", q: "", ordering: "-last_updated", page: "1", author: "", category: "", tag: "" };
  words = ["article", "articles"];
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

  get chosen() {
    return [...super.chosen, ...this.others];
  }

  /** @param {Record<string, string>} query */
  async readFilterName(query) {
    const listing = get(getListPath(), { query: { ...query, page_size: PAGE_SIZE, fields: LIST_FIELDS } });
    const counting = get("blog/article-counts/");
    const [{ data: items, total }, { data: counts }, binCount] = await Promise.all([
      listing,
      counting,
      countBinItems("articles"),
      this.readNames(),
    ]);
    return { items, total, counts, binCount };
  }

  async readNames() {
    const unknown = this.filters.filter(([name]) => name !== "language" && !(this.query[name] in this.names));
    /** @param {string[]} filter */
    const readListPage = async ([name, , kind]) => {
      const reference = this.query[name];
      const found = get(`blog/${kind}/${encodeURIComponent(reference)}/`, { query: { fields: "name" } });
      // If the term does not exist, the list is empty, and the filter shows the reference.
      this.names[reference] = await found.then(({ data }) => data.name).catch(() => reference);
    };
    await Promise.all(unknown.map(readListPage));
  }

  clear() {
    this.others = [];
    super.clear();
  }

  /** Select all found articles, those on other pages too. */
  async selectAll() {
    const { page, ...query } = this.query;
    /** @param {number} number */
    const readPage = (number) =>
      get(getListPath(), { query: { ...query, page: number, page_size: 100, fields: LIST_FIELDS } });
    const numbers = Array.from({ length: Math.ceil(this.total / 100) }, (_, n) => n + 1);
    const answers = await this.act("select", () => Promise.all(numbers.map(readPage)));
    if (!answers) return;
    /** @type {Article[]} */
    const found = answers.flatMap(({ data }) => data);
    const shown = new Set(this.items.map(getUuid));
    this.set({ others: found.filter(({ uuid }) => !shown.has(uuid)), selected: new Set(found.map(getUuid)) });
  }

  /**
   * Run an action on the articles, show its result, and offer to undo it.
   * @param {Article[]} articles @param {ListAction} action @returns {Promise<boolean>}
   */
  async apply(articles, { done, work, undo }) {
    const outcome = await this.act("apply", async () => ({ notes: await work(articles) }));
    await this.reload();
    if (!outcome) return false;
    this.clear();
    const subject = articles.length === 1 ? `“${getTitle(articles[0])}”` : formatCount(articles.length, "article");
    const applyUndo = () => this.apply(articles, { done: UNDONE, work: /** @type {ListAction["work"]} */ (undo) });
    toast(`${subject} ${outcome.notes ? `restored. ${outcome.notes}` : done}`, { undo: undo && applyUndo });
    return true;
  }

  /**
   * Open a field below a button to find a term. use(term): what is done with it; create: the noun of a term that can be
   * created.
   * @param {HTMLElement} anchor @param {string} kind @param {string} label @param {(term: Term) => unknown} use
   * @param {string} [create]
   */
  async pickTerm(anchor, kind, label, use, create = "") {
    /** @type {Term[]} */
    let found = [];
    const fields = "uuid,name,slug,articles_by_status";
    /** @param {string} q */
    const findTerms = async (q) => {
      // Only users who see all drafts can sort by the number of articles.
      const ordering = q || lastSession().role === "author" ? "" : "-articles";
      found = (await get(`blog/${kind}/`, { query: { q, ordering, page: 1, page_size: 20, fields } })).data;
      return found;
    };
    /** @param {string} name */
    const createTerm = async (name) => {
      const answer = await this.act("create", () => post(`blog/${kind}/`, { name }));
      found = [...found, ...(answer ? [answer.data] : [])];
      return answer?.data;
    };
    const items = (await this.act("read", () => findTerms(""))) ?? [];
    const renderTermPicker = (/** @type {Close} */ close) => {
      /** @param {CustomEvent<string[]>} event */
      const chooseTerm = ({ detail: [uuid] }) => {
        close();
        for (const term of found) if (term.uuid === uuid) use(term);
      };
      return html`<term-picker class="field" .items=${items} .find=${findTerms} .single=${true} .label=${label}
        .open=${true} .kind=${create} .create=${create ? createTerm : null} @choose=${chooseTerm}></term-picker>`;
    };
    const float = openPopover(anchor, renderTermPicker, { label, kind: "filter" });
    const picker = /** @type {any} */ (float?.element.firstElementChild);
    await picker?.updateComplete;
    picker?.querySelector("input").focus();
  }

  /**
   * Open a field for the category, the tag or the author that the articles get.
   * @param {keyof typeof TERM_KINDS} kind @param {HTMLElement} anchor @param {Article[]} articles
   */
  chooseTerm(kind, anchor, articles) {
    const { label, noun, creator } = TERM_KINDS[kind];
    const assignTerm = (/** @type {Term} */ term) => this.apply(articles, makeAssignment(kind, term));
    return this.pickTerm(anchor, kind, label, assignTerm, creator && hasRole(creator) ? noun : "");
  }

  /**
   * Delete articles with undo; many of them, or articles that cannot be restored, only after a question.
   * @param {Article[]} articles
   */
  async askAndDelete(articles) {
    if (hasBin && articles.length <= PAGE_SIZE) return this.apply(articles, DELETE);
    const title = `Delete ${formatCount(articles.length, "article")}?`;
    const many = hasBin ? " for so many at once" : "";
    const text = `There is no undo${many}. Their versions stay in the database and in its backups.`;
    const isSure = await confirmRisk({ title, text, action: `Delete ${formatCount(articles.length, "article")}` });
    return isSure && this.apply(articles, { ...DELETE, undo: undefined });
  }

  /** Ask when the articles are published. @param {HTMLElement} anchor @param {Article[]} articles */
  askWhen(anchor, articles) {
    const time = new TimeForm(() => float?.update());
    const chooseAction = (/** @type {Article} */ article) => findGoLive(article, time.isAhead);
    /** @param {Close} close */
    const sendArticles = async (close) => {
      const { done } = time.isAhead ? ACTIONS.schedule : ACTIONS.publish;
      if (await this.apply(articles.filter(chooseAction), makeAction(done, chooseAction, time.instant))) close();
    };
    const renderPopover = (/** @type {Close} */ close) => {
      const live = articles.filter(chooseAction);
      const left = articles.length - live.length;
      const reason = "public without edits, or archived: an archived article becomes a draft first";
      const stay = left === 1 ? "One stays as it is" : `${left} stay as they are`;
      const number = articles.length === 1 ? "" : `${live.length} of ${articles.length} go live. `;
      const main = { busy: this.busy === "apply", busyText: "Saving…" };
      const goLive = () => (live.length ? sendArticles(close) : this.set({ problem: "None of them can go live." }));
      return html`<h2>Publish ${formatCount(articles.length, "article")}</h2>${time.render()}
        <p class="soft">${number}${left ? `${stay}: ${reason}.` : ""}</p>
        ${problemAlert(this.problem)} ${dialogButtons(close, time.isAhead ? "Schedule" : "Publish", goLive, main)}`;
    };
    this.set({ problem: "" });
    const float = openPopover(anchor, renderPopover, { label: "Publish", kind: "filter" });
  }

  /** The code of the editor is loaded only when it is needed. @param {Article} article */
  duplicate({ uuid }) {
    return this.act("duplicate", async () => (await import("../editor/duplicate.js")).duplicateItem(uuid));
  }

  /** @param {Article} article @returns {MenuItems} */
  menuOf(article) {
    const { status, url } = article;
    /** @param {import("../actions.js").Action} action */
    const makeMenuItem = (action) => {
      const { name, label = name, icon } = action;
      return { label, icon, action: () => this.apply([article], toListAction(action)) };
    };
    const isLinked = (status === "published" || status === "unlisted") && url;
    return [
      { label: "Preview", icon: "eye", href: makeAddress(article, "preview/") },
      { label: "History", icon: "history", href: makeAddress(article, "history/") },
      isLinked && { label: "Open the page", icon: "external-link", href: url },
      { label: "Duplicate", icon: "copy", action: () => this.duplicate(article) },
      ...listActions(article).map(makeMenuItem),
      mayChange(article) && { ...DELETE, action: () => this.askAndDelete([article]) },
    ];
  }

  get isEmpty() {
    return !location.search && this.counts.any === 0;
  }

  renderMain() {
    return this.isEmpty ? nothing : refs.newButton;
  }

  renderPage() {
    if (this.isEmpty) return html`${refs.empty}${renderBinLink("articles", this.binCount)}`;
    const { status } = this.query;
    const own = makeStatusTabs(this.counts, (key) => this.link({ status: key }));
    const tabs = [...own, ...makeBinTab("articles", this.binCount)];
    const columns = COLUMNS.slice(this.hasCovers ? 0 : 1);
    const rows = repeat(this.items, getUuid, (article) => this.renderArticle(article));
    return html`${this.renderTabs(tabs, status, "Search title and text")}
      ${this.renderFilters()} ${this.renderList("articles", columns, this.renderBulk(), rows)}`;
  }

  renderNothingFound() {
    const { status, q } = this.query;
    const link = html`<a href=${this.link({ status: "any" })}>Search all statuses</a>`;
    return super.renderNothingFound(q && status !== "any" ? link : nothing);
  }

  /** The buttons for the filters, and how many articles they leave. */
  renderFilters() {
    const all = this.counts[this.query.status] ?? 0;
    const isFiltered = this.filters.length > 0 || this.query.featured || this.query.q;
    const cleared = this.link({ author: "", category: "", tag: "", language: "", featured: "", q: "" });
    const found = html`<p><span role="status">${formatNumber(this.total)} of ${formatCount(all, "article")}</span>
      <a href=${cleared}>Clear filter</a></p>`;
    const { language, languages } = session().site;
    /** @param {string[]} filter */
    const isUsed = ([name]) => name !== "language" || this.languages.length > 1 || this.query.language;
    // The languages of the site and of the articles that were shown.
    const named = [...languages, ...this.items].map((item) => item.language).filter(Boolean);
    this.languages = [...new Set([language, ...this.languages, ...named])];
    const filters = FILTERS.filter((filter) => isOffered(filter) && isUsed(filter));
    const buttons = filters.map((filter) => this.renderFilter(filter));
    return html`<div class="filters"><div role="group" aria-label="Filters">${buttons}
        ${this.renderFeaturedFilter()}</div>
      ${isFiltered ? found : nothing}</div>`;
  }

  renderFeaturedFilter() {
    if (this.query.featured) return this.renderSetFilter("featured", "Featured");
    return html`<a class="button bare filter" href=${this.link({ featured: "true" })}>
      <span>Featured</span>${icon("star")}</a>`;
  }

  /** The button of a filter that is set, which removes it. @param {string} name @param {string} text */
  renderSetFilter(name, text) {
    return html`<a class="button filter set" href=${this.link({ [name]: "" })} aria-label="${text}. Remove the filter">
      <span>${text}</span>${icon("x")}</a>`;
  }

  /** @param {string[]} filter */
  renderFilter([name, label, kind]) {
    const reference = this.query[name];
    if (reference) {
      const named = name === "language" ? getLanguageName(reference) : (this.names[reference] ?? reference);
      return this.renderSetFilter(name, `${label}: ${named}`);
    }
    /** @param {Term} term */
    const showTerm = (term) => {
      this.names[term.slug] = term.name;
      location.assign(this.link({ [name]: term.slug }));
    };
    /** @param {string} tag */
    const toItem = (tag) => ({ label: getLanguageName(tag), icon: "globe", href: this.link({ language: tag }) });
    const [popup, open] =
      name === "language"
        ? ["menu", onButton((anchor) => openMenu(anchor, this.languages.map(toItem), label))]
        : ["dialog", onButton((anchor) => this.pickTerm(anchor, kind, label, showTerm))];
    return html`<button type="button" class="button bare filter" aria-haspopup=${popup} @click=${open}>
      <span>${label}</span>${icon("chevron-down")}</button>`;
  }

  renderBulk() {
    const { chosen, total } = this;
    /** @param {string} text @param {(anchor: HTMLElement) => unknown} open */
    const renderOpener = (text, open) => button(text, onButton(open), { popup: "dialog" });
    const canSelectMore = chosen.length < total && total > this.items.length && total <= MAX_SELECTED;
    const more = button(`Select all ${formatNumber(total)}`, () => this.selectAll(), { kind: "select-all" });
    if (!chosen.every(mayChange)) return canSelectMore ? more : nothing;
    const { from } = ACTIONS.archive;
    const archivable = chosen.filter(({ status }) => from.includes(status));
    const kinds = KINDS.filter((kind) => hasRole(TERM_KINDS[kind].chooser));
    return html`${mayPublish() ? renderOpener("Publish…", (anchor) => this.askWhen(anchor, chosen)) : nothing}
      ${kinds.map((kind) => renderOpener(TERM_KINDS[kind].label, (anchor) => this.chooseTerm(kind, anchor, chosen)))}
      ${button("Archive", () => this.apply(archivable, toListAction(ACTIONS.archive)))}
      ${button("Delete", () => this.askAndDelete(chosen), { kind: "risk" })}
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
      <td class="check-cell">${this.renderCheck(`Select ${title}`, [article])}</td>
      ${this.renderCover(article)}
      <th class="title" scope="row"><a href=${makeAddress(article)} dir="auto">${star}${title}</a>${featured}
        ${renderLanguageHint(article, this.items)}</th>
      <td class="status">${badge(article)}</td>
      <td class="byline">${article.authors.map(({ name }) => name).join(", ")}</td>
      <td class="category">${article.category?.name}</td>
      <td class="since nowrap">${isReadable && time ? formatShort(time) : nothing}</td>
      <td class="num changed nowrap">${formatChanged(getLastChange(article))}</td>
      <td class="menu-cell">${menuButton(`Actions for ${title}`, () => this.menuOf(article))}</td></tr>`;
  }
}

defineList(Articles);
