/** Merges two versions of an article that are based on the same version. This module does not use the DOM. */

import { FIELD_LABELS } from "./differences.js";
import { listCustomLabels } from "./custom-fields.js";
import { normalizeEdits, normalizeLineBreaks } from "./edits.js";

/**
 * A region of the text. kind: "same" if neither version has changed the lines; "mine" or "theirs" if one version has;
 * "both" if both have made the same change; "open" if the changes differ, which is a conflict. base: the lines before
 * both versions, or null if they are unknown.
 *
 * @typedef {"same" | "mine" | "theirs" | "both" | "open"} RegionKind
 * @typedef {{kind: RegionKind, lines: string[], mine: string[], theirs: string[], base: string[] | null}} Region
 * @typedef {{name: string, label: string, base: any, mine: any, theirs: any}} FieldConflict
 * @typedef {typeof import("../../static/vendor/diff3.js")} Diff3
 * @typedef {{base: Edits | null, mine: Edits, theirs: Edits, article?: Article | null}} Versions
 * @typedef {ReturnType<typeof mergeEdits>} Merged
 */

/** @param {unknown} left @param {unknown} right */
const isEqual = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/**
 * Merge the versions. Return the merged edits, with the values of `mine` for conflicts; the regions of the text; the
 * fields with conflicts; and the number of the other changes of each version. A slug, a category or authors that the
 * edits lack are taken from the article.
 * @param {Versions} versions @param {Diff3} diff3
 */
export function mergeEdits({ base, mine, theirs, article = null }, diff3) {
  const regions = mergeLines(base?.content ?? null, mine.content, theirs.content, diff3);
  const fields = mergeFields({ base, mine, theirs, article });
  const countChanges = (/** @type {RegionKind} */ kind, /** @type {string[]} */ names) =>
    regions.filter((region) => region.kind === kind).length + names.length;
  const content = regions.flatMap(({ kind, mine, lines }) => (kind === "open" ? mine : lines)).join("\n");
  return {
    edits: /** @type {Edits} */ ({ ...fields.edits, content }),
    regions,
    conflicts: fields.conflicts,
    changes: { mine: countChanges("mine", fields.mine), theirs: countChanges("theirs", fields.theirs) },
    isClean: !fields.conflicts.length && regions.every(({ kind }) => kind !== "open"),
  };
}

/**
 * Return the function that maps an offset in the text of `mine` to the offset in the merged text. Each line break
 * counts as one character, as in text fields.
 * @param {Region[]} regions
 */
export function makeOffsetMap(regions) {
  const measureLines = (/** @type {string[]} */ lines) =>
    lines.reduce((sum, line) => sum + normalizeLineBreaks(`${line}\n`).length, 0);
  return (/** @type {number} */ offset) => {
    let [before, after] = [0, 0];
    for (const { kind, mine, lines } of regions) {
      const [was, is] = [measureLines(mine), measureLines(kind === "open" ? mine : lines)];
      if (offset < before + was) return after + Math.min(offset - before, Math.max(0, is - 1));
      [before, after] = [before + was, after + is];
    }
    return Math.max(0, after - 1);
  };
}

/** @param {string | null} base @param {string} mine @param {string} theirs @param {Diff3} diff3 @returns {Region[]} */
export function mergeLines(base, mine, theirs, diff3) {
  const [a, b, o] = [mine, theirs, base ?? theirs].map((text) => text.split("\n"));
  // Leave out the equal lines at the beginning and the end, because comparing many repeated lines takes long.
  const shortest = Math.min(a.length, b.length, o.length);
  const isCommon = (/** @type {number} */ n) => a.at(n) === b.at(n) && a.at(n) === o.at(n);
  let start = 0;
  while (start < shortest && isCommon(start)) start += 1;
  let end = 0;
  while (end < shortest - start && isCommon(-end - 1)) end += 1;
  const cutLines = (/** @type {string[]} */ lines) => lines.slice(start, lines.length - end);
  const listSameRegion = (/** @type {string[]} */ lines) => (lines.length ? [makeSameRegion(lines)] : []);
  const regions = listRegions(cutLines(a), cutLines(o), cutLines(b), diff3);
  /** @type {(region: Region) => Region} */
  const markAsConflict = (region) => (region.kind === "same" ? region : { ...region, kind: "open", base: null });
  const middle = base === null ? regions.map(markAsConflict) : regions;
  return [...listSameRegion(a.slice(0, start)), ...middle, ...listSameRegion(a.slice(a.length - end))];
}

