// A Markdown editor: CodeMirror with GitHub's Markdown, without anything that changes the text by itself.
import { history, historyKeymap, isolateHistory, standardKeymap } from "@codemirror/commands";
import { commonmarkLanguage, insertNewlineContinueMarkupCommand } from "@codemirror/lang-markdown";
import {
  forceParsing,
  HighlightStyle,
  Language,
  LanguageSupport,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { closeSearchPanel, findNext, findPrevious, getSearchQuery, openSearchPanel, search } from "@codemirror/search";
import { EditorState, Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, keymap, panels, placeholder as emptyText } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM } from "@lezer/markdown";
import { showBlocks } from "./blocks.js";
import { showLinkChips } from "./chips.js";
import { foldLinks } from "./link-folds.js";
import { makeRangeCommands, rangeField } from "./ranges.js";

const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false });
/** @param {string} text */
const isBlank = (text) => /^[\s>]*$/.test(text);

/**
 * Continue a list or a quote on the next line; on an empty item or an empty line of a quote, leave it. Then the lines
 * above and below the cursor are empty, because Markdown adds a line directly below a list or a quote to it.
 * @type {import("@codemirror/state").StateCommand}
 */
function continueOrLeaveBlock({ state, dispatch }) {
  const { doc, selection } = state;
  const line = doc.lineAt(selection.main.head);
  /** @param {import("@codemirror/state").Transaction} change */
  const leaveBlock = (change) => {
    const { newDoc, newSelection } = change;
    const { number, from, to, text } = newDoc.lineAt(newSelection.main.head);
    if (newDoc.lines !== doc.lines || !isBlank(text)) return dispatch(state.update(change));
    const isWritten = (/** @type {number} */ n) => n > 0 && n <= newDoc.lines && !isBlank(newDoc.line(n).text);
    const before = isWritten(number - 1) ? `${text.trimEnd()}\n` : "";
    const after = isWritten(number + 1) ? `\n${text.trimEnd()}` : "";
    const changes = [
      { from, insert: before },
      { from: to, insert: after },
    ];
    dispatch(state.update(change, { changes, selection: { anchor: to + before.length }, sequential: true }));
  };
  const mark = line.from + line.text.lastIndexOf(">");
  const { name, parent } = syntaxTree(state).resolveInner(mark, 1);
  const isQuote = selection.main.empty && selection.main.head > mark && isBlank(line.text) && name === "QuoteMark";
  if (!isQuote || BLOCK_NODE.test(parent?.name ?? "")) return continueMarkup({ state, dispatch: leaveBlock });
  leaveBlock(state.update({ changes: { from: mark, to: line.to }, scrollIntoView: true, userEvent: "input" }));
  return true;
}
const continueKeymap = Prec.high(keymap.of([{ key: "Enter", run: continueOrLeaveBlock }]));

// The parser of Markdown alone: the language support of the package would also include HTML, CSS and JavaScript.
const parser = /** @type {import("@lezer/markdown").MarkdownParser} */ (commonmarkLanguage.parser).configure(GFM);
const language = new LanguageSupport(new Language(commonmarkLanguage.data, parser, [], "markdown"));

const markdownStyle = HighlightStyle.define([
  { tag: tags.processingInstruction, class: "md-mark" },
  { tag: tags.contentSeparator, class: "md-mark" },
  { tag: tags.atom, class: "md-mark" },
  { tag: tags.url, class: "md-url" },
  { tag: tags.labelName, class: "md-label" },
  { tag: tags.heading, class: "md-heading" },
  { tag: tags.strong, class: "md-strong" },
  { tag: tags.emphasis, class: "md-em" },
  { tag: tags.monospace, class: "md-code" },
  { tag: tags.link, class: "md-link" },
  { tag: tags.quote, class: "md-quote" },
  { tag: tags.strikethrough, class: "md-strike" },
  { tag: tags.comment, class: "md-comment" },
]);

const MAX_PARSED_AT_FIRST = 20_000;
const MAX_PARSE_MS = 50;
const MAX_HANG_WIDTH = 12;
// The indentation at the beginning of a line, and its marks of quotes, lists and tasks.
const LINE_MARKS = /^(?:\s|>|(?:[-*+]|\d{1,9}[.)])(?=\s)|\[[ xX]\](?=\s))*/;
const BLOCK_NODE = /^(?:FencedCode|CodeBlock|HTMLBlock|CommentBlock|Table)$/;
const HEADING_NODE = /^(ATX|Setext)Heading([1-6])$/;

const lineDecorations = new Map();
// The marks at the beginning of a line of a list or a quote. Their width aligns the text of all its wrapped lines.
const leadMark = Decoration.mark({ class: "md-lead" });
/** @param {string} name */
function getLineDecoration(name) {
  if (!lineDecorations.has(name)) {
    lineDecorations.set(name, Decoration.line({ attributes: { class: name, dir: "auto" } }));
  }
  return lineDecorations.get(name);
}

/**
 * A function that returns the CSS classes of a line.
 *
 * @typedef {(tree: ReturnType<typeof syntaxTree>, line: import("@codemirror/state").Line) => string} GetLineClass
 */

