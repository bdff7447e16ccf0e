/** The blocks that the menu "+" inserts, and the list of blocks that "/" opens at the start of an empty line. */

import { html, render } from "../../static/vendor/lit.js";
import { icon } from "../components.js";
import { moveOption } from "../listbox.js";

/** @type {[name: string, label: string, icon: string, markdown: string][]} */
const BLOCK_ITEMS = [
  ["picture", "Picture", "image", "![ ]"],
  ["gallery", "Gallery", "images", ""],
  ["player", "Video or other player", "film", ""],
  ["quote", "Quote", "quote", ">"],
  ["callOut", "Call-out", "lightbulb", "> [!NOTE]"],
  ["codeBlock", "Code block", "code", "```"],
  ["table", "Table", "table", "| |"],
  ["footnote", "Footnote", "superscript", "[^1]"],
  ["divider", "Divider", "minus", "---"],
];
const STRIKE_ITEM = ["strike", "Strikethrough", "strikethrough", "~~"];

/** Return the items of the menu "+". @param {EditorPage} page @returns {MenuItems} */
export const listInsertItems = (page) =>
  [...BLOCK_ITEMS, STRIKE_ITEM].map(([name, label, mark]) => ({ label, icon: mark, action: () => page.runTool(name) }));

/** The list that "/" opens; further typing filters the list. The focus stays in the text. */
export class InsertList {
  at = 0;
  words = "";
  element = Object.assign(document.createElement("div"), { className: "popover menu insert", popover: "manual" });

  /** @param {EditorPage} page @param {number} start the offset of "/" */
  constructor(page, start) {
    this.page = page;
    this.start = start;
    this.content = /** @type {HTMLElement} */ (page.area.field.contentDOM);
    this.content.after(this.element);
    this.follow = () => this.update();
    this.handleKey = this.handleKey.bind(this);
    this.close = this.close.bind(this);
    document.addEventListener("selectionchange", this.follow);
    document.addEventListener("keydown", this.handleKey, { capture: true });
    this.content.addEventListener("blur", this.close);
    this.element.showPopover();
    this.update();
    this.place();
  }

  /** Place the list below the "/"; on a phone, the style sheet does it. */
  place() {
    const rectangle = this.page.area.field.rectangleAt(this.start);
    if (!rectangle || innerWidth <= 768) return;
    const { offsetHeight: height, style } = this.element;
    const below = rectangle.bottom + 8;
    const top = below + height < innerHeight ? below : Math.max(8, rectangle.bottom - height - 40);
    Object.assign(style, { inset: `${top}px auto auto ${rectangle.left - 2}px`, margin: "0" });
  }

  get options() {
    return BLOCK_ITEMS.filter(([, label]) => ` ${label}`.toLowerCase().includes(` ${this.words.toLowerCase()}`));
  }

  /** Read the words after "/", and show the options that match; close the list if the cursor has left them. */
  update() {
    const { field } = this.page.area;
    const { from, to } = field.getSelection();
    const typed = field.getText().slice(this.start, to);
    const isOver = from !== to || !/^\/[\p{L} -]*$/u.test(typed);
    if (isOver) return this.close();
    if (typed.slice(1) !== this.words) Object.assign(this, { words: typed.slice(1), at: 0 });
    if (!this.options.length) return this.close();
    this.draw();
  }

  draw() {
    const { options, at } = this;
    const drawItem = (/** @type {typeof BLOCK_ITEMS[0]} */ [name, label, mark, markdown], /** @type {number} */ n) =>
      html`<div id="insert-${n}" role="option" class="menu-item" aria-selected=${n === at}
        @mousedown=${(/** @type {Event} */ event) => event.preventDefault()} @click=${() => this.choose(name)}
        >${icon(mark)}<span>${label}</span>${markdown ? html`<kbd>${markdown}</kbd>` : ""}</div>`;
    render(
      html`<div id="insert-list" role="listbox" aria-label="Insert">${options.map(drawItem)}</div>
      <p class="keys"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span> <span><kbd>Enter</kbd> insert</span>
        <span><kbd>Esc</kbd> keep the /</span></p>`,
      this.element,
    );
    const aria = {
      "aria-activedescendant": `insert-${at}`,
      "aria-controls": "insert-list",
      "aria-autocomplete": "list",
    };
    for (const [name, value] of Object.entries(aria)) this.content.setAttribute(name, value);
    this.element.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    // The browser reports the last words only after this key.
    this.update();
    if (!this.element.isConnected) return;
    const { options, at } = this;
    const next = moveOption(event, at, options.length);
    if (next !== undefined) {
      this.at = next;
      this.draw();
    } else if (event.key === "Enter" && !event.isComposing) this.choose(options[at][0]);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Put the block in the place of "/" and the words, as one step. @param {string} name */
  choose(name) {
    const { start, words } = this;
    this.close();
    this.page.runTool(name, { from: start, to: start + words.length + 1 });
  }

  close() {
    document.removeEventListener("selectionchange", this.follow);
    document.removeEventListener("keydown", this.handleKey, { capture: true });
    this.content.removeEventListener("blur", this.close);
    for (const name of ["activedescendant", "controls", "autocomplete"]) this.content.removeAttribute(`aria-${name}`);
    this.element.remove();
  }
}
