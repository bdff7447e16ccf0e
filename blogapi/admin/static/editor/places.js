/**
 * Finds the places in a text of which the parts of its preview were made, by their words: the public HTML says nothing
 * about the text. No DOM.
 */

const LETTERS = /[\p{L}\p{N}]/gu;
const [MIN_LETTERS, MAX_LETTERS] = [1, 40];
// Parts that were made from something else, such as a footnote at the end, are looked for this far only.
const MAX_DISTANCE = 20_000;

/**
 * Return the offset in the text of each part of its preview, in their order; null if it is not found.
 * @param {string} text @param {string[]} parts the beginning of each part as plain text
 */
export function findPlaces(text, parts) {
  /** @type {number[]} */
  const offsets = [];
  let letters = "";
  for (const { 0: letter, index } of text.matchAll(LETTERS)) {
    letters += letter;
    offsets.push(index);
    // A letter can have two code units.
    if (letter.length > 1) offsets.push(index);
  }
  let from = 0;
  let last = -1;
  return parts.map((part) => {
    const words = (part.match(LETTERS) ?? []).slice(0, MAX_LETTERS).join("");
    const at = words.length < MIN_LETTERS ? -1 : letters.indexOf(words, from);
    if (at < 0 || at - from > MAX_DISTANCE) return null;
    from = at + words.length;
    // The marks of a heading or a list belong to the part.
    const line = text.lastIndexOf("\n", offsets[at]) + 1;
    const place = line > last ? line : offsets[at];
    last = place;
    return place;
  });
}

/**
 * Return the last place at or before an offset, and how far the offset is on the way to the next: [index, 0 to 1]; null
 * if there is none.
 * @param {(number | null)[]} places @param {number} offset @param {number} end the length of the text
 * @returns {[number, number] | null}
 */
export function locate(places, offset, end) {
  const isBefore = (/** @type {number | null} */ place) => place !== null && place <= offset;
  const index = places.findLastIndex(isBefore);
  if (index < 0) return null;
  const start = /** @type {number} */ (places[index]);
  const next = places.slice(index + 1).find((place) => place !== null) ?? end;
  return [index, next > start ? Math.min(1, (offset - start) / (next - start)) : 0];
}
