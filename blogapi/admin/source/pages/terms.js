/** The list of categories, tags or authors, with the dialogs that edit and merge them. `data-page` is the kind. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { button, choiceCards, withButton, problemAlert } from "../components.js";
import { confirmRisk, menuButton, openPopover, dialogButtons, toast } from "../dialogs.js";
import "../editor/term-picker.js";
import { formatCount, formatTimeAgo, formatNumber } from "../format.js";
import { openForm } from "../forms.js";
import { refs, getSession } from "../shell.js";
import { ListPage, PAGE_SIZE, defineList } from "./list-page.js";
import { getUuid, newItemButton } from "./items.js";
import { describeCounts, TERM_KINDS, sumCounts } from "./term-kinds.js";

const plural = /** @type {keyof typeof TERM_KINDS} */ (document.body.dataset.page);
const { noun, isSingle, isTakenFromArticles, filterOfAll } = TERM_KINDS[plural];
const PATH = `blog/${plural}/`;
const { form } = refs;
const FORM_FIELDS = [...new FormData(form).keys()].join();
const LIST_FIELDS = `*,${FORM_FIELDS},last_updated,articles_by_status`;

/** @type {Record<string, string>} */
const TABS = { all: "All", hidden: "Not public", never: "Unused", similar: "Nearly alike" };
/** @type {Record<string, Record<string, string>>} */
const TAB_FILTERS = { hidden: { used: "hidden" }, never: { used: "never" }, similar: { similar: "true" } };
/** @type {Renderable[][]} */
const COLUMNS = [
  ["title", "Name"],
  ["slug", "Address"],
  ["num", "Articles"],
  ["uses", html`<span class="sr-only">In which status</span>`],
  ["num changed", "Changed"],
];

/**
 * The state of the popover that merges terms. kept: the uuid of the term that stays; sharedCount: the number of
 * articles that have both of two terms (null: unknown); found: the terms that a search has found.
 *
 * @typedef {{terms: Term[], kept: string, sharedCount: number | null, found?: Term[]}} MergeState
 */

class Terms extends ListPage {
  defaultQuery = { q: "", page: "1", show: "all" };
  nouns = [noun, plural];
  /** @type {Record<string, number>} */
  counts = {};
  main = newItemButton(noun, () => this.editTerm());

  /**
   * All terms by uuid, for the names of parents; empty if terms of this kind have no parents.
   * @type {Map<string, Term>}
   */
  all = new Map();

