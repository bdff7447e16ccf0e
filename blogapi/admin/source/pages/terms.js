/** Categories, tags and authors: a list with search and merging, and a dialog; `data-page` is the kind. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { button, choiceCards, onButton, problemAlert } from "../components.js";
import { confirmRisk, menuButton, openPopover, dialogButtons, toast } from "../dialogs.js";
import "../editor/picker.js";
import { formatCount, formatChanged, formatNumber } from "../format.js";
import { openForm } from "../forms.js";
import { refs, session } from "../shell.js";
import { ListPage, PAGE_SIZE, defineList } from "./list-page.js";
import { getUuid, newButton } from "./lists.js";
import { describeNumbers, TERM_KINDS, sumNumbers } from "./term-words.js";

const plural = /** @type {keyof typeof TERM_KINDS} */ (document.body.dataset.page);
const { noun, isSingle, isTakenFromArticles, filterOfAll } = TERM_KINDS[plural];
const PATH = `blog/${plural}/`;
const { form } = refs;
const FIELDS = [...new FormData(form).keys()].join();
const LIST_FIELDS = `*,${FIELDS},last_updated,articles_by_status`;

/** @type {Record<string, string>} */
const TABS = { all: "All", hidden: "Not public", never: "Unused", similar: "Nearly alike" };
/** @type {Record<string, Record<string, string>>} */
const FILTERS = { hidden: { used: "hidden" }, never: { used: "never" }, similar: { similar: "true" } };
/** @type {Renderable[][]} */
const COLUMNS = [
  ["title", "Name"],
  ["slug", "Address"],
  ["num", "Articles"],
  ["uses", html`<span class="sr-only">In which status</span>`],
  ["num changed", "Changed"],
];

/**
 * The popover that merges terms. kept: the uuid of the term that stays; both: the number of articles that have both
 * of two terms (null: unknown); found: the terms that a search has found.
 *
 * @typedef {{terms: Term[], kept: string, both: number | null, found?: Term[]}} Merge
 */

class Terms extends ListPage {
  usual = { q: "", page: "1", show: "all" };
  words = [noun, plural];
  /** @type {Record<string, number>} */
  counts = {};
  main = newButton(noun, () => this.editTerm());

  /** All terms by uuid, if terms have parents, to show the names of the parents. @type {Map<string, Term>} */
  all = new Map();

  /** @param {Record<string, string>} query */
  async readFilterName({ q, page, show }) {
    // With words, the API lists names that begin with the words first; otherwise, the terms with the most articles.
    const ordering = q ? "" : "-articles";
    const query = { q, page, page_size: PAGE_SIZE, ordering, ...FILTERS[show] };
    /** @param {string} name @returns {Promise<[string, number]>} */
    const countTerms = async (name) => {
      const { total } = await get(PATH, { query: { ...FILTERS[name], page: 1, page_size: 1, fields: "uuid" } });
      return [name, total];
    };
    const listing = get(PATH, { query: { ...query, fields: LIST_FIELDS } });
    const counting = Promise.all(Object.keys(TABS).map(countTerms));
    const [{ data: items, total }, counts] = await Promise.all([listing, counting]);
    /** @type {Term[]} */
    const all = form.elements.parent ? (await get(PATH, { query: { fields: "uuid,name,parent" } })).data : [];
    return { items, total, counts: Object.fromEntries(counts), all: new Map(all.map((term) => [term.uuid, term])) };
  }

  renderPage() {
    const { q, show } = this.query;
    if (!this.counts.all) return refs.empty;
    /** @param {string} key */
    const toTab = (key) => ({ key, text: TABS[key], count: this.counts[key] ?? null, href: this.link({ show: key }) });
    const rows = repeat(this.items, getUuid, (term) => this.renderTerm(term));
    const order = show === "similar" ? ", alike ones together" : q ? ", by name" : ", most used first";
    return html`${this.renderTabs(Object.keys(TABS).map(toTab), show, `Search ${plural}`)}
      ${this.renderList("terms", COLUMNS, this.renderBulk(), rows, order)}`;
  }

  renderBulk() {
    const { chosen } = this;
    const openPopover = onButton((anchor) => this.openMerge(anchor, chosen));
    return html`${button("Merge…", openPopover, { popup: "dialog" })}
      ${button("Delete", () => this.deleteTerms(chosen), { kind: "risk" })}`;
  }

  /** @param {Term} term */
  renderTerm(term) {
    const { uuid, name, slug, articles_by_status: numbers } = term;
    const total = sumNumbers(numbers);
    const above = this.all.get(term.parent);
    const menu = menuButton(`Actions for ${name}`, [
      { label: "Show articles", icon: "file-text", href: `/admin/articles/?${noun}=${slug}` },
      { label: "Edit", icon: "pencil", action: () => this.editTerm(term) },
      { label: `Delete ${noun}`, icon: "trash-2", risk: true, action: () => this.deleteTerms([term]) },
    ]);
    const articles = total ? html`<a href="/admin/articles/?${noun}=${slug}">${formatNumber(total)}</a>` : total;
    return html`<tr class=${this.selected.has(uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheck(`Select ${name}`, [term])}</td>
      <th class="title" scope="row">
        <button class="link-button" type="button" @click=${() => this.editTerm(term)} dir="auto">${name}</button>
        ${above ? html`<span class="soft" dir="auto">in ${above.name}</span>` : nothing}</th>
      <td class="slug mono">${slug}</td><td class="num ink">${articles}</td>
      <td class="uses">${describeNumbers(numbers)}</td>
      <td class="num changed nowrap">${formatChanged(term.last_updated)}</td>
      <td class="menu-cell">${menu}</td></tr>`;
  }

