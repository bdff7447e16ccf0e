/** A field for one or several terms (category, tags, authors): type to find, Enter to choose or create. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { icon } from "../components.js";
import { count } from "../format.js";
import { totalOf } from "../pages/term-words.js";
import { listOptions } from "./term-options.js";

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
    Object.assign(this, { items: [], chosen: [], words: null, open: false, at: 0 });
  }

  get key() {
    return `picker-${this.label.replaceAll(" ", "-")}`;
  }
  createRenderRoot() {
    return this;
  }

  get options() {
    return this.#list().options;
  }

  // The options, and the one that Enter takes at first.
  #list() {
    const free = this.items.filter((item) => this.single || !this.chosen.includes(item.uuid));
    const rules = { free, all: this.items, canCreate: Boolean(this.create), isSingle: Boolean(this.single) };
    return listOptions(this.words ?? "", rules);
  }

  render() {
    const { key, open, options } = this;
    const chosen = this.chosen.map((uuid) => this.items.find((item) => item.uuid === uuid)).filter(Boolean);
    return html`<label for=${key}>${this.label}</label>
      <div class="picker-box">
        ${this.single ? nothing : chosen.map((item) => this.#renderChip(item))}
        <input id=${key} role="combobox" autocomplete="off" aria-autocomplete="list" dir="auto"
          .value=${this.words ?? (this.single ? chosen[0]?.name : "") ?? ""}
          aria-expanded=${open} aria-controls="${key}-list"
          aria-activedescendant=${open && options.length ? `${key}-${this.at}` : nothing}
          @input=${(event) => this.#find(event.target.value)} @click=${() => this.#find(this.words)}
          @focus=${(event) => this.single && event.target.select()}
          @keydown=${this.#press} @blur=${this.#close}>
        ${this.single ? icon("chevron-down") : nothing}
      </div>
      <ul class="picker-list" role="listbox" id="${key}-list" aria-label=${this.label}
        ?hidden=${!open || !options.length} @mousedown=${(event) => event.preventDefault()}>
        ${options.map((item, n) => this.#renderOption(item, n))}
      </ul>`;
  }

  #renderChip(item) {
    return html`<span class="chip">${item.name} <button type="button" aria-label="Remove ${item.name}"
      @click=${() => this.#remove(item)}>${icon("x")}</button></span>`;
  }

  // The button with the focus goes with the chip.
  #remove(item) {
    this.#choose(item);
    this.querySelector("input")?.focus();
  }

  #renderOption(item, n) {
    return html`<li role="option" id="${this.key}-${n}" aria-selected=${n === this.at}
      @click=${() => this.#take(item)}>${this.#renderName(item)}</li>`;
  }

  #renderName({ name, isNew, terms, articles_by_status: numbers }) {
    if (isNew) return html`${icon("plus")} Create the ${this.kind} “${name}”`;
    if (terms) return html`${icon("plus")} Add ${terms.map((term) => `“${term.name}”`).join(", ")}`;
    return html`${name} <span class="note">${numbers ? count(totalOf(numbers), "article") : ""}</span>`;
  }

  updated(changes) {
    if (changes.has("at")) this.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  async #find(words) {
    this.words = words ?? "";
    Object.assign(this, { open: true, at: this.#list().at });
    if (!this.find) return;
    const typed = this.words;
    await new Promise((resolve) => setTimeout(resolve, 150));
    const items = this.words === typed ? await this.find(typed) : [];
    // Other words can have been typed meanwhile.
    if (this.words !== typed) return;
    Object.assign(this, { items });
    Object.assign(this, { at: this.#list().at });
  }
  #close() {
    Object.assign(this, { words: null, open: false });
  }

  #press(event) {
    const { options } = this;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (step && !this.open) this.#find(this.words);
    else if (step) this.at = (this.at + step + options.length) % (options.length || 1);
    else if (event.key === "Enter" && this.open && options[this.at]) this.#take(options[this.at]);
    else if (event.key === "Escape" && this.open) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async #take(item) {
    this.#close();
    const taken = [];
    // One after the other: the second can be equal to the first but for its form.
    for (const one of item.terms ?? [item]) taken.push(one.isNew ? await this.create(one.name) : one);
    const added = taken.filter(Boolean);
    if (item.terms) this.#fire([...new Set([...this.chosen, ...added.map(({ uuid }) => uuid)])]);
    else if (added.length) this.#choose(added[0]);
  }

  #choose({ uuid }) {
    const others = this.chosen.filter((other) => other !== uuid);
    this.#fire(this.single ? [uuid] : others.length < this.chosen.length ? others : [...others, uuid]);
  }

  #fire(detail) {
    this.dispatchEvent(new CustomEvent("choose", { detail }));
  }
}

customElements.define("term-picker", TermPicker);