/** @type {(lines: string[]) => Region} */
const makeSameRegion = (lines) => ({ kind: "same", lines, mine: lines, theirs: lines, base: lines });

/**
 * Return the regions of three texts: the lines that are in all texts, and the lines between them. o: the text before
 * both; a: mine; b: theirs.
 * @param {string[]} a @param {string[]} o @param {string[]} b @param {Diff3} diff3 @returns {Region[]}
 */
function listRegions(a, o, b, { diff3MergeRegions, diffIndices }) {
  /** @type {Region[]} */
  const regions = [];
  // Return the function that maps an index in `o` to the index in these lines.
  const makeIndexMap = (/** @type {string[]} */ lines) => {
    const hunks = diffIndices(o, lines);
    return (/** @type {number} */ n) =>
      hunks
        .filter(({ buffer1: [at, length] }) => at + length <= n)
        .reduce((sum, { buffer1, buffer2 }) => sum + buffer2[1] - buffer1[1], n);
  };
  const [mapToA, mapToB] = [makeIndexMap(a), makeIndexMap(b)];
  let [atA, atO, atB] = [0, 0, 0];
  const addChange = (/** @type {number} */ toA, /** @type {number} */ toO, /** @type {number} */ toB) => {
    const [mine, base, theirs] = [a.slice(atA, toA), o.slice(atO, toO), b.slice(atB, toB)];
    if (mine.length + base.length + theirs.length) regions.push(makeChangedRegion(mine, base, theirs));
  };
  for (const region of diff3MergeRegions(a, o, b)) {
    if (!region.stable || region.buffer !== "o") continue;
    const { bufferStart: start, bufferLength: length, bufferContent: lines } = region;
    addChange(mapToA(start), start, mapToB(start));
    regions.push(makeSameRegion(lines));
    [atA, atO, atB] = [mapToA(start) + length, start + length, mapToB(start) + length];
  }
  addChange(a.length, o.length, b.length);
  return regions;
}

/** @param {string[]} mine @param {string[]} base @param {string[]} theirs @returns {Region} */
function makeChangedRegion(mine, base, theirs) {
  if (isEqual(mine, theirs)) return { kind: "both", lines: mine, mine, theirs, base };
  if (isEqual(mine, base)) return { kind: "theirs", lines: theirs, mine, theirs, base };
  return { kind: isEqual(theirs, base) ? "mine" : "open", lines: mine, mine, theirs, base };
}

/** @param {Versions} versions */
function mergeFields({ base, mine, theirs, article = null }) {
  const edits = structuredClone(mine);
  /** @type {FieldConflict[]} */
  const conflicts = [];
  /** @type {Record<"mine" | "theirs", string[]>} */
  const changes = { mine: [], theirs: [] };
  const [from, own, other] = [base, mine, theirs].map((edits) => edits && normalizeEdits(edits, article));
  for (const [name, label] of Object.entries({ ...FIELD_LABELS, ...listCustomLabels() })) {
    if (name === "content") continue;
    const [was, is, will] = [from && readField(from, name), readField(own, name), readField(other, name)];
    if (isEqual(is, will)) continue;
    if (from && isEqual(will, was)) changes.mine.push(label);
    else if (from && isEqual(is, was)) {
      changes.theirs.push(label);
      writeField(edits, name, readField(theirs, name));
    } else if (base && name === "tags") {
      changes.theirs.push(label);
      edits.tags = joinLists(base.tags, mine.tags, theirs.tags);
    } else if (from && name === "authors") {
      changes.theirs.push(label);
      edits.authors = joinLists(was, is, will);
    } else conflicts.push({ name, label, base: was, mine: readField(mine, name), theirs: readField(theirs, name) });
  }
  return { edits, conflicts, ...changes };
}

/** Return the value of a field such as "seo.title". @param {any} edits @param {string} name */
const readField = (edits, name) => name.split(".").reduce((value, key) => value?.[key], edits);

/** @param {any} edits @param {string} name @param {unknown} value */
export function writeField(edits, name, value) {
  const [key, inner] = name.split(".");
  if (inner) edits[key][inner] = value;
  else edits[key] = value;
}

/**
 * Return the list `theirs` with the items that `mine` has added, without the items that `mine` has removed.
 * @param {string[]} base @param {string[]} mine @param {string[]} theirs
 */
const joinLists = (base, mine, theirs) => [
  ...theirs.filter((uuid) => mine.includes(uuid) || !base.includes(uuid)),
  ...mine.filter((uuid) => !theirs.includes(uuid) && !base.includes(uuid)),
];