  /**
   * Open the dialog of a term, or of a new one. The server refuses to overwrite changes made meanwhile.
   * @param {Term} [term]
   */
  async editTerm(term) {
    const stored = term && (await this.act("open", () => get(`${PATH}${term.uuid}/`, { query: { fields: FIELDS } })));
    if (term && !stored) return;
    const { data = {}, etag } = stored ?? {};
    this.listParents(term);
    const { language } = form.elements;
    language.closest(".field").hidden = !session().site.languages.length && !data.language;
    if ("parent" in data) data.parent ??= "";
    /** @param {Json} values */
    const saveTerm = (values) => {
      // Fields that stay empty are left out. Without an address, the server derives it or keeps it.
      // If an address is given, another term may have the same name.
      /** @param {[string, any]} entry */
      const isGiven = ([name, value]) => (name === "slug" ? value && value !== data.slug : value || data[name]);
      const body = Object.fromEntries(Object.entries(values).filter(isGiven));
      if (body.parent === "") body.parent = null;
      return term ? patch(`${PATH}${term.uuid}/`, body, { etag }) : post(PATH, body);
    };
    await openForm(this, form, { title: `${term ? "Edit" : "New"} ${noun}`, values: data, save: saveTerm });
  }

  /** Offer all terms as parents, except the term itself and the terms below it. @param {Term} [term] */
  listParents(term) {
    const { parent } = form.elements;
    if (!parent) return;
    /** @type {(item?: Term) => Term[]} the term after those above it */
    const chain = (item) => (item ? [...chain(this.all.get(item.parent)), item] : []);
    const options = [...this.all.values()].map(chain).filter((items) => !items.some(({ uuid }) => uuid === term?.uuid));
    const named = options.map((items) => [items.map(({ name }) => name).join(" › "), items[items.length - 1].uuid]);
    named.sort(([a], [b]) => a.localeCompare(b));
    parent.replaceChildren(parent.options[0], ...named.map(([name, uuid]) => new Option(name, uuid)));
  }

  /**
   * Delete terms. The server refuses those that articles need. If the articles would only lose the terms, a deletion
   * cannot be undone, so the page asks first.
   * @param {Term[]} terms
   */
  async deleteTerms(terms) {
    const hasOne = terms.length === 1;
    const subject = hasOne ? `“${terms[0].name}”` : formatCount(terms.length, noun, plural);
    const used = terms.reduce((sum, term) => sum + countArticles(term), 0);
    const isFinal = isTakenFromArticles && used > 0;
    if (isFinal) {
      const title = hasOne ? `Delete the ${noun} ${subject}?` : `Delete ${subject}?`;
      const lost = hasOne ? "it" : "them";
      const text = `${formatCount(used, "article")}, drafts included, will lose ${lost}. The articles stay.`;
      if (!(await confirmRisk({ title, text, action: `Delete ${hasOne ? noun : plural}` }))) return;
    }
    const query = { uuid: terms.map(getUuid) };
    const { all } = this;
    const isDeleted = await this.actAndReload("delete", () => del(PATH, { query }));
    if (!isDeleted) return;
    this.clear();
    // Undo creates parents before the terms below them, and moves terms back that the deletion had moved up.
    /** @type {(term?: Term) => number} */
    const getDepth = (term) => (term ? getDepth(all.get(term.parent)) + 1 : 0);
    const ordered = [...terms].sort((a, b) => getDepth(a) - getDepth(b));
    const bodies = ordered.map(({ articles_by_status, last_updated, created, ...term }) => term);
    const deleted = new Set(query.uuid);
    const below = [...all.values()].filter(({ uuid, parent }) => deleted.has(parent) && !deleted.has(uuid));
    const moved = below.map(({ uuid, parent }) => ({ uuid, parent }));
    const undoDeletion = () =>
      this.actAndReload("undo", async () => {
        await put(PATH, bodies);
        if (moved.length) await patch(PATH, moved, { etag: "*" });
      });
    toast(`${subject} deleted.`, { undo: !isFinal && undoDeletion });
  }

  /** Ask which of the terms stays, and merge the others into it. @param {HTMLElement} anchor @param {Term[]} terms */
  async openMerge(anchor, terms) {
    /** @type {Merge} */
    const state = { terms, kept: terms.toSorted((a, b) => countArticles(b) - countArticles(a))[0].uuid, both: null };
    this.set({ problem: "" });
    const renderMergePopover = (/** @type {Close} */ close) => this.renderMerge(state, close);
    const float = openPopover(anchor, renderMergePopover, { label: `Merge ${plural}`, kind: "merge" });
    if (!float) return;
    await this.findBoth(state);
    float.update();
  }

