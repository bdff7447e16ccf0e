// Marks the address of each link that the selection does not touch, so that the style sheet can hide it. The text stays
// in the document: the arrow keys, the clipboard, find and screen readers get each character.
import { syntaxTree } from "@codemirror/language";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, keymap, ViewPlugin, WidgetType } from "@codemirror/view";

const hidden = Decoration.mark({ class: "md-folded" });
const words = Decoration.mark({ class: "md-fold" });
const ICONS = new URL("./icons.svg", import.meta.url).pathname;

class FileIcon extends WidgetType {
  eq() {
    return true;
  }

  toDOM() {
    const span = Object.assign(document.createElement("span"), { className: "md-fold-file" });
    span.innerHTML = `<svg class="icon" aria-hidden="true"><use href="${ICONS}#paperclip"></use></svg>`;
    return span;
  }
}
const file = Decoration.widget({ widget: new FileIcon(), side: -1 });

/** @typedef {{from: number, to: number, bracket: number, address: string}} Link */

/**
 * Return the links `[words](address)` of a part of the text; `bracket` is the end of the words.
 * @param {import("@codemirror/state").EditorState} state @param {number} from @param {number} to
 */
function findLinks(state, from, to) {
  /** @type {Link[]} */
  const found = [];
  const enter = (/** @type {import("@lezer/common").SyntaxNodeRef} */ { name, node }) => {
    if (name !== "Link") return;
    const url = node.getChild("URL");
    const bracket = node.getChildren("LinkMark")[1]?.from;
    if (!url || node.getChild("Image") || !(bracket > node.from + 1)) return;
    found.push({ from: node.from, to: node.to, bracket, address: state.sliceDoc(url.from, url.to) });
  };
  syntaxTree(state).iterate({ from, to, enter });
  return found;
}

/** @param {EditorView} view */
function decorateLinks({ state, visibleRanges }) {
  /** @type {RangeSetBuilder<Decoration>} */
  const builder = new RangeSetBuilder();
  const isTouched = (/** @type {Link} */ { from, to }) =>
    state.selection.ranges.some((range) => range.from <= to && range.to >= from);
  let last = -1;
  for (const part of visibleRanges) {
    for (const link of findLinks(state, part.from, part.to)) {
      if (link.from <= last || isTouched(link)) continue;
      const { from, to, bracket, address } = link;
      builder.add(from, from + 1, hidden);
      builder.add(from + 1, bracket, words);
      if (address.startsWith("media:")) builder.add(bracket, bracket, file);
      builder.add(bracket, to, hidden);
      last = from;
    }
  }
  return builder.finish();
}

/** Hide addresses; follow(address) opens the link at the cursor. @param {(address: string) => void} follow */
export const foldLinks = (follow) => [
  ViewPlugin.define(
    (view) => ({
      decorations: decorateLinks(view),
      /** @this {any} */
      update(/** @type {import("@codemirror/view").ViewUpdate} */ update) {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (!(update.docChanged || update.selectionSet || update.viewportChanged || isParsed)) return;
        this.decorations = decorateLinks(update.view);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  ),
  keymap.of([
    {
      key: "Mod-Enter",
      run({ state }) {
        const { head } = state.selection.main;
        const link = findLinks(state, head, head).find(({ from, to }) => from <= head && head <= to);
        if (link) follow(link.address);
        return Boolean(link);
      },
    },
  ]),
];
