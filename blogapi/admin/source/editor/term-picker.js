/** The element <term-picker>: a field in which an author finds, chooses and creates terms. */

import { html, LitElement, nothing } from "../../static/vendor/lit.js";
import { icon, withValue } from "../components.js";
import { formatCount } from "../format.js";
import { getNextIndex } from "../listbox.js";
import { sumCounts } from "../pages/term-kinds.js";
import { listOptions } from "./term-options.js";

/** @typedef {import("./term-options.js").TermOption} TermOption */

const PROPERTIES = ["label", "kind", "items", "chosen", "single", "create", "find", "words", "open", "at"];

/**
 * items: the terms that can be chosen; find(words): returns a promise of the items, if they are not all known; chosen:
 * the uuids of the chosen items; create(name): returns a promise of a new item; kind: the noun for an item. The element
 * fires the event `choose` with the chosen uuids as its `detail`.
 */
class TermPicker extends LitElement {
  static properties = Object.fromEntries(PROPERTIES.map((name) => [name, {}]));

  constructor() {
    super();
    /** @type {Term[]} */
    this.items = [];
    /** @type {string[]} */
    this.chosen = [];
    /** @type {string | null} */
    this.words = null;
    Object.assign(this, { open: false, at: 0 });
  }

  get fieldId() {
    return `picker-${this.label.replaceAll(" ", "-")}`;
  }
  createRenderRoot() {
    return this;
  }

  /** @returns {TermOption[]} */
  get options() {
    return this.#listOptions().options;
  }

  // Return the options, and the index of the option that Enter chooses at first.
  #listOptions() {
    const free = this.items.filter(({ uuid }) => this.single || !this.chosen.includes(uuid));
    const rules = { free, all: this.items, canCreate: Boolean(this.create), isSingle: Boolean(this.single) };
    return listOptions(this.words ?? "", rules);
  }

  render() {
    const { fieldId: key, open, options } = this;
    const chosen = this.chosen.flatMap((uuid) => this.items.find((item) => item.uuid === uuid) ?? []);
    const selectText = (/** @type {FieldEvent} */ { target }) => this.single && target.select();
    return html`<label for=${key}>${this.label}</label>
      <div class="picker-box">
        ${this.single ? nothing : chosen.map((item) => this.#renderChip(item))}
        <input id=${key} role="combobox" autocomplete="off" aria-autocomplete="list" dir="auto"
          .value=${this.words ?? (this.single ? chosen[0]?.name : "") ?? ""}
          aria-expanded=${open} aria-controls="${key}-list"
          aria-activedescendant=${open && options.length ? `${key}-${this.at}` : nothing}
          @input=${withValue((text) => this.#findItems(text))} @click=${() => this.#findItems(this.words)}
          @focus=${selectText} @keydown=${this.#handleKey} @blur=${this.#closeList}>
        ${this.single ? icon("chevron-down") : nothing}
      </div>
      <ul class="picker-list" role="listbox" id="${key}-list" aria-label=${this.label}
        ?hidden=${!open || !options.length} @mousedown=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${options.map((item, n) => this.#renderOption(item, n))}
      </ul>`;
  }

  /** @param {Term} item */
  #renderChip(item) {
    return html`<span class="chip">${item.name} <button type="button" aria-label="Remove ${item.name}"
      @click=${() => this.#removeItem(item)}>${icon("x")}</button></span>`;
  }

  /** Remove a chosen item, and move the focus, which is on the removed button. @param {Term} item */
  #removeItem(item) {
    this.#toggleTerm(item);
    this.querySelector("input")?.focus();
  }

  /** @param {TermOption} option @param {number} n */
  #renderOption(option, n) {
    return html`<li role="option" id="${this.fieldId}-${n}" aria-selected=${n === this.at}
      @click=${() => this.#chooseOption(option)}>${this.#renderName(option)}</li>`;
  }

  /** @param {TermOption} option */
  #renderName({ name, isNew, terms, articles_by_status: numbers }) {
    if (isNew) return html`${icon("plus")} Create the ${this.kind} “${name}”`;
    if (terms) return html`${icon("plus")} Add ${terms.map((term) => `“${term.name}”`).join(", ")}`;
    return html`${name} <span class="note">${numbers ? formatCount(sumCounts(numbers), "article") : ""}</span>`;
  }

  /** @param {Map<string, unknown>} changes */
  updated(changes) {
    if (changes.has("at")) this.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string | null} words */
  async #findItems(words) {
    this.words = words ?? "";
    Object.assign(this, { open: true, at: this.#listOptions().at });
    if (!this.find) return;
    const typed = this.words;
    await new Promise((resolve) => setTimeout(resolve, 150));
    const items = this.words === typed ? await this.find(typed) : [];
    // Ignore the result if other words were typed in the meantime.
    if (this.words !== typed) return;
    Object.assign(this, { items });
    Object.assign(this, { at: this.#listOptions().at });
  }
  #closeList() {
    Object.assign(this, { words: null, open: false });
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const { options } = this;
    const at = Number(this.at);
    const next = getNextIndex(event, at, options.length);
    if (event.isComposing) return;
    if (/^Arrow(?:Up|Down)$/.test(event.key) && !this.open) this.#findItems(this.words);
    else if (next !== undefined) this.at = next;
    else if (event.key === "Enter" && this.open && options[at]) this.#chooseOption(options[at]);
    else if (event.key === "Escape" && this.open) this.#closeList();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {TermOption} option */
  async #chooseOption(option) {
    this.#closeList();
    /** @type {Term[]} */
    const added = [];
    // Create the terms one after the other: names that differ only in case or accents are one term.
    for (const term of option.terms ?? [option]) {
      const existing = term.isNew ? await this.create(term.name) : term;
      if (existing) added.push(existing);
    }
    if (option.terms) this.#fireChoose([...new Set([...this.chosen, ...added.map(({ uuid }) => uuid)])]);
    else if (added.length) this.#toggleTerm(added[0]);
  }

  /** @param {Term} term */
  #toggleTerm({ uuid }) {
    const others = this.chosen.filter((other) => other !== uuid);
    this.#fireChoose(this.single ? [uuid] : others.length < this.chosen.length ? others : [...others, uuid]);
  }

  /** @param {string[]} detail */
  #fireChoose(detail) {
    this.dispatchEvent(new CustomEvent("choose", { detail }));
  }
}

customElements.define("term-picker", TermPicker);
