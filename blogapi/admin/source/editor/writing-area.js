/** The field for the text: a plain text area at first, then CodeMirror, unless the author prefers plain text. */

import { refs } from "../shell.js";
import * as storage from "../storage.js";
import { blocks } from "./inline.js";
import { describeLink, followLink } from "./link-chips.js";

const PLAIN_KEY = "blogapi.plain";

/**
 * changed: called after each change. receive: called with pasted pictures. paste: called in Markdown with other things
 * that are pasted; it returns whether it takes them. changeInput: see createEditor() of vendor/editor.js.
 *
 * @typedef {{text: string, markdown: boolean, changed: (text: string) => void, receive: (files: File[]) => void,
 *   paste: (data: DataTransfer) => boolean, changeInput: (text: string, from: number) => string}} Options
 */

export class WritingArea {
  /** @type {any} a TextField, from the constructor on */
  field = null;
  isPlain = storage.getItem(PLAIN_KEY) === true;
  isPastePlain = false;

  /** @param {HTMLElement} parent @param {Options} options */
  constructor(parent, { text, ...options }) {
    this.parent = parent;
    this.options = options;
    parent.addEventListener("paste", (event) => this.#takePaste(event, event.clipboardData), { capture: true });
    // Ctrl Shift V pastes plain text.
    const notePlainPaste = (/** @type {KeyboardEvent} */ { key, shiftKey }) => {
      this.isPastePlain = shiftKey && /^v$/i.test(key);
    };
    parent.addEventListener("keydown", notePlainPaste, { capture: true });
    this.#show(createPlain, text);
    if (!this.isPlain) this.#loadEditor();
  }

  /** Change to the plain text area or to CodeMirror; text, cursor and focus stay. @param {boolean} isPlain */
  choosePlain(isPlain) {
    this.isPlain = isPlain;
    storage.setItem(PLAIN_KEY, isPlain);
    if (isPlain) this.#show(createPlain);
    else return this.#loadEditor();
  }

  /**
   * Replace the parts of the text that differ. mapOffset: gives the new offsets of the selection, by default 0.
   * @param {string} text @param {import("./article-page.js").OffsetMap | null} [mapOffset]
   */
  setText(text, mapOffset = null) {
    const former = this.field.getText();
    if (text === former) return;
    const limit = Math.min(text.length, former.length);
    let from = 0;
    while (from < limit && text[from] === former[from]) from += 1;
    let end = 0;
    while (end < limit - from && text.at(-end - 1) === former.at(-end - 1)) end += 1;
    const { from: start, to: stop } = this.field.getSelection();
    const [selectFrom, selectTo] = mapOffset ? [mapOffset(start), mapOffset(stop)] : [0, 0];
    const insert = text.slice(from, text.length - end);
    this.field.edit({ from, to: former.length - end, insert, selectFrom, selectTo });
  }

  async #loadEditor() {
    const bundle = await import("../../static/vendor/editor.js").catch(() => null);
    if (bundle && !this.isPlain) this.#show(bundle.createEditor);
  }

  /** @param {(options: any) => TextField} create @param {string} [text] */
  #show(create, text = this.field.getText()) {
    const { parent } = this;
    const { markdown, changed, changeInput } = this.options;
    const { writing: scroller } = refs;
    const [isFocused, top] = [parent.contains(document.activeElement), scroller.scrollTop];
    const selection = this.field?.getSelection();
    this.field?.destroy();
    const onChange = () => changed(this.field.getText());
    const options = { label: "Text", placeholder: "Text", markdown, blocks, describeLink, followLink, changeInput };
    const { findRow } = refs;
    this.field = create({ parent, findRow, text, ...selection, ...options, onChange });
    if (isFocused) this.field.focus();
    scroller.scrollTop = top;
  }

  /** @param {ClipboardEvent} event @param {DataTransfer | null} data */
  #takePaste(event, data) {
    // The fields of a block handle a paste themselves.
    if (!data || /** @type {Element} */ (event.target).closest(".block")) return;
    const files = [...data.files].filter((file) => file.type.startsWith("image/"));
    const isPaste = this.options.markdown && !this.isPastePlain;
    // The next paste can come from the menu of the browser.
    this.isPastePlain = false;
    // Word processors put a picture of the text beside the text.
    const isPicture = files.length > 0 && !data.types.includes("text/plain");
    if (isPicture) this.options.receive(files);
    else if (!isPaste || !this.options.paste(data)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Show a text area, and return its commands, as createEditor() of vendor/editor.js does for CodeMirror.
/** @param {Record<string, any>} options @returns {TextField} */
function createPlain({ parent, text, from = 0, to = from, label: ariaLabel, placeholder, onChange }) {
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
    edit({ from, to = from, insert = "", selectFrom = from + insert.length, selectTo = selectFrom }) {
      field.focus();
      field.setSelectionRange(from, to);
      // Only execCommand() keeps the undo history of a text area. It needs the focus, which a hidden text area lacks.
      if (!document.execCommand(insert ? "insertText" : "delete", false, insert)) field.setRangeText(insert, from, to);
      field.setSelectionRange(selectFrom, selectTo);
      handleInput();
    },
    select: (from, to = from) => field.setSelectionRange(from, to),
    focus: () => field.focus(),
    destroy: () => field.remove(),
  };
}
