/** The dialog in which an author resolves the conflicts between two versions of an article. */

import { html, nothing } from "../../static/vendor/lit.js";
import { button, icon, segmentControl } from "../components.js";
import { confirmRisk, copyButton, openDialog } from "../dialogs.js";
import { formatCount } from "../format.js";
import { ITEM } from "./article.js";
import { compareWords, formatField } from "./differences.js";
import { restoreLineBreaks, normalizeLineBreaks } from "./edits.js";
import { writeField } from "./merge.js";

const WRITTEN_SIDE = "written";
const NOT_SAVED_NOTE = "Nothing is saved until you save. Both texts stay in the history.";
const RESULT_TITLE = `The ${ITEM} then`;
/**
 * A conflict in the field `name`, or in a region of the text. side: the choice of the author ("": none); isGone:
 * whether the chosen side has no lines; wasLast: whether the removed line was the last line of the text; missing: the
 * words in place of the lines until the author chooses.
 *
 * @typedef {{id: string, label: string, side: string, isGone: boolean, name?: string, base: any, mine: any,
 *   theirs: any, missing?: string, wasLast?: boolean}} Conflict
 * @typedef {TextRange & {id: string}} Range
 * @typedef {{merged: import("./merge.js").Merged, mine: Edits, person: string,
 *   names: Record<string, string>}} MergeQuestion
 */

/**
 * Let the author resolve the conflicts. Return the merged edits, or null if the author decides later. merged: the
 * result of mergeEdits(); person: the name of the other author, or "" if the same author wrote both versions; names:
 * the names of terms by uuid.
 * @param {MergeQuestion} question @returns {Promise<Edits | null>}
 */
export async function openMergeDialog(question) {
  const { createEditor } = await import("../../static/vendor/editor.js");
  return new MergeDialog(question).askForChoices(createEditor);
}

class MergeDialog {
  // The half of the dialog that a phone shows: "conflicts" or "text".
  half = "conflicts";
  warning = "";
  /** @type {any} */
  dialog = null;
  /** @type {any} */
  field = null;

  /** @param {MergeQuestion} question */
  constructor({ merged, mine, person, names }) {
    this.merged = merged;
    this.mine = mine;
    this.names = names;
    this.who = person || "Your other text";
    this.whose = person ? `${person}’s` : this.who;
    this.title = person ? `Join your text and ${person}’s` : "Join your two texts";
    const fields = merged.conflicts.map((conflict) => ({ ...conflict, id: conflict.name }));
    const texts = merged.regions
      .map((region, n) => ({ ...region, id: `text-${n}`, label: findHeading(merged.regions, n) }))
      .filter(({ kind }) => kind === "open");
    /** @type {Conflict[]} */
    this.conflicts = [...fields, ...texts].map((conflict) => ({ ...conflict, side: "", isGone: false }));
  }