  /** Count the articles that have both of two terms, if the API can. @param {Merge} state */
  async findBoth(state) {
    if (!filterOfAll || state.terms.length !== 2) return;
    const query = { [filterOfAll]: state.terms.map(getUuid), status: "any", page: 1, page_size: 1, fields: "uuid" };
    state.both = (await get("blog/articles/", { query })).total;
  }

  /** @param {Merge} state @param {Close} close */
  renderMerge(state, close) {
    const { terms, both } = state;
    if (terms.length < 2) return this.renderSearch(state);
    const kept = /** @type {Term} */ (terms.find(({ uuid }) => uuid === state.kept));
    const others = terms.filter((term) => term !== kept);
    /** @type {(term: Term, n: number) => [string, string, string]} */
    const makeChoice = (term, n) => {
      const shared = both && n ? `, ${formatNumber(both)} of them ${both === 1 ? "has" : "have"} both` : "";
      return [term.uuid, term.name, `${formatCount(countArticles(term), "article")}${shared}`];
    };
    /** @param {string} uuid */
    const chooseKept = (uuid) => {
      state.kept = uuid;
      this.requestUpdate();
    };
    const mergeTerms = async () => {
      const sendMerge = () => post(`${PATH}${kept.uuid}/merge/`, { uuids: others.map(getUuid) }, { timeout: 120 });
      if (!(await this.actAndReload("merge", sendMerge))) return;
      close();
      this.clear();
      toast(`Merged into “${kept.name}”.`);
    };
    const options = { name: "stays", items: terms.map(makeChoice), value: kept.uuid, onChange: chooseKept };
    const main = { busyText: "Merging…", busy: this.busy === "merge" };
    return html`<h2>Merge ${formatCount(terms.length, noun, plural)}</h2>${problemAlert(this.problem)}
      <div class="merge-choice">${choiceCards({ label: "Which one stays?", ...options })}</div>
      <p>${this.describeMerge(kept, others, both)}</p>
      <p class="soft">This cannot be undone.</p>${dialogButtons(close, `Merge into “${kept.name}”`, mergeTerms, main)}`;
  }

  /** @param {Term} kept @param {Term[]} others @param {number | null} both */
  describeMerge(kept, others, both) {
    const pattern = session().site[`${noun}_path`];
    const renderAddress = (/** @type {Term} */ { slug }) => html`<code>${pattern.replace("{slug}", slug)}</code>`;
    const names = others.map(({ name }) => `“${name}”`).join(", ");
    const hasOne = others.length === 1;
    const sum = [kept, ...others].reduce((total, term) => total + countArticles(term), 0);
    const isKnown = isSingle || both !== null;
    const articles = isKnown ? formatCount(sum - (both ?? 0), "article") : `The articles of ${names}`;
    const addresses =
      hasOne && pattern.includes("{slug}")
        ? html`its address ${renderAddress(others[0])} leads to ${renderAddress(kept)}.`
        : `${hasOne ? "its address leads" : "their addresses lead"} to “${kept.name}”.`;
    const moves = session().site.article_path.includes(`{${noun}}`);
    const moved = moves ? ` The addresses of its articles change too: the ${noun} is a part of them.` : "";
    return html`${articles} will have “${kept.name}”. ${names} ${hasOne ? "goes" : "go"}, and ${addresses}${moved}`;
  }

  /** Ask for the term with which a single one is merged. @param {Merge} state */
  renderSearch(state) {
    const [term] = state.terms;
    /** @param {string} q */
    const findTerms = async (q) => {
      /** @type {{data: Term[]}} */
      const { data } = await get(PATH, { query: { q, page: 1, page_size: 20, fields: LIST_FIELDS } });
      state.found = data.filter(({ uuid }) => uuid !== term.uuid);
      return state.found;
    };
    /** @param {CustomEvent<string[]>} event */
    const useTerm = async ({ detail: [uuid] }) => {
      state.terms = [term, ...(state.found ?? []).filter((other) => other.uuid === uuid)];
      await this.findBoth(state);
      this.requestUpdate();
    };
    return html`<h2>Merge “${term.name}”</h2>
      <term-picker class="field" .find=${findTerms} .single=${true} .label=${"With"} @choose=${useTerm}></term-picker>`;
  }
}

const countArticles = (/** @type {Term} */ { articles_by_status: numbers }) => sumNumbers(numbers);

// The buttons beside the addresses of pictures in the dialog. The code for pictures is loaded only when it is needed.
document.addEventListener("click", async (/** @type {any} */ { target }) => {
  const button = target.closest(".choose-picture");
  if (!button) return;
  const { choosePicture } = await import("../editor/pictures.js");
  const picture = await choosePicture({ title: button.ariaLabel, action: "Use picture" });
  if (picture) button.previousElementSibling.value = picture.url;
});

defineList(Terms);
