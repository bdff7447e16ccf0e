/** The blocks that the menu "+" offers, and the list that offers them when the author types "/" on an empty line. */

import { html, render } from "../../static/vendor/lit.js";
import { icon } from "../components.js";
import { getNextIndex } from "../listbox.js";

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

/** The list of blocks after "/"; the words typed after "/" filter the list. The focus stays in the text. */
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
    this.handleSelectionChange = () => this.updateOptions();
    this.handleKey = this.handleKey.bind(this);
    this.closeList = this.closeList.bind(this);
    document.addEventListener("selectionchange", this.handleSelectionChange);
    document.addEventListener("keydown", this.handleKey, { capture: true });
    this.content.addEventListener("blur", this.closeList);
    this.element.showPopover();
    this.updateOptions();
    this.placeList();
  }

  /** Place the list below the "/"; on a phone, the style sheet places it. */
  placeList() {
    const rectangle = this.page.area.field.getRectangleAt(this.start);
    if (!rectangle || innerWidth <= 768) return;
    const { offsetHeight: height, style } = this.element;
    const below = rectangle.bottom + 8;
    const top = below + height < innerHeight ? below : Math.max(8, rectangle.bottom - height - 40);
    Object.assign(style, { inset: `${top}px auto auto ${rectangle.left - 2}px`, margin: "0" });
  }

  get options() {
    return BLOCK_ITEMS.filter(([, label]) => ` ${label}`.toLowerCase().includes(` ${this.words.toLowerCase()}`));
  }

  /** Show the options that match the words after "/", or close the list if the cursor has left the words. */
  updateOptions() {
    const { field } = this.page.area;
    const { from, to } = field.getSelection();
    const typed = field.getText().slice(this.start, to);
    const isOver = from !== to || !/^\/[\p{L} -]*$/u.test(typed);
    if (isOver) return this.closeList();
    if (typed.slice(1) !== this.words) Object.assign(this, { words: typed.slice(1), at: 0 });
    if (!this.options.length) return this.closeList();
    this.drawList();
  }

  drawList() {
    const { options, at } = this;
    const drawItem = (/** @type {typeof BLOCK_ITEMS[0]} */ [name, label, mark, markdown], /** @type {number} */ n) =>
      html`<div id="insert-${n}" role="option" class="menu-item" aria-selected=${n === at}
        @mousedown=${(/** @type {Event} */ event) => event.preventDefault()} @click=${() => this.chooseBlock(name)}
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
    // The browser reports the last change of the selection only after this key.
    this.updateOptions();
    if (!this.element.isConnected) return;
    const { options, at } = this;
    const next = getNextIndex(event, at, options.length);
    if (next !== undefined) {
      this.at = next;
      this.drawList();
    } else if (event.key === "Enter" && !event.isComposing) this.chooseBlock(options[at][0]);
    else if (event.key === "Escape") this.closeList();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Replace "/" and the words with the block, as one undo step. @param {string} name */
  chooseBlock(name) {
    const { start, words } = this;
    this.closeList();
    this.page.runTool(name, { from: start, to: start + words.length + 1 });
  }

  closeList() {
    document.removeEventListener("selectionchange", this.handleSelectionChange);
    document.removeEventListener("keydown", this.handleKey, { capture: true });
    this.content.removeEventListener("blur", this.closeList);
    for (const name of ["activedescendant", "controls", "autocomplete"]) this.content.removeAttribute(`aria-${name}`);
    this.element.remove();
  }
}