  /** @param {Record<string, string>} query */
  async loadList({ q, page, show }) {
    // For a search, the API lists names that begin with the words first; without words, list the most used terms first.
    const ordering = q ? "" : "-articles";
    const query = { q, page, page_size: PAGE_SIZE, ordering, ...TAB_FILTERS[show] };
    /** @param {string} name @returns {Promise<[string, number]>} */
    const countTerms = async (name) => {
      const { total } = await get(PATH, { query: { ...TAB_FILTERS[name], page: 1, page_size: 1, fields: "uuid" } });
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
    /** @param {[string, string]} tab its key and its text */
    const toTab = ([key, text]) => ({ key, text, count: this.counts[key] ?? null, href: this.makeLink({ show: key }) });
    const rows = repeat(this.items, getUuid, (term) => this.renderTerm(term));
    const order = show === "similar" ? ", similar names together" : q ? ", by name" : ", most used first";
    return html`${this.renderTabs(Object.entries(TABS).map(toTab), show, `Search ${plural}`)}
      ${this.renderList("terms", COLUMNS, this.renderBulkActions(), rows, order)}`;
  }

  renderBulkActions() {
    const { selection: chosen } = this;
    const openPopover = withButton((anchor) => this.openMergePopover(anchor, chosen));
    return html`${button("Merge…", openPopover, { popup: "dialog" })}
      ${button("Delete", () => this.deleteTerms(chosen), { kind: "risk" })}`;
  }

  /** @param {Term} term */
  renderTerm(term) {
    const { uuid, name, slug, articles_by_status: numbers } = term;
    const total = sumCounts(numbers);
    const above = this.all.get(term.parent);
    const menu = menuButton(`Actions for ${name}`, [
      { label: "Show articles", icon: "file-text", href: `/admin/articles/?${noun}=${slug}` },
      { label: "Edit", icon: "pencil", action: () => this.editTerm(term) },
      { label: `Delete ${noun}`, icon: "trash-2", risk: true, action: () => this.deleteTerms([term]) },
    ]);
    const articles = total ? html`<a href="/admin/articles/?${noun}=${slug}">${formatNumber(total)}</a>` : total;
    return html`<tr class=${this.selected.has(uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheckbox(`Select ${name}`, [term])}</td>
      <th class="title" scope="row">
        <button class="link-button" type="button" @click=${() => this.editTerm(term)} dir="auto">${name}</button>
        ${above ? html`<span class="soft" dir="auto">in ${above.name}</span>` : nothing}</th>
      <td class="slug mono">${slug}</td><td class="num ink">${articles}</td>
      <td class="uses">${describeCounts(numbers)}</td>
      <td class="num changed nowrap">${formatTimeAgo(term.last_updated)}</td>
      <td class="menu-cell">${menu}</td></tr>`;
  }

  /**
   * Open the dialog for a term or for a new one. The server refuses to overwrite changes that were made in the
   * meantime.
   * @param {Term} [term]
   */
  async editTerm(term) {
    const stored =
      term && (await this.runTask("open", () => get(`${PATH}${term.uuid}/`, { query: { fields: FORM_FIELDS } })));
    if (term && !stored) return;
    const { data = {}, etag } = stored ?? {};
    this.offerParents(term);
    const { language } = form.elements;
    language.closest(".field").hidden = !getSession().site.languages.length && !data.language;
    if ("parent" in data) data.parent ??= "";
    /** @param {Json} values */
    const saveTerm = (values) => {
      // Leave out fields that stay empty. Leave out an unchanged address: a request with an address may use the name of
      // another term; without one, the server derives the address or keeps it.
      /** @param {[string, any]} entry */
      const isGiven = ([name, value]) => (name === "slug" ? value && value !== data.slug : value || data[name]);
      const body = Object.fromEntries(Object.entries(values).filter(isGiven));
      if (body.parent === "") body.parent = null;
      return term ? patch(`${PATH}${term.uuid}/`, body, { etag }) : post(PATH, body);
    };
    await openForm(this, form, { title: `${term ? "Edit" : "New"} ${noun}`, values: data, save: saveTerm });
  }

  /** Offer all terms as parents, except the term itself and the terms below it. @param {Term} [term] */
  offerParents(term) {
    const { parent } = form.elements;
    if (!parent) return;
    /** @type {(item?: Term) => Term[]} returns the ancestors of a term, and the term as the last item */
    const toPath = (item) => (item ? [...toPath(this.all.get(item.parent)), item] : []);
    const options = [...this.all.values()].map(toPath).filter((path) => !path.some(({ uuid }) => uuid === term?.uuid));
    const named = options.map((items) => [items.map(({ name }) => name).join(" › "), items[items.length - 1].uuid]);
    named.sort(([a], [b]) => a.localeCompare(b));
    parent.replaceChildren(parent.options[0], ...named.map(([name, uuid]) => new Option(name, uuid)));
  }

  /**
   * Delete terms. The server refuses to delete terms that articles need. If articles lose the terms, the deletion
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
    const isDeleted = await this.runAndReload("delete", () => del(PATH, { query }));
    if (!isDeleted) return;
    this.clearSelection();
    // Undo creates parents before their children, and moves back children whose parent was deleted.
    /** @type {(term?: Term) => number} */
    const getDepth = (term) => (term ? getDepth(all.get(term.parent)) + 1 : 0);
    const ordered = [...terms].sort((a, b) => getDepth(a) - getDepth(b));
    const bodies = ordered.map(({ articles_by_status, last_updated, created, ...term }) => term);
    const deleted = new Set(query.uuid);
    const below = [...all.values()].filter(({ uuid, parent }) => deleted.has(parent) && !deleted.has(uuid));
    const moved = below.map(({ uuid, parent }) => ({ uuid, parent }));
    const undoDeletion = () =>
      this.runAndReload("undo", async () => {
        await put(PATH, bodies);
        if (moved.length) await patch(PATH, moved, { etag: "*" });
      });
    toast(`${subject} deleted.`, { undo: !isFinal && undoDeletion });
  }

  /**
   * Open the popover that asks which of the terms stays, and merges the others into it.
   * @param {HTMLElement} anchor @param {Term[]} terms
   */
  async openMergePopover(anchor, terms) {
    const [kept] = terms.toSorted((a, b) => countArticles(b) - countArticles(a));
    /** @type {MergeState} */
    const state = { terms, kept: kept.uuid, sharedCount: null };
    this.setFields({ problem: "" });
    const renderMergePopover = (/** @type {Close} */ close) => this.renderMerge(state, close);
    const overlay = openPopover(anchor, renderMergePopover, { label: `Merge ${plural}`, kind: "merge" });
    if (!overlay) return;
    await this.countSharedArticles(state);
    overlay.update();
  }

  /** Count the articles that have both of two terms, if the API has the filter for it. @param {MergeState} state */
  async countSharedArticles(state) {
    if (!filterOfAll || state.terms.length !== 2) return;
    const query = { [filterOfAll]: state.terms.map(getUuid), status: "any", page: 1, page_size: 1, fields: "uuid" };
    state.sharedCount = (await get("blog/articles/", { query })).total;
  }

