// Marks ranges of the text: lines with a note, such as the name of their author, and places where a text is missing.
// The ranges move with their text while it is edited.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** @typedef {{id: string, from: number, to: number, kind: string, note: string, missing?: string}} Range */

/** @type {import("@codemirror/state").StateEffectType<Range[]>} */
const setRanges = StateEffect.define();

class MissingText extends WidgetType {
  /** @param {string} text */
  constructor(text) {
    super();
    this.text = text;
  }

  /** @param {any} other */
  eq(other) {
    return other.text === this.text;
  }

  // CodeMirror handles a click on the words: it puts the cursor beside them.
  ignoreEvent() {
    return false;
  }

  toDOM() {
    return Object.assign(document.createElement("span"), { className: "range-missing", textContent: this.text });
  }
}

/**
 * Return the decorations: each line of a range has the class of its kind, and the first line has its note.
 * @param {Range[]} ranges @param {import("@codemirror/state").Text} doc
 */
function decorateRanges(ranges, doc) {
  const decorations = ranges.flatMap(({ from, to, kind, note, missing }) => {
    if (missing && from === to) return [Decoration.widget({ widget: new MissingText(missing), side: 1 }).range(from)];
    if (!kind || from === to) return [];
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    return Array.from({ length: last - first + 1 }, (_, n) => {
      const attributes = { class: kind, ...(!n && { "data-note": note }) };
      return Decoration.line({ attributes }).range(doc.line(first + n).from);
    });
  });
  return Decoration.set(decorations, true);
}

/** The extension that stores the ranges of an editor; see makeRangeCommands(). */
export const rangeField = StateField.define({
  create: () => ({ ranges: /** @type {Range[]} */ ([]), decorations: Decoration.none }),
  update(value, { changes, docChanged, effects, newDoc }) {
    let { ranges } = value;
    // A range grows by text that is typed at its end.
    if (docChanged) {
      ranges = ranges.map((range) => {
        const from = changes.mapPos(range.from, -1);
        return { ...range, from, to: Math.max(from, changes.mapPos(range.to, 1)) };
      });
    }
    for (const effect of effects) if (effect.is(setRanges)) ranges = effect.value;
    return ranges === value.ranges ? value : { ranges, decorations: decorateRanges(ranges, newDoc) };
  },
  provide: (self) => EditorView.decorations.from(self, ({ decorations }) => decorations),
});

/** Return the commands for the ranges of an editor. @param {EditorView} view */
export const makeRangeCommands = (view) => ({
  get: () => view.state.field(rangeField).ranges,
  set: (/** @type {Range[]} */ ranges) => view.dispatch({ effects: setRanges.of(ranges) }),
});
