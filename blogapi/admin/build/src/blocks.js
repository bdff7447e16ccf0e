// Shows blocks, such as pictures, in rendered form in the text. The page finds the blocks, and draws them.
import { EditorSelection, Facet, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, WidgetType } from "@codemirror/view";

/**
 * A function that draws a block in an element.
 *
 * @typedef {(dom: HTMLElement, block: Block, isSelected: boolean, actions: BlockActions) => void} DrawBlock
 * @typedef {import("@codemirror/state").EditorState} EditorState
 */

/** @type {import("@codemirror/state").StateEffectType<boolean>} */
const focusEffect = StateEffect.define();
/** @type {Facet<Block[], Block[]>} */
const blockFacet = Facet.define({ combine: (values) => values.flat() });

class BlockWidget extends WidgetType {
  /** @param {Block} block @param {boolean} isSelected @param {DrawBlock} draw */
  constructor(block, isSelected, draw) {
    super();
    this.block = block;
    this.isSelected = isSelected;
    this.draw = draw;
  }
  /** @param {BlockWidget} other */
  eq(other) {
    return other.block.source === this.block.source && other.isSelected === this.isSelected;
  }
  /** @param {EditorView} view */
  toDOM(view) {
    const dom = document.createElement("div");
    dom.className = "block";
    dom.addEventListener("mousedown", (event) => {
      if (/** @type {Element} */ (event.target).closest("a, button, input, textarea")) return;
      event.preventDefault();
      const block = findBlock(view, dom);
      if (block) selectBlock(view, block);
      view.focus();
    });
    this.updateDOM(dom, view);
    return dom;
  }
  /** @param {HTMLElement} dom @param {EditorView} view */
  updateDOM(dom, view) {
    dom.classList.toggle("selected", this.isSelected);
    this.draw(dom, this.block, this.isSelected, makeBlockActions(view, dom));
    return true;
  }
  get estimatedHeight() {
    return this.block.height;
  }
}

/** @param {EditorView} view */
const getBlocks = (view) => view.state.facet(blockFacet);
/** @param {EditorView} view @param {HTMLElement} dom */
const findBlock = (view, dom) => {
  const position = view.posAtDOM(dom);
  return getBlocks(view).find(({ from, to }) => from <= position && position <= to);
};
/** @param {EditorSelection} selection @param {Block} block */
const isBlockSelected = ({ main }, { from, to }) => main.from === from && main.to === to;
/** @param {EditorView} view */
const findSelectedBlock = (view) => getBlocks(view).find((block) => isBlockSelected(view.state.selection, block));

/** @param {EditorView} view @param {Block} block */
function selectBlock(view, { from, to }) {
  view.dispatch({ selection: EditorSelection.range(from, to), scrollIntoView: true, userEvent: "select" });
}

/**
 * Return the functions with which a drawn block changes its part of the text.
 * @param {EditorView} view @param {HTMLElement} dom @returns {BlockActions}
 */
function makeBlockActions(view, dom) {
  /** @param {(block: Block) => import("@codemirror/state").TransactionSpec} makeSpec */
  const dispatchChange = (makeSpec) => {
    const block = findBlock(view, dom);
    if (block) view.dispatch(makeSpec(block));
  };
  return {
    replace: (insert) =>
      dispatchChange(({ from, to }) => ({
        changes: { from, to, insert },
        selection: EditorSelection.range(from, from + insert.length),
        userEvent: "input.block",
      })),
    remove() {
      dispatchChange(({ from, to }) => ({
        changes: { from, to },
        selection: { anchor: from },
        userEvent: "delete.block",
      }));
      view.focus();
    },
    /** Show the text of the block, with the cursor in it. */
    reveal() {
      // The text of the block is shown only while the editor has the focus.
      view.focus();
      dispatchChange(({ from }) => ({ selection: { anchor: from + 1 }, effects: focusEffect.of(true) }));
    },
    focusText: () => view.focus(),
    measure: () => view.requestMeasure(),
  };
}

/** @param {Block[]} blocks @param {EditorSelection} selection @param {boolean} hasFocus @param {DrawBlock} draw */
function decorateBlocks(blocks, selection, hasFocus, draw) {
  const { main } = selection;
  const shown = blocks.filter(({ from, to }) => {
    if (main.empty) return !hasFocus || main.head < from || main.head > to;
    const isInside = (/** @type {number} */ position) => position > from && position < to;
    return !isInside(main.from) && !isInside(main.to);
  });
  return Decoration.set(
    shown.map((block) => {
      const isSelected = isBlockSelected(selection, block);
      const widget = new BlockWidget(block, isSelected, draw);
      return Decoration.replace({ widget, block: true }).range(block.from, block.to);
    }),
  );
}

