/** The field for the text: a plain text area at first, then CodeMirror, unless the author prefers plain text. */

import { refs } from "../shell.js";
import * as storage from "../storage.js";
import { blockOptions as blocks } from "./block-rendering.js";
import { describeLink, openLinkTarget } from "./link-chips.js";

const PLAIN_KEY = "blogapi.plain";

/**
 * onChange: called after each change. onPictures: called with pasted pictures. onPaste: called in Markdown for any
 * other paste; it returns whether it handles the paste. changeInput: see createEditor() of vendor/editor.js.
 *
 * @typedef {{text: string, markdown: boolean, onChange: (text: string) => void, onPictures: (files: File[]) => void,
 *   onPaste: (data: DataTransfer) => boolean, changeInput: (text: string, from: number) => string}} WritingOptions
 */

export class WritingArea {
  /** @type {any} the TextField that is shown */
  field = null;
  isPlain = storage.getItem(PLAIN_KEY) === true;
  isNextPastePlain = false;
  /** The range that an open dialog will replace, which setText() moves. @type {TextRange} */
  range = { from: 0, to: 0 };

  /** @param {HTMLElement} parent @param {WritingOptions} options */
  constructor(parent, { text, ...options }) {
    this.parent = parent;
    this.options = options;
    parent.addEventListener("paste", (event) => this.#handlePaste(event, event.clipboardData), { capture: true });
    // Ctrl Shift V pastes plain text.
    const notePlainPaste = (/** @type {KeyboardEvent} */ { key, shiftKey }) => {
      this.isNextPastePlain = shiftKey && /^v$/i.test(key);
    };
    parent.addEventListener("keydown", notePlainPaste, { capture: true });
    this.#showField(createTextArea, text);
    if (!this.isPlain) this.#loadEditor();
  }

  /** Show the plain text area or CodeMirror, with the same text, cursor and focus. @param {boolean} isPlain */
  setPlain(isPlain) {
    this.isPlain = isPlain;
    storage.setItem(PLAIN_KEY, isPlain);
    if (isPlain) this.#showField(createTextArea);
    else return this.#loadEditor();
  }

  /**
   * Replace the part of the text that differs. mapOffset: returns the new offset for an offset of the selection;
   * without it, the selection moves to the beginning.
   * @param {string} text @param {import("./article-page.js").OffsetMap | null} [mapOffset]
   */
  setText(text, mapOffset) {
    const move = mapOffset ?? (() => 0);
    const former = this.field.getText();
    if (text === former) return;
    const limit = Math.min(text.length, former.length);
    let from = 0;
    while (from < limit && text[from] === former[from]) from += 1;
    let end = 0;
    while (end < limit - from && text.at(-end - 1) === former.at(-end - 1)) end += 1;
    const { from: start, to: stop } = this.field.getSelection();
    const insert = text.slice(from, text.length - end);
    const selection = { selectFrom: move(start), selectTo: move(stop) };
    Object.assign(this.range, { from: move(this.range.from), to: move(this.range.to) });
    this.field.applyChange({ from, to: former.length - end, insert, ...selection });
  }

  async #loadEditor() {
    const bundle = await import("../../static/vendor/editor.js").catch(() => null);
    if (bundle && !this.isPlain) this.#showField(bundle.createEditor);
  }

  /** @param {(options: any) => TextField} create @param {string} [text] */
  #showField(create, text = this.field.getText()) {
    const { parent } = this;
    const { markdown, onChange: changed, changeInput } = this.options;
    const { writing: scroller } = refs;
    const [isFocused, top] = [parent.contains(document.activeElement), scroller.scrollTop];
    const selection = this.field?.getSelection();
    this.field?.destroy();
    const onChange = () => changed(this.field.getText());
    const options = { label: "Text", placeholder: "Text", markdown, blocks, describeLink, openLinkTarget, changeInput };
    const { findRow } = refs;
    this.field = create({ parent, findRow, text, ...selection, ...options, onChange });
    if (isFocused) this.field.focus();
    scroller.scrollTop = top;
  }

  /** @param {ClipboardEvent} event @param {DataTransfer | null} data */
  #handlePaste(event, data) {
    // The fields of a block handle a paste themselves.
    if (!data || /** @type {Element} */ (event.target).closest(".block")) return;
    const files = [...data.files].filter((file) => file.type.startsWith("image/"));
    const isPaste = this.options.markdown && !this.isNextPastePlain;
    // The next paste can come from the menu of the browser.
    this.isNextPastePlain = false;
    // The clipboard of a word processor contains a picture of the text beside the text.
    const isPicture = files.length > 0 && !data.types.includes("text/plain");
    if (isPicture) this.options.onPictures(files);
    else if (!isPaste || !this.options.onPaste(data)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Show a plain text area, and return the same commands as createEditor() of vendor/editor.js.
/** @param {Record<string, any>} options @returns {TextField} */
function createTextArea({ parent, text, from = 0, to = from, label: ariaLabel, placeholder, onChange }) {
  const field = document.createElement("textarea");
  Object.assign(field, { className: "writing-field", dir: "auto", ariaLabel, placeholder, value: text });
  parent.append(field);
  field.setSelectionRange(from, to);
  const handleInput = () => {
    // Browsers without `field-sizing` need the number of rows.
    field.rows = field.value.split("\n").length + 2;
    onChange();
  };
  field.addEventListener("input", handleInput);
  return {
    getText: () => field.value,
    getSelection: () => ({ from: field.selectionStart, to: field.selectionEnd }),
    applyChange({ from, to = from, insert = "", selectFrom = from + insert.length, selectTo = selectFrom }) {
      field.focus();
      field.setSelectionRange(from, to);
      // Only execCommand() keeps the undo history of a text area. It needs the focus, which a hidden text area lacks.
      if (!document.execCommand(insert ? "insertText" : "delete", false, insert)) field.setRangeText(insert, from, to);
      field.setSelectionRange(selectFrom, selectTo);
      handleInput();
    },
    selectRange: (from, to = from) => field.setSelectionRange(from, to),
    focus: () => field.focus(),
    destroy: () => field.remove(),
  };
}
