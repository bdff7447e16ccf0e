/** Scrolls the preview with the text, and marks the part of the preview that the cursor of the text is in. */

import { findOffsets, locateOffset } from "./preview-offsets.js";

// The selector of the parts of a preview.
const PARTS = "p, h1, h2, h3, h4, h5, h6, li, pre, tr, dt, dd, figcaption, summary";
const MARK_CLASS = "at-cursor";

export class PreviewFollower {
  /** @type {Element[]} */
  parts = [];
  /** @type {(number | null)[]} the offset in the text of each part */
  offsets = [];
  text = "";
  waiting = new Set();
  /** @type {Element | undefined} */
  marked;

  /**
   * writing, reading: the elements that scroll.
   * @param {{writing: HTMLElement, reading: HTMLElement, getField: () => TextField}} options
   */
  constructor({ writing, reading, getField }) {
    this.writing = writing;
    this.reading = reading;
    this.getField = getField;
    writing.addEventListener("scroll", () => this.#callBeforeFrame("scrollPreview"), { passive: true });
    document.addEventListener("selectionchange", () => {
      if (writing.contains(document.activeElement)) this.#callBeforeFrame("markCurrentPart");
    });
  }

  /** The editor calls this when the preview shows another text. @param {ShadowRoot | null} root @param {string} text */
  setPreview(root, text) {
    const article = root?.querySelector("article");
    if (!article) return;
    // The title and the other lines above the text are not parts of the text.
    const parts = [...article.querySelectorAll(PARTS)].filter((part) => !part.matches(".category, .subtitle, .title"));
    this.parts = parts;
    this.text = text;
    this.offsets = findOffsets(text, parts.map(getFirstText));
    this.scrollPreview();
    this.markCurrentPart();
  }

  markCurrentPart() {
    const { parts, offsets, text, writing } = this;
    const isFocused = writing.contains(document.activeElement);
    const { from } = this.getField().getSelection();
    const [index] = locateOffset(offsets, from, text.length) ?? [-1];
    const part = isFocused ? parts[index] : undefined;
    if (part !== this.marked) {
      this.marked?.classList.remove(MARK_CLASS);
      part?.classList.add(MARK_CLASS);
      this.marked = part;
    }
    if (isFocused) this.revealMarkedPart();
  }

  // Scroll the preview until the marked part is visible.
  revealMarkedPart() {
    const { reading, marked: part } = this;
    const top = part ? this.#getTop(part) : reading.scrollTop;
    const isShown = top > reading.scrollTop - 24 && top < reading.scrollTop + reading.clientHeight - 48;
    if (!isShown) this.#scrollTo(top - reading.clientHeight / 3);
  }

  // Scroll the preview to the text that is at the top of the field.
  scrollPreview() {
    const { writing, reading, parts, offsets, text } = this;
    const last = writing.scrollHeight - writing.clientHeight;
    if (writing.scrollTop < 8 || !parts.length) return this.#scrollTo(0);
    const offset = this.#getTopOffset();
    const found = offset === null ? null : locateOffset(offsets, offset, text.length);
    if (!found || writing.scrollTop > last - 8) {
      return this.#scrollTo((writing.scrollTop / last) * (reading.scrollHeight - reading.clientHeight));
    }
    const [index, way] = found;
    const next = parts[index + 1 + offsets.slice(index + 1).findIndex((other) => other !== null)];
    const [top, below] = [this.#getTop(parts[index]), next ? this.#getTop(next) : reading.scrollHeight];
    this.#scrollTo(top + Math.max(0, below - top) * way - 24);
  }

  /** @param {number} top */
  #scrollTo(top) {
    if (Math.abs(this.reading.scrollTop - top) > 4) this.reading.scrollTop = top;
  }

  /** @param {Element} part */
  #getTop(part) {
    const { reading } = this;
    return part.getBoundingClientRect().top - reading.getBoundingClientRect().top + reading.scrollTop;
  }

  // Return the offset of the text at the top of the field, or null for a plain text area.
  #getTopOffset() {
    const field = this.getField();
    const { left, top } = this.writing.getBoundingClientRect();
    const text = field.contentDOM?.getBoundingClientRect();
    return (text && field.getOffsetAt?.(Math.max(left, text.left) + 8, Math.max(top, text.top) + 8)) ?? null;
  }

  /** Call the method before the next frame is drawn. @param {"scrollPreview" | "markCurrentPart"} name */
  #callBeforeFrame(name) {
    if (this.waiting.has(name)) return;
    this.waiting.add(name);
    requestAnimationFrame(() => {
      this.waiting.delete(name);
      this[name]();
    });
  }
}

/**
 * Return the first text in a part; "" if the text is in a nested part, which is listed, too.
 * @param {Element} part
 */
function getFirstText(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent?.trim()) continue;
    return node.parentElement?.closest(PARTS) === part ? node.textContent : "";
  }
  return "";
}