  /**
   * @param {typeof import("../../static/vendor/editor.js").createEditor} createEditor
   * @returns {Promise<Edits | null>}
   */
  async askForChoices(createEditor) {
    this.dialog = openDialog({ title: this.title, kind: "wide merge", content: () => this.render() });
    this.dialog.element.oncancel = (/** @type {Event} */ event) => (event.preventDefault(), this.decideLater());
    const { element, result } = this.dialog;
    const { text, ranges } = this.composeText();
    const markdown = this.mine.content_type === "markdown";
    const onChange = () => this.updateWrittenConflicts();
    const parent = element.querySelector("[data-ref=mergeText]");
    this.startText = text;
    this.field = createEditor({ parent, text, label: RESULT_TITLE, markdown, onChange });
    this.field.ranges.set(ranges);
    element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.handleKey(event));
    this.goToConflict(0);
    const edits = await result;
    this.field.destroy();
    return edits ?? null;
  }

  // Return the merged text, with an empty line for each open conflict, and the ranges of conflicts and of merged
  // changes.
  composeText() {
    const { regions } = this.merged;
    const parts = [];
    const ranges = [];
    let from = 0;
    for (const [n, { kind, lines }] of regions.entries()) {
      const isOpen = kind === "open";
      const shown = isOpen ? [""] : lines;
      if (!shown.length) continue;
      const part = normalizeLineBreaks(shown.join("\n").replace(/\r$/, ""));
      const to = from + part.length;
      const index = this.conflicts.findIndex(({ id }) => id === `text-${n}`);
      const missing = isOpen ? `Place ${index + 1}: choose beside it, or write here` : "";
      if (isOpen) this.conflicts[index].missing = missing;
      if (kind !== "same" && kind !== "both") {
        ranges.push({ id: `text-${n}`, from, to, missing, ...this.#describeSide(isOpen ? "" : kind) });
      }
      parts.push(part);
      from = to + 1;
    }
    return { text: parts.join("\n"), ranges };
  }

  /** @param {string} side */
  #describeSide(side) {
    const note = side === "mine" ? "You" : side === "theirs" ? this.who : "";
    return { kind: side && `range-${side}`, note };
  }

  // Mark a conflict as resolved when the author types text in its range, and as open when undo removes this text.
  updateWrittenConflicts() {
    for (const { id, from, to } of this.field?.ranges.get() ?? []) {
      const conflict = this.conflicts.find((other) => other.id === id);
      if (!conflict || conflict.isGone) continue;
      if (from < to && !conflict.side) conflict.side = WRITTEN_SIDE;
      else if (from === to && conflict.side && listSideLines(conflict, conflict.side).join("")) conflict.side = "";
    }
    this.dialog.update();
  }

  /** @param {Conflict} conflict @param {string} side */
  chooseSide(conflict, side) {
    conflict.side = side;
    this.warning = "";
    if (conflict.id.startsWith("text-")) this.#writeLines(conflict, listSideLines(conflict, side), side);
    this.dialog.update();
  }

  /** @param {Conflict} conflict */
  #findRange({ id }) {
    return this.field.ranges.get().find((/** @type {Range} */ range) => range.id === id);
  }

  // Replace the range of a conflict with the lines; without lines, also remove the line of the conflict.
  /** @param {Conflict} conflict @param {string[]} lines @param {string} side */
  #writeLines(conflict, lines, side) {
    const { field } = this;
    const range = this.#findRange(conflict);
    const size = field.getText().length;
    let { from, to } = range;
    const text = normalizeLineBreaks(lines.join("\n")).replace(/\r$/, "");
    let insert = text;
    const { isGone } = conflict;
    conflict.isGone = !lines.length;
    let skipped = 0;
    if (isGone && lines.length) {
      if (conflict.wasLast) skipped = 1;
      insert = conflict.wasLast ? `\n${text}` : `${text}\n`;
    } else if (!isGone && !lines.length) {
      conflict.wasLast = to === size;
      if (conflict.wasLast) from = Math.max(0, from - 1);
      else to += 1;
    }
    const start = from + skipped;
    field.applyChange({ from, to, insert, selectFrom: start, selectTo: start });
    const missing = conflict.isGone ? "" : conflict.missing;
    const changed = { ...range, ...this.#describeSide(side), missing, from: start, to: start + text.length };
    field.ranges.set(field.ranges.get().map((/** @type {Range} */ other) => (other.id === range.id ? changed : other)));
  }

  /** Show a conflict, and move the focus to its choices. @param {number} index */
  goToConflict(index) {
    const conflict = this.conflicts[Math.max(0, Math.min(index, this.conflicts.length - 1))];
    this.half = "conflicts";
    this.dialog.update();
    const card = this.dialog.element.querySelector(`[data-conflict="${conflict.id}"]`);
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("input:checked, input").focus();
    const range = this.#findRange(conflict);
    if (range) this.field.selectRange(range.from);
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!event.altKey || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const card = /** @type {HTMLElement | null} */ (document.activeElement?.closest("[data-conflict]"));
    this.goToConflict(this.conflicts.findIndex(({ id }) => id === card?.dataset.conflict) + step);
  }

  // Close the dialog; ask first if that loses choices or text of the author.
  async decideLater() {
    const isUntouched = this.field.getText() === this.startText && this.conflicts.every(({ side }) => !side);
    const text = "Your choices, and what you have written here, are not kept. Both texts are.";
    const question = { title: "Decide later?", text, action: "Discard the choices" };
    if (isUntouched || (await confirmRisk(question))) this.dialog.close();
  }

  saveMerge() {
    const open = this.conflicts.findIndex(({ side }) => !side);
    if (open >= 0) {
      this.warning = `Place ${open + 1} is open`;
      return this.goToConflict(open);
    }
    const edits = structuredClone(this.merged.edits);
    for (const { name, side, theirs } of this.conflicts) if (name && side === "theirs") writeField(edits, name, theirs);
    this.dialog.close({ ...edits, content: restoreLineBreaks(this.mine.content, this.field.getText()) });
  }

  render() {
    const { conflicts, merged, warning, half } = this;
    const { mine, theirs } = merged.changes;
    const chosen = conflicts.filter(({ side }) => side).length;
    const joined =
      mine + theirs ? `${formatCount(mine + theirs, "change was", "changes were")} joined automatically. ` : "";
    const number = formatCount(conflicts.length, "place is", "places are");
    const halves = { "Different in both": "conflicts", [RESULT_TITLE]: "text" };
    const onChange = (/** @type {string} */ value) => {
      this.half = value;
      this.dialog.update();
    };
    const marked = html`<p class="help">Joined without a question, and marked in the text: ${theirs} of ${this.who},
      ${mine} of yours.</p>`;
    const halfChoice = { label: "Show", name: "half", items: halves, value: half, onChange };
    return html`<p class="soft">${joined}${number} different in both texts.</p>
      <p class="soft merge-count" role="status">${chosen} of ${conflicts.length} chosen</p>
      <div class="phone-only">${segmentControl(halfChoice)}</div>
      <div class="merge-halves" data-half=${half === "text" ? "text" : "places"}>
        <section class="merge-places" aria-label="Different in both"><h3 class="wide-only">Different in both</h3>
          ${conflicts.map((conflict, n) => this.renderConflict(conflict, n))}
          ${mine + theirs ? marked : nothing}</section>
        <section class="merge-result"><h3 class="wide-only">${RESULT_TITLE}
          <span class="help">You can write in it</span></h3><div class="merge-text" data-ref="mergeText" tabindex="0"
          role="group" aria-label=${RESULT_TITLE}></div></section>
      </div>
      <div class="dialog-buttons"><span class="soft" role="status">${warning || NOT_SAVED_NOTE}</span>
        ${copyButton(this.mine.content, { label: "Copy my text", kind: "bare" })}
        ${button("Decide later", () => this.decideLater(), { kind: "bare" })}
        ${button("Save the article", () => this.saveMerge(), { kind: "main" })}</div>`;
  }

  /** @param {Conflict} conflict @param {number} n */
  renderConflict(conflict, n) {
    const { id, label, side, name } = conflict;
    const [base, mine, theirs] = [conflict.base, conflict.mine, conflict.theirs].map((each) => this.toText(name, each));
    const isBothPossible = !name || Array.isArray(conflict.mine);
    const state = side
      ? html`${icon("check", "good")} Chosen: ${side === "theirs" ? this.whose : side}`
      : html`${icon("circle-dashed")} Open`;
    const items = { [this.whose]: "theirs", Mine: "mine", ...(isBothPossible && { Both: "both" }) };
    const onChange = (/** @type {string} */ value) => this.chooseSide(conflict, value);
    return html`<section class="merge-place ${side ? "" : "open"}" data-conflict=${id} aria-label="Place ${n + 1}">
      <p class="merge-head"><strong>${n + 1} of ${this.conflicts.length}${label ? ` · ${label}` : ""}</strong>
        <span class="soft">${state}</span></p>
      ${base !== null && !side ? renderSideText("", "Before", base) : nothing}
      ${renderSideText("yours", this.who, markAddedWords(mine, theirs))}
      ${renderSideText("mine", "You", markAddedWords(theirs, mine))}
      ${segmentControl({ label: `Place ${n + 1}`, name: `side-${id}`, items, value: side, onChange })}</section>`;
  }

  // Return the value of a field, or the lines of a region, as text; null if the value is unknown.
  /** @param {string | undefined} name of the field @param {any} value */
  toText(name, value) {
    if (value === null) return null;
    if (!name) return value.join("\n");
    const edits = structuredClone(this.mine);
    writeField(edits, name, value);
    return formatField(edits, name, this.names) ?? "";
  }
}