/**
 * Return the classes for the level of a heading, or for the hanging indent of a list or a quote.
 * @type {GetLineClass}
 */
function getLineClass(tree, line) {
  const end = line.from + line.text.search(/\S|$/);
  /** @type {ReturnType<typeof tree.resolveInner> | null} */
  let node = tree.resolveInner(end, 1);
  for (; node; node = node.parent) {
    const heading = HEADING_NODE.exec(node.name);
    if (heading) return heading[1] === "ATX" ? `md-h md-h${heading[2]}` : `md-h${heading[2]}`;
    if (BLOCK_NODE.test(node.name)) return "md-block";
  }
  const width = /** @type {RegExpExecArray} */ (LINE_MARKS.exec(line.text))[0].replace(/\t/g, "    ").length;
  return width ? `md-hang-${Math.min(width, MAX_HANG_WIDTH)}` : "";
}

/** @param {EditorView} view @param {GetLineClass} getLineClass */
function decorateLines(view, getLineClass) {
  /** @type {RangeSetBuilder<Decoration>} */
  const builder = new RangeSetBuilder();
  const tree = syntaxTree(view.state);
  let last = -1;
  for (const { from, to } of view.visibleRanges) {
    for (let position = from; position <= to; ) {
      const line = view.state.doc.lineAt(position);
      if (line.from > last) {
        const name = getLineClass(tree, line);
        builder.add(line.from, line.from, getLineDecoration(name));
        const marks = /^md-hang/.test(name) ? /** @type {RegExpExecArray} */ (LINE_MARKS.exec(line.text))[0].length : 0;
        if (marks && marks <= MAX_HANG_WIDTH) builder.add(line.from, line.from + marks, leadMark);
      }
      last = line.from;
      position = line.to + 1;
    }
  }
  return builder.finish();
}

/** Give each visible line its own direction, and the classes of getLineClass(). @param {GetLineClass} getLineClass */
const decorateVisibleLines = (getLineClass) =>
  ViewPlugin.define(
    (view) => ({
      decorations: decorateLines(view, getLineClass),
      /** @this {any} */
      update(/** @type {import("@codemirror/view").ViewUpdate} */ { docChanged, viewportChanged, startState, state }) {
        if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state)) {
          this.decorations = decorateLines(view, getLineClass);
        }
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );

// The CSS rules for the layout; colours and fonts are in the style sheet of the pages. With `--md-hang: 1`, the marks
// of headings are in the left margin, which then needs `--md-margin: 7ch`.
/** @type {Record<string, Record<string, string>>} */
const layoutRules = {
  "&": { color: "inherit", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflowX: "visible" },
  ".cm-content": { padding: "0 var(--md-margin, 0)", caretColor: "var(--accent)", minHeight: "inherit" },
  ".cm-line": { padding: "0" },
  ".cm-placeholder": { color: "var(--soft)" },
};
for (let level = 1; level <= 6; level++) {
  layoutRules[`.md-h.md-h${level}`] = { textIndent: `calc(var(--md-hang, 0) * ${-level - 1}ch)` };
}
for (let width = 1; width <= MAX_HANG_WIDTH; width++) {
  layoutRules[`.md-hang-${width}`] = { paddingInlineStart: `${width}ch`, textIndent: `-${width}ch` };
  layoutRules[`.md-hang-${width} .md-lead`] = { minInlineSize: `${width}ch` };
}

const MAX_COUNTED_MATCHES = 5_000;
const SEARCH_PHRASES = {
  Replace: "Replace with",
  "by word": "Whole words",
  close: "Close",
  "match case": "Match case",
  next: "Next",
  previous: "Previous",
  regexp: "Regular expression",
  replace: "Replace",
  "replace all": "Replace all",
  "replaced $ matches": "$ replaced",
};

/**
 * Return the extension that shows the panel for find and replace in `parent`, and the number of matches in the <output>
 * before it.
 * @param {HTMLElement} parent
 */
function makeSearchPanel(parent) {
  // CodeMirror's panel handles only keys and `change` events, but words can also be pasted with the mouse.
  parent.oninput = ({ target }) => target?.dispatchEvent(new Event("change"));
  return [
    search({ top: true, literal: true }),
    panels({ topContainer: parent }),
    EditorState.phrases.of(SEARCH_PHRASES),
    keymap.of([{ key: "Escape", run: closeSearchPanel, scope: "editor search-panel" }]),
    EditorView.updateListener.of(({ view, state, startState }) => {
      const output = parent.querySelector(".cm-search") && parent.previousElementSibling;
      if (!output) return;
      const query = getSearchQuery(state);
      output.textContent = describeMatches(state, query);
      // The first match is selected while the words are typed.
      const isTyped = parent.contains(document.activeElement) && !query.eq(getSearchQuery(startState));
      if (!isTyped || !query.valid) return;
      const [after, first] = [state.selection.main.from, 0].map((from) => query.getCursor(state, from).next());
      const { from: anchor, to: head } = after.done ? first.value : after.value;
      if (!first.done) view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor) });
    }),
  ];
}

