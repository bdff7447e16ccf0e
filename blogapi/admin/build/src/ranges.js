// Ranges that move with their text while it is edited. A range says who wrote its lines, or that a part is missing.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** @typedef {{id: string, from: number, to: number, kind: string, note: string, missing?: string}} Range */

/** @type {import("@codemirror/state").StateEffectType<Range[]>} */
const replace = StateEffect.define();

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

  // The editor handles a click on the words, and puts the cursor beside them.
  ignoreEvent() {
    return false;
  }

  toDOM() {
    return Object.assign(document.createElement("span"), { className: "range-missing", textContent: this.text });
  }
}

/**
 * Lines of a range have the class of its kind, and the first one has its note.
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

const field = StateField.define({
  create: () => ({ ranges: /** @type {Range[]} */ ([]), decorations: Decoration.none }),
  update(value, { changes, docChanged, effects, newDoc }) {
    let { ranges } = value;
    // Text that is written at the end of a range belongs to the range.
    if (docChanged) {
      ranges = ranges.map((range) => {
        const from = changes.mapPos(range.from, -1);
        return { ...range, from, to: Math.max(from, changes.mapPos(range.to, 1)) };
      });
    }
    for (const effect of effects) if (effect.is(replace)) ranges = effect.value;
    return ranges === value.ranges ? value : { ranges, decorations: decorateRanges(ranges, newDoc) };
  },
  provide: (self) => EditorView.decorations.from(self, ({ decorations }) => decorations),
});

/** The extension of editors whose commands have `ranges`. */
export const rangeField = field;

/** Return the commands for the ranges of an editor. @param {EditorView} view */
export const rangeCommands = (view) => ({
  get: () => view.state.field(field).ranges,
  set: (/** @type {Range[]} */ ranges) => view.dispatch({ effects: replace.of(ranges) }),
});
