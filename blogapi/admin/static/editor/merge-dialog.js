/** The dialog in which an author joins two versions of an article at the places that differ in both. */

import { html, live, nothing } from "../vendor/lit.js";
import { button, icon, segments } from "../components.js";
import { copyButton, openDialog } from "../dialogs.js";
import { count } from "../format.js";
import { ITEM } from "./article.js";
import { compareWords, showField } from "./differences.js";
import { keepBreaks, showBreaks } from "./edits.js";
import { write } from "./merge.js";

const WRITTEN = "written";
const RESULT = `The ${ITEM} then`;

/**
 * Return the joined edits, or null if the author decides later. `merged` is the result of mergeEdits(); `person` is
 * the name of the other author, or "" if both versions are of the same one; `names` has the names of terms by uuid.
 */
export async function openMerge(question) {
  const { createEditor } = await import("../vendor/editor.js");
  return new Merge(question).ask(createEditor);
}

class Merge {
  // Which half is shown on a phone: the places, or the text.
  half = "places";
  trouble = "";
  /** @type {any} */
  dialog = null;
  /** @type {any} */
  field = null;

  constructor({ merged, mine, person, names }) {
    this.merged = merged;
    this.mine = mine;
    this.names = names;
    this.who = person || "Your other text";
    this.whose = person ? `${person}’s` : "The other";
    this.title = person ? `Join your text and ${person}’s` : "Join your two texts";
    const fields = merged.places.map((place) => ({ ...place, id: place.name }));
    const texts = merged.regions
      .map((region, n) => ({ ...region, id: `text-${n}`, label: findHeading(merged.regions, n) }))
      .filter(({ kind }) => kind === "open");
    this.places = [...fields, ...texts].map((place) => ({ ...place, side: "", isGone: false }));
  }

  async ask(createEditor) {
    const kind = "wide merge";
    this.dialog = openDialog({ title: this.title, kind, content: (close) => this.render(close) });
    const { element, result } = this.dialog;
    const { text, ranges } = this.layOut();
    const markdown = this.mine.content_type === "markdown";
    const onChange = () => this.followWriting();
    const parent = element.querySelector(".merge-text");
    this.field = createEditor({ parent, text, label: RESULT, markdown, onChange });
    this.field.ranges.set(ranges);
    element.addEventListener("keydown", (event) => this.press(event));
    this.go(0);
    const edits = await result;
    this.field.destroy();
    return edits ?? null;
  }

