/** The base class of pages with a list: tabs, search, pages and a selection. The address contains the query. */

import { html, live, nothing } from "../../static/vendor/lit.js";
import { ACTIONS_HEAD, button, icon, iconButton, searchField, tabs, thumbnail } from "../components.js";
import { formatCount, formatNumber } from "../format.js";
import { definePage, Page } from "../shell.js";

export const PAGE_SIZE = 50;

/**
 * A subclass has loadList(query), which loads a page of the list and returns properties: {items, total, …}. It may
 * replace defaultQuery and nouns (the words for one item and for several).
 */
export class ListPage extends Page {
  /** @type {Record<string, string>} the values of the parameters that the address leaves out */
  defaultQuery = { q: "", page: "1" };
  nouns = ["item", "items"];
  /** @type {any[]} */
  items = [];
  total = 0;
  /** @type {Set<string>} */
  selected = new Set();
  selecting = false;

  /** @param {Record<string, string>} query @returns {Promise<any>} */
  async loadList(query) {
    return query;
  }

  /** The query of the list, from the address of the page. */
  get query() {
    return { ...this.defaultQuery, ...Object.fromEntries(new URLSearchParams(location.search)) };
  }

  get lastPage() {
    return Math.ceil(this.total / PAGE_SIZE);
  }

  /** The selected items. @returns {any[]} */
  get selection() {
    return this.items.filter(({ uuid }) => this.selected.has(uuid));
  }

  /**
   * Return the address of the list with changed parameters; by default, of the first page.
   * @param {Record<string, string>} changes
   */
  makeLink(changes) {
    const given = Object.entries({ ...this.query, page: "1", ...changes });
    const query = new URLSearchParams(given.filter(([name, value]) => value && value !== this.defaultQuery[name]));
    return query.size ? `${location.pathname}?${query}` : location.pathname;
  }

