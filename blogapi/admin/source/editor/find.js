/** Finds and replaces in the text: a row in the place of the toolbar. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { button, iconButton, onValue } from "../components.js";
import { announce } from "../dialogs.js";
import { explainPattern } from "./faulty-pattern.js";
import { formatNumber } from "../format.js";

export class Find {
  isOpen = false;
  // On a phone, the fields for replacing are shown only on request.
  isReplacing = false;
  isBusy = false;
  // The offset at which the search begins.
  start = 0;
  words = "";
  replacement = "";
  options = { caseSensitive: false, wholeWord: false, regexp: false };
  /** @type {{text: string, undo?: () => void} | null} */
  note = null;

  /**
   * The row is shown instead of the toolbar.
   * @param {HTMLElement} row @param {HTMLElement} toolRow @param {import("./writing-area.js").WritingArea} area
   */
  constructor(row, toolRow, area) {
    this.row = row;
    this.toolRow = toolRow;
    this.area = area;
    row.addEventListener("keydown", (event) => this.handleKey(event));
  }

  /** The commands of CodeMirror; the plain text area has none, and there the browser finds all text. */
  get search() {
    return this.area.field?.search;
  }

  /** Show the row, with the selected words if they are on one line. */
  open(isReplacing = false) {
    const { from, to } = this.area.field.getSelection();
    const chosen = this.area.field.getText().slice(from, to);
    if (chosen && !/\n/.test(chosen) && !this.row.contains(document.activeElement)) this.words = chosen;
    Object.assign(this, { isOpen: true, isReplacing: this.isReplacing || isReplacing, start: from });
    this.apply();
    const name = isReplacing && this.words ? "replacement" : "words";
    const input = /** @type {HTMLInputElement} */ (this.row.querySelector(`[name=${name}]`));
    input.focus();
    input.select();
  }

  close() {
    this.isOpen = false;
    this.search?.close();
    this.draw();
    this.area.field.focus();
  }

  // Highlight the matches.
  apply() {
    const { words, replacement, options } = this;
    this.note = null;
    this.search.set({ search: words, replace: replacement, ...options });
    this.draw();
  }

  /** @param {string} words */
  find(words) {
    this.words = words;
    this.apply();
    this.search.selectFrom(this.start);
    this.draw();
  }

  /** @param {keyof Find["options"]} name */
  toggle(name) {
    this.options[name] = !this.options[name];
    this.find(this.words);
  }

  /**
   * Select the next or the previous match; before the first search, ask for the words.
   * @param {"next" | "previous" | "replace"} command
   */
  go(command) {
    if (!this.words) return this.open();
    if (!this.isOpen) this.apply();
    this.search[command]();
    this.start = this.area.field.getSelection().from;
    this.draw();
    if (!this.isOpen) this.area.field.focus();
  }

  replaceAll() {
    const { total } = this.search.count();
    this.isBusy = true;
    this.search.replaceAll();
    this.isBusy = false;
    const undo = () => {
      this.search.undo();
      this.note = null;
      this.draw();
    };
    this.note = total ? { text: `${formatNumber(total)} replaced.`, undo } : null;
    if (this.note) announce(this.note.text);
    this.draw();
  }

  /** Called after each change of the text. */
  changed() {
    if (!this.isOpen || this.isBusy) return;
    this.note = null;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { key, target, isComposing } = /** @type {FieldKeyEvent} */ (event);
    if (isComposing) return;
    if (key === "Escape") this.close();
    else if (key !== "Enter" || target.localName !== "input") return;
    else if (target.name === "replacement") this.go("replace");
    else this.go(event.shiftKey ? "previous" : "next");
    event.preventDefault();
    event.stopPropagation();
  }

  draw() {
    const { row, toolRow, isOpen } = this;
    row.hidden = !isOpen || !this.search;
    toolRow.hidden = !row.hidden;
    if (!row.hidden) render(this.render(), row);
  }

  render() {
    const { words, replacement, note, options } = this;
    const fault = options.regexp ? explainPattern(words) : "";
    const { total, current, isMore } = words && !fault ? this.search.count() : { total: 0, current: 0, isMore: false };
    const number = `${formatNumber(total)}${isMore ? "+" : ""}`;
    const state = fault || (words && (total ? `${current || "–"} of ${number}` : "No match"));
    /** @param {keyof Find["options"]} name @param {string} icon @param {string} label */
    const toggle = (name, icon, label) =>
      iconButton(icon, label, () => this.toggle(name), { kind: "bare", pressed: options[name] });
    /** @param {string} icon @param {string} label @param {"next" | "previous"} command */
    const go = (icon, label, command) => iconButton(icon, label, () => this.go(command), { kind: "bare" });
    const setReplacement = onValue((text) => {
      this.replacement = text;
      this.apply();
    });
    const undo = note?.undo && html`<button type="button" class="link-button" @click=${note.undo}>Undo</button>`;
    const showReplace = () => {
      this.isReplacing = !this.isReplacing;
      this.draw();
    };
    const more = { kind: "bare phone-only", pressed: this.isReplacing };
    return html`<div class="find-field ${fault || (words && !total) ? "faulty" : ""}">
        <input name="words" aria-label="Find" autocomplete="off" spellcheck="false" dir="auto" .value=${words}
          aria-describedby="find-state" @input=${onValue((text) => this.find(text))}>
        <span id="find-state" role="status">${state}</span></div>
      <div class="find-options">${toggle("caseSensitive", "case-sensitive", "Match case")}
        ${toggle("wholeWord", "whole-word", "Whole words")} ${toggle("regexp", "regex", "Regular expression")}
        ${iconButton("replace", "Replace", showReplace, more)}</div>
      <span class="divider"></span>
      <div class="find-steps">${go("chevron-up", "Previous match (Shift F3)", "previous")}
        ${go("chevron-down", "Next match (F3)", "next")}</div>
      <span class="divider"></span>
      <div class="replace-field" ?data-open=${this.isReplacing}>
        <input name="replacement" aria-label="Replace with" placeholder="Replace with" autocomplete="off" dir="auto"
          .value=${replacement} @input=${setReplacement}>
        ${button("Replace", () => this.go("replace"), { kind: "bare" })}
        ${button(total ? `Replace all ${number}` : "Replace all", () => this.replaceAll())}</div>
      <p class="find-note">${note ? html`${note.text} ${undo || nothing}` : "In the text. Title and details stay."}</p>
      ${iconButton("x", "Close", () => this.close(), { kind: "bare find-close" })}`;
  }
}
