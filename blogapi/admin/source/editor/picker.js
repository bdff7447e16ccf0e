/** A field for one or several terms (category, tags, authors): type to find, Enter to choose or create. */

import { html, LitElement, nothing } from "../../static/vendor/lit.js";
import { icon, onValue } from "../components.js";
import { formatCount } from "../format.js";
import { moveOption } from "../listbox.js";
import { sumNumbers } from "../pages/term-words.js";
import { listOptions } from "./term-options.js";

/** @typedef {import("./term-options.js").Option} Option */

const PROPERTIES = ["label", "kind", "items", "chosen", "single", "create", "find", "words", "open", "at"];

/**
 * items: [{uuid, name}], with or without articles_by_status, or find(words) returns a promise of them; chosen:
 * [uuid]; create(name): returns a new item; kind: what an item is. Fires `choose` with the chosen uuids as its
 * `detail`.
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

  get key() {
    return `picker-${this.label.replaceAll(" ", "-")}`;
  }
  createRenderRoot() {
    return this;
  }

  /** @returns {Option[]} */
  get options() {
    return this.#list().options;
  }

  // Return the options, and the index of the one that Enter takes at first.
  #list() {
    const free = this.items.filter(({ uuid }) => this.single || !this.chosen.includes(uuid));
    const rules = { free, all: this.items, canCreate: Boolean(this.create), isSingle: Boolean(this.single) };
    return listOptions(this.words ?? "", rules);
  }

  render() {
    const { key, open, options } = this;
    const chosen = this.chosen.flatMap((uuid) => this.items.find((item) => item.uuid === uuid) ?? []);
    const selectText = (/** @type {FieldEvent} */ { target }) => this.single && target.select();
    return html`<label for=${key}>${this.label}</label>
      <div class="picker-box">
        ${this.single ? nothing : chosen.map((item) => this.#renderChip(item))}
        <input id=${key} role="combobox" autocomplete="off" aria-autocomplete="list" dir="auto"
          .value=${this.words ?? (this.single ? chosen[0]?.name : "") ?? ""}
          aria-expanded=${open} aria-controls="${key}-list"
          aria-activedescendant=${open && options.length ? `${key}-${this.at}` : nothing}
          @input=${onValue((text) => this.#find(text))} @click=${() => this.#find(this.words)} @focus=${selectText}
          @keydown=${this.#handleKey} @blur=${this.#close}>
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
      @click=${() => this.#remove(item)}>${icon("x")}</button></span>`;
  }

  /** Move the focus, because its button is removed with the chip. @param {Term} item */
  #remove(item) {
    this.#toggle(item);
    this.querySelector("input")?.focus();
  }

  /** @param {Option} option @param {number} n */
  #renderOption(option, n) {
    return html`<li role="option" id="${this.key}-${n}" aria-selected=${n === this.at}
      @click=${() => this.#choose(option)}>${this.#renderName(option)}</li>`;
  }

  /** @param {Option} option */
  #renderName({ name, isNew, terms, articles_by_status: numbers }) {
    if (isNew) return html`${icon("plus")} Create the ${this.kind} “${name}”`;
    if (terms) return html`${icon("plus")} Add ${terms.map((term) => `“${term.name}”`).join(", ")}`;
    return html`${name} <span class="note">${numbers ? formatCount(sumNumbers(numbers), "article") : ""}</span>`;
  }

  /** @param {Map<string, unknown>} changes */
  updated(changes) {
    if (changes.has("at")) this.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string | null} words */
  async #find(words) {
    this.words = words ?? "";
    Object.assign(this, { open: true, at: this.#list().at });
    if (!this.find) return;
    const typed = this.words;
    await new Promise((resolve) => setTimeout(resolve, 150));
    const items = this.words === typed ? await this.find(typed) : [];
    // Other words may have been typed meanwhile.
    if (this.words !== typed) return;
    Object.assign(this, { items });
    Object.assign(this, { at: this.#list().at });
  }
  #close() {
    Object.assign(this, { words: null, open: false });
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const { options } = this;
    const at = Number(this.at);
    const next = moveOption(event, at, options.length);
    if (event.isComposing) return;
    if (/^Arrow(?:Up|Down)$/.test(event.key) && !this.open) this.#find(this.words);
    else if (next !== undefined) this.at = next;
    else if (event.key === "Enter" && this.open && options[at]) this.#choose(options[at]);
    else if (event.key === "Escape" && this.open) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Option} option */
  async #choose(option) {
    this.#close();
    /** @type {Term[]} */
    const added = [];
    // One after the other, because the second name can differ from the first only in case or accents.
    for (const term of option.terms ?? [option]) {
      const existing = term.isNew ? await this.create(term.name) : term;
      if (existing) added.push(existing);
    }
    if (option.terms) this.#fire([...new Set([...this.chosen, ...added.map(({ uuid }) => uuid)])]);
    else if (added.length) this.#toggle(added[0]);
  }

  /** @param {Term} term */
  #toggle({ uuid }) {
    const others = this.chosen.filter((other) => other !== uuid);
    this.#fire(this.single ? [uuid] : others.length < this.chosen.length ? others : [...others, uuid]);
  }

  /** @param {string[]} detail */
  #fire(detail) {
    this.dispatchEvent(new CustomEvent("choose", { detail }));
  }
}

customElements.define("term-picker", TermPicker);