  /** Put the words into the address at each keystroke, and load the list after a pause. @param {string} q */
  searchList(q) {
    history.replaceState(null, "", this.makeLink({ q: q.trimStart() }));
    // Render the links of the tabs, which contain the words.
    this.requestUpdate();
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => (this.clearSelection(), this.reloadPage()), 250);
  }

  async loadData() {
    // Cancel a search that waits, because this request includes its words.
    clearTimeout(this.searchTimer);
    const { lastLoad } = this;
    const fields = await this.loadList(this.query);
    // Ignore the response to an earlier search that arrives later.
    if (lastLoad !== this.lastLoad) return;
    Object.assign(this, fields);
    if (this.items.length || !this.total) return;
    // The page of the list does not exist any more: show the last page.
    history.replaceState(null, "", this.makeLink({ page: String(this.lastPage) }));
    await this.loadData();
  }

  get hasCovers() {
    return this.items.some(({ cover_image: cover }) => cover);
  }

  /** Render the cell with the cover of an item; no cell if no item of the list has a cover. @param {Json} item */
  renderCover({ cover_image: cover }) {
    const picture = /^(?:https?:|\/media\/)/.test(cover) ? thumbnail(cover, "2.5rem") : html`<span></span>`;
    return this.hasCovers ? html`<td class="thumbnail">${picture}</td>` : nothing;
  }

  clearSelection() {
    this.setFields({ selected: new Set(), selecting: false });
  }

  /** Render a checkbox that selects the items. @param {string} label @param {{uuid: string}[]} items */
  renderCheckbox(label, items) {
    const number = items.filter(({ uuid }) => this.selected.has(uuid)).length;
    /** @param {FieldEvent} event */
    const selectItems = ({ target: { checked } }) => {
      for (const { uuid } of items) this.selected[checked ? "add" : "delete"](uuid);
      this.requestUpdate();
    };
    return html`<input type="checkbox" aria-label=${label} .checked=${live(number === items.length)}
      .indeterminate=${live(number > 0 && number < items.length)} @change=${selectItems}>`;
  }

  /**
   * Render the tabs and the search field.
   * @param {Parameters<typeof tabs>[0]} items @param {string} current @param {string} searchLabel
   */
  renderTabs(items, current, searchLabel) {
    const toggleSelection = () => (this.selecting ? this.clearSelection() : this.setFields({ selecting: true }));
    const beside = html`<div class="list-tools">${this.renderSearchField(searchLabel)}
      ${iconButton("list-checks", "Select", toggleSelection, { pressed: this.selecting })}</div>`;
    return tabs(items, current, { label: "Status", beside });
  }

  /** @param {string} label */
  renderSearchField(label) {
    return searchField({ label, value: this.query.q, onInput: (text) => this.searchList(text) });
  }

  /** Render the sentence that replaces a list without items. @param {Renderable} [more] */
  renderNothingFound(more = nothing) {
    const { q } = this.query;
    const [noun, plural] = this.nouns;
    const words = q ? `No ${noun} contains “${q}”.` : `No ${plural}`;
    return html`<p class="section soft" role="status">${words} ${more}</p>`;
  }

  /**
   * Render the table and the line below it. columns: [class, head, ordering after the first click on the head, ordering
   * after the second click]; bulk: the buttons for the selection; rows: the table's rows; order: see renderListFoot().
   * @param {string} kind @param {any[][]} columns @param {Renderable} bulk @param {Renderable} rows
   * @param {string} [order]
   */
  renderList(kind, columns, bulk, rows, order) {
    if (!this.items.length) return this.renderNothingFound();
    const isSelecting = this.selecting || this.selected.size > 0;
    return html`<div class="list-frame">${this.selected.size ? this.#renderSelectionBar(bulk) : nothing}
      <table class="table bleed list ${kind} ${isSelecting ? "selecting" : ""}">
        <thead><tr><th class="check-cell" scope="col">
          ${this.renderCheckbox("Select all on this page", this.items)}</th>
          ${columns.map((column) => this.#renderColumnHead(column))}
          ${ACTIONS_HEAD}
        </tr></thead>
        <tbody>${rows}</tbody>
      </table></div>
      ${this.renderListFoot(order)}`;
  }

  /** @param {Renderable} buttons */
  #renderSelectionBar(buttons) {
    return html`<div class="bulk" role="group" aria-label="Selection"><strong>${this.selection.length} selected</strong>
      ${buttons}${button("Clear", () => this.clearSelection(), { kind: "bare", label: "Clear selection" })}</div>`;
  }

  /** @param {any[]} column */
  #renderColumnHead([kind, text, ...orders]) {
    const { ordering = "" } = this.query;
    const direction = ordering.startsWith("-") ? "descending" : "ascending";
    const href = this.makeLink({ ordering: orders.find((order) => order !== ordering) });
    return html`<th class=${kind} scope="col" aria-sort=${orders.includes(ordering) ? direction : nothing}>
      ${orders.length ? html`<a href=${href}>${text} ${icon("arrow-down")}</a>` : text}</th>`;
  }

  /** Render the line below the list: the numbers of the shown items, `order` (words), and links to other pages. */
  renderListFoot(order = "") {
    const { lastPage, total } = this;
    const page = Number(this.query.page);
    const first = (page - 1) * PAGE_SIZE + 1;
    const range = `${formatNumber(first)} to ${formatNumber(first + this.items.length - 1)} of `;
    /** @param {number} number @param {string} text */
    const renderPageLink = (number, text) => {
      if (number < 1 || number > lastPage) return nothing;
      return html`<a class="button bare" href=${this.makeLink({ page: String(number) })}>${text}</a>`;
    };
    /** @param {FieldEvent} event */
    const openPage = ({ target }) =>
      location.assign(this.makeLink({ page: String(Math.min(lastPage, Math.max(1, Number(target.value) || 1))) }));
    const pager = html`<nav class="pager" aria-label="Pages of the list">${renderPageLink(page - 1, "Previous")}
      <label>Page <input type="number" min="1" max=${lastPage} .value=${live(String(page))} @change=${openPage}></label>
      of ${formatNumber(lastPage)} ${renderPageLink(page + 1, "Next")}</nav>`;
    const all = formatCount(total, this.nouns[0], this.nouns[1]);
    return html`<div class="list-end"><p>${lastPage > 1 ? range : ""}${all}${order}</p>
      ${lastPage > 1 ? pager : nothing}</div>`;
  }
}

/**
 * Define the page. A link to another address of the list loads only its rows; browsers without the Navigation API load
 * the whole page.
 * @param {typeof ListPage} PageClass
 */
export function defineList(PageClass) {
  const page = definePage(PageClass);
  window.navigation?.addEventListener("navigate", (event) => {
    const isList = new URL(event.destination.url).pathname === location.pathname && !event.hashChange;
    if (!isList || !event.canIntercept || !["push", "traverse"].includes(event.navigationType)) return;
    event.intercept({ focusReset: "manual", handler: () => (page.clearSelection(), page.reloadPage()) });
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !document.querySelector("dialog[open], .popover")) page.clearSelection();
  });
  return page;
}
