// Marks the address of each link that the selection does not touch, so that the style sheet can hide it. The address
// stays in the document for the arrow keys, the clipboard, the search and screen readers.
import { syntaxTree } from "@codemirror/language";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, keymap, ViewPlugin, WidgetType } from "@codemirror/view";

const hiddenMark = Decoration.mark({ class: "md-folded" });
const wordsMark = Decoration.mark({ class: "md-fold" });
const ICONS_PATH = new URL("./icons.svg", import.meta.url).pathname;

class FileIcon extends WidgetType {
  eq() {
    return true;
  }

  toDOM() {
    const span = Object.assign(document.createElement("span"), { className: "md-fold-file" });
    span.innerHTML = `<svg class="icon" aria-hidden="true"><use href="${ICONS_PATH}#paperclip"></use></svg>`;
    return span;
  }
}
const fileIcon = Decoration.widget({ widget: new FileIcon(), side: -1 });

/** @typedef {{from: number, to: number, bracket: number, address: string}} Link */

/**
 * Return the links `[words](address)` of a part of the text; `bracket` is the end of the words.
 * @param {import("@codemirror/state").EditorState} state @param {number} from @param {number} to
 */
function findLinks(state, from, to) {
  /** @type {Link[]} */
  const found = [];
  const collectLink = (/** @type {import("@lezer/common").SyntaxNodeRef} */ { name, node }) => {
    if (name !== "Link") return;
    const url = node.getChild("URL");
    const bracket = node.getChildren("LinkMark")[1]?.from;
    if (!url || node.getChild("Image") || !(bracket > node.from + 1)) return;
    found.push({ from: node.from, to: node.to, bracket, address: state.sliceDoc(url.from, url.to) });
  };
  syntaxTree(state).iterate({ from, to, enter: collectLink });
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
      builder.add(from, from + 1, hiddenMark);
      builder.add(from + 1, bracket, wordsMark);
      if (address.startsWith("media:")) builder.add(bracket, bracket, fileIcon);
      builder.add(bracket, to, hiddenMark);
      last = from;
    }
  }
  return builder.finish();
}

/** Return the extension that folds links; Mod-Enter opens a link. @param {(address: string) => void} openLinkTarget */
export const foldLinks = (openLinkTarget) => [
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
        if (link) openLinkTarget(link.address);
        return Boolean(link);
      },
    },
  ]),
];