  // The text, with an empty line for each open place, and the ranges of what is open or has changed.
  layOut() {
    const { regions } = this.merged;
    const parts = [];
    const ranges = [];
    let from = 0;
    for (const [n, { kind, lines }] of regions.entries()) {
      const isOpen = kind === "open";
      const shown = isOpen ? [""] : lines;
      if (!shown.length) continue;
      const part = showBreaks(shown.join("\n").replace(/\r$/, ""));
      const to = from + part.length;
      const number = this.places.findIndex(({ id }) => id === `text-${n}`) + 1;
      const missing = isOpen ? `Place ${number}: choose beside it, or write here` : "";
      if (isOpen) this.places[number - 1].missing = missing;
      if (kind !== "same" && kind !== "both") {
        ranges.push({ id: `text-${n}`, from, to, missing, ...this.#mark(isOpen ? "" : kind) });
      }
      parts.push(part);
      from = to + 1;
    }
    return { text: parts.join("\n"), ranges };
  }

  #mark(side) {
    return { kind: side && `range-${side}`, note: { mine: "You", theirs: this.who }[side] ?? "" };
  }

  // What is written at an open place decides it; what undo removes is open again.
  followWriting() {
    for (const { id, from, to } of this.field?.ranges.get() ?? []) {
      const place = this.places.find((other) => other.id === id);
      if (!place || place.isGone) continue;
      if (from < to && !place.side) place.side = WRITTEN;
      else if (from === to && place.side && linesOf(place, place.side).join("")) place.side = "";
    }
    this.dialog.update();
  }

  choose(place, side) {
    Object.assign(place, { side });
    this.trouble = "";
    if (place.id.startsWith("text-")) this.#put(place, linesOf(place, side), side);
    this.dialog.update();
  }

  // Put the lines in the place. Without lines, the place has no line in the text.
  #put(place, lines, side) {
    const { field } = this;
    const range = field.ranges.get().find(({ id }) => id === place.id);
    const size = field.getText().length;
    let { from, to } = range;
    let insert = showBreaks(lines.join("\n")).replace(/\r$/, "");
    const { isGone } = place;
    place.isGone = !lines.length;
    let skipped = 0;
    if (isGone && lines.length) {
      if (place.wasLast) skipped = 1;
      insert = place.wasLast ? `\n${insert}` : `${insert}\n`;
    } else if (!isGone && !lines.length) {
      place.wasLast = to === size;
      if (place.wasLast) from = Math.max(0, from - 1);
      else to += 1;
    }
    field.edit({ from, to, insert, selectFrom: from + skipped, selectTo: from + skipped });
    const start = from + skipped;
    const end = start + showBreaks(lines.join("\n")).replace(/\r$/, "").length;
    const own = { ...range, ...this.#mark(side), missing: place.isGone ? "" : place.missing, from: start, to: end };
    field.ranges.set(field.ranges.get().map((other) => (other.id === place.id ? own : other)));
  }

  // Show a place, and move the focus to its choices.
  go(at) {
    const place = this.places[Math.max(0, Math.min(at, this.places.length - 1))];
    this.half = "places";
    this.dialog.update();
    const card = this.dialog.element.querySelector(`[data-place="${place.id}"]`);
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("input:checked, input").focus();
    const range = this.field.ranges.get().find(({ id }) => id === place.id);
    if (range) this.field.select(range.from);
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!event.altKey || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const card = document.activeElement?.closest("[data-place]");
    const at = this.places.findIndex(({ id }) => id === /** @type {any} */ (card)?.dataset.place);
    this.go(at + step);
  }

  save(close) {
    const open = this.places.findIndex(({ side }) => !side);
    if (open >= 0) {
      this.trouble = `Place ${open + 1} is open`;
      return this.go(open);
    }
    const edits = structuredClone(this.merged.edits);
    for (const { name, side, theirs } of this.places) if (name && side === "theirs") write(edits, name, theirs);
    close({ ...edits, content: keepBreaks(this.mine.content, this.field.getText()) });
  }

  render(close) {
    const { places, merged, trouble, half } = this;
    const { mine, theirs } = merged.changes;
    const chosen = places.filter(({ side }) => side).length;
    const joined = mine + theirs ? `${count(mine + theirs, "change has", "changes have")} joined by themselves. ` : "";
    const halves = { "Different in both": "places", [RESULT]: "text" };
    const onChange = (value) => {
      this.half = value;
      this.dialog.update();
    };
    const halfChoice = { label: "Show", name: "half", items: halves, value: half, onChange };
    return html`<p class="soft">${joined}${count(places.length, "place is", "places are")} different in both texts.</p>
      <p class="soft merge-count" role="status">${chosen} of ${places.length} chosen</p>
      <div class="phone-only">${segments(halfChoice)}</div>
      <div class="merge-halves" data-half=${half}>
        <section class="merge-places" aria-label="Different in both"><h3 class="wide-only">Different in both</h3>
          ${places.map((place, n) => this.renderPlace(place, n))}
          ${
            mine + theirs
              ? html`<p class="help">Joined without a question, and marked in the text: ${theirs} of ${this.who},
                  ${mine} of yours.</p>`
              : nothing
          }</section>
        <section class="merge-result"><h3 class="wide-only">${RESULT}
          <span class="help">You can write in it</span></h3><div class="merge-text" tabindex="0" role="group"
          aria-label=${RESULT}></div></section>
      </div>
      <div class="dialog-buttons"><span class="soft" role="status">${
        trouble || "Nothing is saved before you do. Both texts stay in the history."
      }</span>
        ${copyButton(this.mine.content, { label: "Copy my text", kind: "bare" })}
        ${button("Decide later", () => close(null), { kind: "bare" })}
        ${button("Save the article", () => this.save(close), { kind: "main" })}</div>`;
  }

  renderPlace(place, n) {
    const { id, label, side, name } = place;
    const [base, mine, theirs] = ["base", "mine", "theirs"].map((version) => this.show(place, version));
    const isBothPossible = !name || Array.isArray(place.mine);
    const state = side
      ? html`${icon("check", "good")} Chosen: ${{ mine: "mine", theirs: this.whose, both: "both" }[side] ?? side}`
      : html`${icon("circle-dashed")} Open`;
    const choice = (value, text) => html`<label><input type="radio" name="side-${id}" value=${value}
      .checked=${live(side === value)} @change=${() => this.choose(place, value)}><span>${text}</span></label>`;
    return html`<section class="merge-place ${side ? "" : "open"}" data-place=${id} aria-label="Place ${n + 1}">
      <p class="merge-head"><strong>${n + 1} of ${this.places.length}${label ? ` · ${label}` : ""}</strong>
        <span class="soft">${state}</span></p>
      ${base !== null && !side ? line("", "Before", base) : nothing}
      ${line("yours", this.who, marked(compareWords(mine, theirs)))}
      ${line("mine", "You", marked(compareWords(theirs, mine)))}
      <fieldset class="segments"><legend class="sr-only">Place ${n + 1}</legend>
        ${choice("theirs", this.whose)} ${choice("mine", "Mine")} ${isBothPossible ? choice("both", "Both") : nothing}
      </fieldset></section>`;
  }

  // The text of a place in one of the versions, or null if it is unknown.
  show(place, version) {
    const value = place[version];
    if (value === null) return null;
    if (!place.name) return value.join("\n");
    const edits = structuredClone(this.mine);
    write(edits, place.name, value);
    return showField(edits, place.name, this.names) ?? "";
  }
}

/** The lines of a side of a place in the text. */
const linesOf = ({ mine, theirs }, side) => ({ mine, theirs, both: [...theirs, ...mine] })[side] ?? ["written"];

/** The heading above a region, which names the place. */
function findHeading(regions, n) {
  const above = regions.slice(0, n).flatMap(({ mine }) => mine);
  const heading = above.findLast((line) => /^#{1,6}\s/.test(line)) ?? "";
  return heading.replace(/^#+\s+|\s*#*\s*$/g, "");
}

const line = (side, who, inner) =>
  html`<div class="conflict-line ${side}"><b>${who}</b>
    <span dir="auto">${inner || html`<i class="soft">nothing</i>`}</span></div>`;

/** The second of two texts, with a mark on the words that the first one lacks. */
const marked = (words) => {
  const parts = words.map(({ equal, after }) => equal ?? (after && html`<mark>${after}</mark>`));
  return parts.some(Boolean) ? parts : "";
};
