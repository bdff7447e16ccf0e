/** The base of pages with a list that has an address: tabs, live search, pages, and a selection. */

import { html, live, nothing } from "../vendor/lit.js";
import { button, icon, iconButton, searchField, tabs } from "../components.js";
import { count, formatNumber } from "../format.js";
import { definePage, Page } from "../shell.js";

export const PAGE_SIZE = 50;

/**
 * A subclass has read(query), which returns the fields of a page of the list: {items, total, …}, and the
 * constants below.
 */
export class ListPage extends Page {
  /** @type {Record<string, string>} the values of the parameters that the address leaves out */
  usual = { q: "", page: "1" };
  words = ["item", "items"];
  /** @type {any[]} */
  items = [];
  total = 0;
  /** @type {Set<string>} */
  selected = new Set();
  selecting = false;

  /** @param {Record<string, string>} query @returns {Promise<any>} */
  async read(query) {
    return query;
  }

  /** The query of the list, from the address of the page. */
  get query() {
    return { ...this.usual, ...Object.fromEntries(new URLSearchParams(location.search)) };
  }

  get pages() {
    return Math.ceil(this.total / PAGE_SIZE);
  }

  get chosen() {
    return this.items.filter(({ uuid }) => this.selected.has(uuid));
  }

  /**
   * The address of the list with other parameters, by default of its first page.
   * @param {Record<string, string>} changes
   */
  link(changes) {
    const given = Object.entries({ ...this.query, page: "1", ...changes });
    const query = new URLSearchParams(given.filter(([name, value]) => value && value !== this.usual[name]));
    return query.size ? `${location.pathname}?${query}` : location.pathname;
  }

  // The address follows each key: rendering the page shows its words in the field.
  search(q) {
    history.replaceState(null, "", this.link({ q: q.trimStart() }));
    // The links to the tabs have the words too.
    this.requestUpdate();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => (this.clear(), this.reload()), 250);
  }

  async load() {
    // A link can be followed while a search waits.
    clearTimeout(this.typing);
    const turn = {};
    this.turn = turn;
    const fields = await this.read(this.query);
    // The response to an earlier search can arrive later.
    if (turn !== this.turn) return;
    Object.assign(this, fields);
    if (this.items.length || !this.total) return;
    // The last item of the last page is gone.
    history.replaceState(null, "", this.link({ page: String(this.pages) }));
    await this.load();
  }

  clear() {
    this.set({ selected: new Set(), selecting: false });
  }

  /** A checkbox that selects the items. */
  renderCheck(label, items) {
    const number = items.filter(({ uuid }) => this.selected.has(uuid)).length;
    const select = ({ target: { checked } }) => {
      for (const { uuid } of items) this.selected[checked ? "add" : "delete"](uuid);
      this.requestUpdate();
    };
    return html`<input type="checkbox" aria-label=${label} .checked=${live(number === items.length)}
      .indeterminate=${live(number > 0 && number < items.length)} @change=${select}>`;
  }

  /** The tabs and the search field; items: those of tabs(). */
  renderTabs(items, current, searchLabel) {
    const toggle = () => (this.selecting ? this.clear() : this.set({ selecting: true }));
    const onInput = (text) => this.search(text);
    const beside = html`<div class="list-tools">
      ${searchField({ label: searchLabel, value: this.query.q, onInput })}
      ${iconButton("list-checks", "Select", toggle, { pressed: this.selecting })}</div>`;
    return tabs(items, current, { label: "Status", beside });
  }

  /**
   * The table. columns: [class, head, and the orderings of the first and the second click on the head];
   * bulk: the buttons that act on the selection; rows: table rows.
   */
  renderTable(kind, columns, bulk, rows) {
    const isSelecting = this.selecting || this.selected.size > 0;
    return html`<table class="table bleed list ${kind} ${isSelecting ? "selecting" : ""}">
        <colgroup><col class="check-cell">${columns.map(([name]) => html`<col class=${name}>`)}</colgroup>
        <thead><tr><th class="check-cell" scope="col">
          ${this.renderCheck("Select all on this page", this.items)}</th>
          ${this.selected.size ? this.#renderBulk(columns, bulk) : columns.map((one) => this.#renderHead(one))}
        </tr></thead>
        <tbody>${rows}</tbody>
      </table>`;
  }

  #renderBulk(columns, buttons) {
    return html`<td class="bulk-cell" colspan=${columns.length}>
      <div class="bulk" role="group" aria-label="Selection"><strong>${this.chosen.length} selected</strong>
      ${buttons}${button("Clear", () => this.clear(), { kind: "bare", label: "Clear selection" })}</div></td>`;
  }

  /** @param {any[]} column */
  #renderHead([kind, text, ...orders]) {
    const { ordering = "" } = this.query;
    const direction = ordering.startsWith("-") ? "descending" : "ascending";
    const href = this.link({ ordering: orders.find((order) => order !== ordering) });
    return html`<th class=${kind} scope="col" aria-sort=${orders.includes(ordering) ? direction : nothing}>
      ${orders.length ? html`<a href=${href}>${text} ${icon("arrow-down")}</a>` : text}</th>`;
  }

  /** What the page shows of the list, and the way to its other pages. note: the order. */
  renderFoot(note = "") {
    const { pages, total } = this;
    const page = Number(this.query.page);
    const first = (page - 1) * PAGE_SIZE + 1;
    const range = `${formatNumber(first)} to ${formatNumber(first + this.items.length - 1)} of `;
    const turn = (to, text) =>
      to < 1 || to > pages ? nothing : html`<a class="button bare" href=${this.link({ page: String(to) })}>${text}</a>`;
    const jump = ({ target }) =>
      location.assign(this.link({ page: String(Math.min(pages, Math.max(1, Number(target.value) || 1))) }));
    const pager = html`<nav class="pager" aria-label="Pages of the list">${turn(page - 1, "Previous")}
      <label>Page <input type="number" min="1" max=${pages} .value=${live(String(page))} @change=${jump}></label>
      of ${formatNumber(pages)} ${turn(page + 1, "Next")}</nav>`;
    const all = count(total, this.words[0], this.words[1]);
    return html`<div class="list-end"><p>${pages > 1 ? range : ""}${all}${note}</p>
      ${pages > 1 ? pager : nothing}</div>`;
  }
}

/**
 * Define the page. A link to another address of the list loads only its rows; browsers without the Navigation
 * API load the whole page.
 */
export function defineList(PageClass) {
  const page = definePage(PageClass);
  window.navigation?.addEventListener("navigate", (event) => {
    const isList = new URL(event.destination.url).pathname === location.pathname && !event.hashChange;
    if (!isList || !event.canIntercept || !["push", "traverse"].includes(event.navigationType)) return;
    event.intercept({ focusReset: "manual", handler: () => (page.clear(), page.reload()) });
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !document.querySelector("dialog[open], .popover")) page.clear();
  });
  return page;
}