/**
 * Return the lines of the chosen side of a conflict.
 * @param {Conflict} conflict @param {string} side @returns {string[]}
 */
function listSideLines({ mine, theirs }, side) {
  if (side === "both") return [...theirs, ...mine];
  return side === "mine" ? mine : side === "theirs" ? theirs : [WRITTEN_SIDE];
}

/**
 * Return the heading above a region of the text, as a label for the conflict.
 * @param {import("./merge.js").Region[]} regions @param {number} n
 */
function findHeading(regions, n) {
  const above = regions.slice(0, n).flatMap(({ mine }) => mine);
  return (above.findLast((line) => /^#{1,6}\s/.test(line)) ?? "").replace(/^#+\s+|\s*#*\s*$/g, "");
}

/** @param {string} side @param {string} who @param {Renderable} text */
const renderSideText = (side, who, text) =>
  html`<div class="conflict-line ${side}"><b>${who}</b>
    <span dir="auto">${text || html`<i class="soft">nothing</i>`}</span></div>`;

/**
 * Return `text`, with a mark on the words that `former` lacks.
 * @param {string} former @param {string} text
 */
const markAddedWords = (former, text) => {
  const parts = compareWords(former, text).map(({ equal, after }) => equal ?? (after && html`<mark>${after}</mark>`));
  return parts.some(Boolean) ? parts : "";
};