/**
 * Return the command that moves the cursor into a block, or out of a block.
 * @param {1 | -1} step @param {boolean} isVertical @returns {import("@codemirror/view").Command}
 */
const makeMoveCommand = (step, isVertical) => (view) => {
  const { doc, selection } = view.state;
  const { main } = selection;
  const selected = findSelectedBlock(view);
  if (selected) {
    const edge = step > 0 ? selected.to : selected.from;
    const isEnd = step > 0 ? edge === doc.length : edge === 0;
    if (isEnd && step < 0) return true;
    // Add a line after a block at the end of the text, so that the cursor can leave the block.
    if (isEnd) view.dispatch({ changes: { from: edge, insert: "\n\n" }, selection: { anchor: edge + 2 } });
    else view.dispatch({ selection: { anchor: edge + step }, scrollIntoView: true, userEvent: "select" });
    return true;
  }
  if (!main.empty) return false;
  const line = doc.lineAt(main.head);
  const next = getBlocks(view).find(({ from, to }) => (step > 0 ? from === line.to + 1 : to === line.from - 1));
  if (!next) return false;
  const moved = isVertical ? view.moveVertically(main, step > 0).head : main.head;
  const stays = isVertical
    ? moved !== main.head && moved >= line.from && moved <= line.to
    : main.head !== (step > 0 ? line.to : line.from);
  if (!stays) selectBlock(view, next);
  return !stays;
};

/** @type {import("@codemirror/view").Command} */
const focusSelectedBlock = (view) => {
  if (!findSelectedBlock(view)) return false;
  const control = view.contentDOM.querySelector(".block.selected :is(textarea, input, button)");
  /** @type {HTMLElement | null} */ (control)?.focus();
  return true;
};

// Text that is typed while a block is selected is inserted after the block, in a paragraph of its own.
/** @param {KeyboardEvent} event @param {EditorView} view */
const leaveBlockBeforeText = ({ key, ctrlKey, altKey, metaKey }, view) => {
  const block = findSelectedBlock(view);
  const isText = (key.length === 1 && !ctrlKey && !altKey && !metaKey) || key === "Process";
  if (!block || !isText) return false;
  const selection = { anchor: block.to + 2 };
  view.dispatch({ changes: { from: block.to, insert: "\n\n" }, selection, userEvent: "input.type" });
  return false;
};

/**
 * Show blocks in rendered form. findBlocks(text): returns the blocks of a text, each of one or more whole lines.
 * @param {{findBlocks: (text: string) => Block[], drawBlock: DrawBlock}} options
 */
export function showBlocks({ findBlocks, drawBlock }) {
  /** @param {Block[]} blocks @param {EditorState} state @param {boolean} hasFocus */
  const makeValue = (blocks, state, hasFocus) => ({
    blocks,
    hasFocus,
    decorations: decorateBlocks(blocks, state.selection, hasFocus, drawBlock),
  });
  const field = StateField.define({
    create: (state) => makeValue(findBlocks(state.doc.toString()), state, false),
    update(value, { docChanged, selection, effects, state }) {
      const focus = effects.find((effect) => effect.is(focusEffect));
      if (!docChanged && !selection && !focus) return value;
      const blocks = docChanged ? findBlocks(state.doc.toString()) : value.blocks;
      if (!blocks.length && !value.blocks.length && !focus) return value;
      return makeValue(blocks, state, focus ? focus.value : value.hasFocus);
    },
    provide: (field) => [
      EditorView.decorations.from(field, ({ decorations }) => decorations),
      blockFacet.from(field, ({ blocks }) => blocks),
    ],
  });
  return [
    field,
    EditorView.focusChangeEffect.of((_, focusing) => focusEffect.of(focusing)),
    Prec.highest(EditorView.domEventHandlers({ keydown: leaveBlockBeforeText })),
    Prec.highest(
      keymap.of([
        { key: "ArrowDown", run: makeMoveCommand(1, true) },
        { key: "ArrowUp", run: makeMoveCommand(-1, true) },
        { key: "ArrowRight", run: makeMoveCommand(1, false) },
        { key: "ArrowLeft", run: makeMoveCommand(-1, false) },
        { key: "Enter", run: focusSelectedBlock },
        { key: "Backspace", run: (view) => !findSelectedBlock(view) && makeMoveCommand(-1, false)(view) },
        { key: "Delete", run: (view) => !findSelectedBlock(view) && makeMoveCommand(1, false)(view) },
      ]),
    ),
  ];
}
