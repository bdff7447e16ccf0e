/**
 * Finds the offset in the text for each part of its preview by the words of the part, because the public HTML contains
 * no offsets. This module does not use the DOM.
 */

const LETTER_PATTERN = /[\p{L}\p{N}]/gu;
const WORD_PATTERN = /[\p{L}\p{N}]+/gu;
const [MAX_LETTERS, MAX_PART_LENGTH] = [40, 200];
// The search for a part ends at this distance: some parts, such as footnotes, are elsewhere in the text.
const MAX_DISTANCE = 20_000;

/**
 * Return the offset in the text for each part of its preview; null for a part that is not found.
 * @param {string} text @param {string[]} parts the beginning of each part as plain text
 */
export function findOffsets(text, parts) {
  /**
   * For each word: its offset in `letters` (all words joined), and its offset in the text.
   * @type {[number, number][]}
   */
  const words = [];
  let letters = "";
  for (const { 0: word, index } of text.matchAll(WORD_PATTERN)) {
    words.push([letters.length, index]);
    letters += word;
  }
  let at = 0;
  // Return the offset in the text for an offset in `letters`. The calls have ascending offsets.
  const getOffset = (/** @type {number} */ letter) => {
    while (at + 1 < words.length && words[at + 1][0] <= letter) at += 1;
    return words[at][1] + letter - words[at][0];
  };
  let from = 0;
  let last = -1;
  return parts.map((part) => {
    const start = (part.slice(0, MAX_PART_LENGTH).match(LETTER_PATTERN) ?? []).slice(0, MAX_LETTERS).join("");
    const found = start ? letters.indexOf(start, from) : -1;
    if (found < 0 || found - from > MAX_DISTANCE) return null;
    from = found + start.length;
    const offset = getOffset(found);
    // The marks of a heading or a list belong to the part.
    const line = text.lastIndexOf("\n", offset) + 1;
    last = line > last ? line : offset;
    return last;
  });
}

/**
 * Return the index of the last part at or before an offset, and the position of the offset between this part (0) and
 * the next one (1); null if no part is before the offset.
 * @param {(number | null)[]} parts the offsets of the parts @param {number} offset
 * @param {number} end the length of the text
 * @returns {[number, number] | null}
 */
export function locateOffset(parts, offset, end) {
  const index = parts.findLastIndex((part) => part !== null && part <= offset);
  if (index < 0) return null;
  const start = /** @type {number} */ (parts[index]);
  const next = parts.slice(index + 1).find((part) => part !== null) ?? end;
  return [index, next > start ? Math.min(1, (offset - start) / (next - start)) : 0];
}