  /** @param {MergeState} state @param {Close} close */
  renderMerge(state, close) {
    const { terms, sharedCount } = state;
    if (terms.length < 2) return this.renderTermSearch(state);
    const kept = /** @type {Term} */ (terms.find(({ uuid }) => uuid === state.kept));
    const others = terms.filter((term) => term !== kept);
    /** @type {(term: Term, n: number) => [string, string, string]} */
    const makeChoice = (term, n) => {
      const shared =
        sharedCount && n ? `, ${formatNumber(sharedCount)} of them ${sharedCount === 1 ? "has" : "have"} both` : "";
      return [term.uuid, term.name, `${formatCount(countArticles(term), "article")}${shared}`];
    };
    /** @param {string} uuid */
    const chooseKept = (uuid) => {
      state.kept = uuid;
      this.requestUpdate();
    };
    const mergeTerms = async () => {
      const sendMerge = () => post(`${PATH}${kept.uuid}/merge/`, { uuids: others.map(getUuid) }, { timeout: 120 });
      if (!(await this.runAndReload("merge", sendMerge))) return;
      close();
      this.clearSelection();
      toast(`Merged into “${kept.name}”.`);
    };
    const options = { name: "stays", items: terms.map(makeChoice), value: kept.uuid, onChange: chooseKept };
    const main = { busyText: "Merging…", busy: this.busy === "merge" };
    return html`<h2>Merge ${formatCount(terms.length, noun, plural)}</h2>${problemAlert(this.problem)}
      <div class="merge-choice">${choiceCards({ label: "Which one stays?", ...options })}</div>
      <p>${this.describeMerge(kept, others, sharedCount)}</p>
      <p class="soft">This cannot be undone.</p>${dialogButtons(close, `Merge into “${kept.name}”`, mergeTerms, main)}`;
  }

  /** @param {Term} kept @param {Term[]} others @param {number | null} sharedCount */
  describeMerge(kept, others, sharedCount) {
    const pattern = getSession().site[`${noun}_path`];
    const renderAddress = (/** @type {Term} */ { slug }) => html`<code>${pattern.replace("{slug}", slug)}</code>`;
    const names = others.map(({ name }) => `“${name}”`).join(", ");
    const hasOne = others.length === 1;
    const sum = [kept, ...others].reduce((total, term) => total + countArticles(term), 0);
    const isKnown = isSingle || sharedCount !== null;
    const articles = isKnown ? formatCount(sum - (sharedCount ?? 0), "article") : `The articles of ${names}`;
    const addresses =
      hasOne && pattern.includes("{slug}")
        ? html`its address ${renderAddress(others[0])} leads to ${renderAddress(kept)}.`
        : `${hasOne ? "its address leads" : "their addresses lead"} to “${kept.name}”.`;
    const moves = getSession().site.article_path.includes(`{${noun}}`);
    const moved = moves ? ` The addresses of its articles change too: the ${noun} is a part of them.` : "";
    return html`${articles} will have “${kept.name}”. ${names} ${hasOne ? "is" : "are"} deleted; ${addresses}${moved}`;
  }

  /** Render the field for the second term, if only one term was selected. @param {MergeState} state */
  renderTermSearch(state) {
    const [term] = state.terms;
    /** @param {string} q */
    const findTerms = async (q) => {
      /** @type {{data: Term[]}} */
      const { data } = await get(PATH, { query: { q, page: 1, page_size: 20, fields: LIST_FIELDS } });
      state.found = data.filter(({ uuid }) => uuid !== term.uuid);
      return state.found;
    };
    /** @param {CustomEvent<string[]>} event */
    const addTerm = async ({ detail: [uuid] }) => {
      state.terms = [term, ...(state.found ?? []).filter((other) => other.uuid === uuid)];
      await this.countSharedArticles(state);
      this.requestUpdate();
    };
    return html`<h2>Merge “${term.name}”</h2>
      <term-picker class="field" .find=${findTerms} .single=${true} .label=${"With"} @choose=${addTerm}></term-picker>`;
  }
}

const countArticles = (/** @type {Term} */ { articles_by_status: numbers }) => sumCounts(numbers);

// Handle the buttons that choose a picture in the dialog. The code for pictures is loaded at the first click.
document.addEventListener("click", async (/** @type {any} */ { target }) => {
  const button = target.closest(".choose-picture");
  if (!button) return;
  const { choosePicture } = await import("../editor/pictures.js");
  const picture = await choosePicture({ title: button.ariaLabel, action: "Use picture" });
  if (picture) button.previousElementSibling.value = picture.url;
});

defineList(Terms);
