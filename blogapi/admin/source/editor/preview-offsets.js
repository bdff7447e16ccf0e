/**
 * Finds the offset in the text for each part of its preview. The words of each part are searched in the text, because
 * the public HTML contains no offsets. Does not use the DOM.
 */

const LETTERS = /[\p{L}\p{N}]/gu;
const WORDS = /[\p{L}\p{N}]+/gu;
const [MAX_LETTERS, MAX_LENGTH] = [40, 200];
// The search for a part ends at this distance, because some parts, such as footnotes, have another place in the text.
const MAX_DISTANCE = 20_000;

/**
 * Return the offset in the text of each part of its preview, in their order; null if it is not found.
 * @param {string} text @param {string[]} parts the beginning of each part as plain text
 */
export function findOffsets(text, parts) {
  /**
   * For each word: its offset in `letters` (all words joined), and its offset in the text.
   * @type {[number, number][]}
   */
  const words = [];
  let letters = "";
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    words.push([letters.length, index]);
    letters += word;
  }
  let at = 0;
  // This function is called with ascending offsets.
  const getOffset = (/** @type {number} */ letter) => {
    while (at + 1 < words.length && words[at + 1][0] <= letter) at += 1;
    return words[at][1] + letter - words[at][0];
  };
  let from = 0;
  let last = -1;
  return parts.map((part) => {
    const start = (part.slice(0, MAX_LENGTH).match(LETTERS) ?? []).slice(0, MAX_LETTERS).join("");
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
 * Return the index of the last part at or before an offset, and how far the offset is on the way to the next part:
 * [index, 0 to 1]; null if there is none.
 * @param {(number | null)[]} parts their offsets @param {number} offset @param {number} end the length of the text
 * @returns {[number, number] | null}
 */
export function locateOffset(parts, offset, end) {
  const index = parts.findLastIndex((part) => part !== null && part <= offset);
  if (index < 0) return null;
  const start = /** @type {number} */ (parts[index]);
  const next = parts.slice(index + 1).find((part) => part !== null) ?? end;
  return [index, next > start ? Math.min(1, (offset - start) / (next - start)) : 0];
}