/** Return "2 of 7" or "No match". @param {EditorState} state @param {import("@codemirror/search").SearchQuery} query */
function describeMatches(state, query) {
  if (!query.search) return "";
  if (!query.valid) return "Not complete";
  const { main } = state.selection;
  let [total, current] = [0, 0];
  const cursor = query.getCursor(state);
  for (let match = cursor.next(); !match.done && total <= MAX_COUNTED_MATCHES; match = cursor.next()) {
    total += 1;
    if (main.from === match.value.from && main.to === match.value.to) current = total;
  }
  const shown = total > MAX_COUNTED_MATCHES ? `${MAX_COUNTED_MATCHES}+` : total;
  return total ? `${current || "–"} of ${shown}` : "No match";
}

/**
 * Show an editor in `parent`, and return its commands.
 *
 * text: with "\n" as the only line break; from, to: the selection; findRow: the parent of the search panel; markdown:
 * false for other types of content; blocks: see showBlocks(); describeLink: see showLinkChips(); openLinkTarget: see
 * foldLinks(); changeInput: returns the text to insert for a text that is typed or pasted at an offset; onChange:
 * called after each change.
 * @param {{parent: HTMLElement, findRow?: HTMLElement, text?: string, from?: number, to?: number, label: string,
 *   placeholder?: string, markdown?: boolean, blocks?: Parameters<typeof showBlocks>[0],
 *   describeLink?: Parameters<typeof showLinkChips>[0], openLinkTarget?: (address: string) => void,
 *   changeInput?: (text: string, from: number) => string, onChange?: () => void}} options
 */
export function createEditor({
  parent,
  findRow,
  text = "",
  from = 0,
  to = from,
  label,
  placeholder = "",
  markdown = true,
  blocks,
  describeLink,
  openLinkTarget,
  changeInput = (text) => text,
  onChange,
}) {
  const limitOffset = (/** @type {number} */ position) => Math.max(0, Math.min(position, view.state.doc.length));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      selection: { anchor: Math.min(from, text.length), head: Math.min(to, text.length) },
      extensions: [
        EditorState.lineSeparator.of("\n"),
        EditorView.clipboardInputFilter.of((pasted, { selection }) =>
          changeInput(pasted.replace(/\r\n?/g, "\n"), selection.main.from),
        ),
        EditorView.inputHandler.of((view, from, to, typed) => {
          const insert = changeInput(typed, from);
          if (insert === typed) return false;
          const selection = { anchor: from + insert.length };
          view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent: "input.type" });
          return true;
        }),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({
          "aria-label": label,
          spellcheck: "true",
          autocapitalize: "sentences",
          autocorrect: "on",
        }),
        EditorView.theme(layoutRules),
        markdown ? [language, syntaxHighlighting(markdownStyle), continueKeymap] : [],
        decorateVisibleLines(markdown ? getLineClass : () => ""),
        placeholder ? emptyText(placeholder) : [],
        history(),
        markdown && blocks ? showBlocks(blocks) : [],
        markdown && describeLink ? showLinkChips(describeLink) : [],
        markdown && openLinkTarget ? foldLinks(openLinkTarget) : [],
        findRow ? makeSearchPanel(findRow) : [],
        rangeField,
        keymap.of([...historyKeymap, ...standardKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange?.();
        }),
      ],
    }),
  });
  // CodeMirror parses only 3,000 characters at first, which is less than a large window shows.
  if (markdown) forceParsing(view, Math.min(text.length, MAX_PARSED_AT_FIRST), MAX_PARSE_MS);
  return {
    search: {
      /** @param {boolean} isReplacing */
      open(isReplacing) {
        openSearchPanel(view);
        const input = findRow?.querySelector("[name=replace]");
        if (isReplacing && input instanceof HTMLElement) input.focus();
      },
      next: () => findNext(view),
      previous: () => findPrevious(view),
    },
    ranges: makeRangeCommands(view),
    contentDOM: view.contentDOM,
    getText: () => view.state.doc.toString(),
    getSelection: () => ({ from: view.state.selection.main.from, to: view.state.selection.main.to }),
    /** Select a range and show it. @param {number} from @param {number} [to] */
    selectRange(from, to = from) {
      view.dispatch({ selection: { anchor: limitOffset(from), head: limitOffset(to) }, scrollIntoView: true });
    },
    /**
     * Replace a range as one undo step, and select a range of the new text.
     * @param {Partial<Change> & {from: number}} change
     */
    applyChange({ from, to = from, insert = "", selectFrom = from + insert.length, selectTo = selectFrom }) {
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: selectFrom, head: selectTo },
        scrollIntoView: true,
        userEvent: "input.command",
        annotations: isolateHistory.of("full"),
      });
    },
    /** Return the offset at a position of the window, or null. @param {number} x @param {number} y */
    getOffsetAt: (x, y) => view.posAtCoords({ x, y }),
    /** Return the rectangle of the character at an offset, or null if it is not drawn. @param {number} position */
    getRectangleAt: (position) => view.coordsAtPos(limitOffset(position)),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
