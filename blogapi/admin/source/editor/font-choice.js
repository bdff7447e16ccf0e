/** The author's choice for this browser: the font of the text, its size, and whether addresses are folded. */

import { html } from "../../static/vendor/lit.js";
import { checkbox, segmentControl } from "../components.js";
import { openPopover } from "../dialogs.js";
import { refs } from "../shell.js";
import * as storage from "../storage.js";

const STORAGE_KEY = "blogapi.letters";
const font = { letters: "prose", size: "normal", fold: true, ...storage.getItem(STORAGE_KEY) };

/** Show the text as the author has chosen. */
export function applyFontChoice() {
  const { letters, size, fold } = font;
  Object.assign(refs.editor.dataset, { letters, size });
  refs.editor.toggleAttribute("data-fold", fold);
}

/** @param {HTMLElement} anchor @param {TextField} field */
export function openFontPopover(anchor, field) {
  /** @type {Overlay | undefined} */
  let overlay;
  const setFont = (/** @type {Json} */ values) => {
    changeLayoutInPlace(field, () => {
      Object.assign(font, values);
      storage.setItem(STORAGE_KEY, font);
      applyFontChoice();
    });
    overlay?.update();
  };
  const letters = { name: "letters", label: "Letters", items: { Prose: "prose", Mono: "mono" }, value: "" };
  const sizes = { name: "size", label: "Size", items: { Small: "small", Normal: "normal", Large: "large" } };
  const renderContent = () => html`
    <div class="letters-row"><span>Letters</span>
      ${segmentControl({ ...letters, value: font.letters, onChange: (value) => setFont({ letters: value }) })}</div>
    <div class="letters-row"><span>Size</span>
      ${segmentControl({ ...sizes, value: font.size, onChange: (size) => setFont({ size }) })}</div>
    ${checkbox({ id: "fold", label: "Fold addresses away", value: font.fold, onChange: (fold) => setFont({ fold }) })}
    <p class="help">A new browser shows Prose. Your choice is kept in this browser.</p>`;
  overlay = openPopover(anchor, renderContent, { label: "How the text looks", kind: "letters" });
}

/**
 * Change the layout, and keep the line of the cursor in its place; if the cursor is not visible, the first line.
 * @param {TextField} field @param {() => void} change
 */
function changeLayoutInPlace(field, change) {
  const { writing } = refs;
  const { top, bottom, left, width } = writing.getBoundingClientRect();
  const cursor = field.getSelection().to;
  const isVisible = (/** @type {number | undefined} */ y) => y !== undefined && y > top && y < bottom;
  const findBottom = (/** @type {number} */ offset) => field.getRectangleAt?.(offset)?.bottom;
  const offset = isVisible(findBottom(cursor)) ? cursor : field.getOffsetAt?.(left + width / 2, top + 8);
  const before = offset == null ? undefined : findBottom(offset);
  change();
  // CodeMirror measures its lines in the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const after = offset == null ? undefined : findBottom(offset);
      if (before !== undefined && after !== undefined) writing.scrollTop += after - before;
    }),
  );
}
