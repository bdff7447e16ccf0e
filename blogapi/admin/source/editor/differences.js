/** The differences between two versions of an article: by field, by line and by word. */

import { diffLines, diffWordsWithSpace } from "../../static/vendor/diff.js";
import { TERM_KINDS } from "../pages/term-kinds.js";
import { SEO_SOURCES, TEXT_FIELDS } from "./edits.js";
import { listCustomLabels } from "./custom-fields.js";

/**
 * A field that differs (FieldChange), and a part of a text that is equal or changed (TextChange).
 *
 * @typedef {{name: string, label: string, before: any, after: any, side?: string}} FieldChange
 * @typedef {{equal?: string, before?: any, after?: any, side?: string}} TextChange
 * @typedef {{value: string, removed?: boolean, added?: boolean}} DiffPart
 * @typedef {Record<string, any>} Version
 */

/** The labels of the fields. @type {Record<string, string>} */
export const FIELD_LABELS = {
  ...Object.fromEntries(TEXT_FIELDS.map(({ name, label }) => [name, label])),
  slug: "Address",
  ...Object.fromEntries(Object.values(TERM_KINDS).map(({ field, label }) => [field, label])),
  "seo.title": "Title for search engines",
  "seo.description": "Description for search engines",
  "seo.og_image": "Picture for social networks",
  "seo.canonical_url": "Canonical address",
};
/** The labels of the choices of fields. @type {Record<string, Record<string, string>>} */
const CHOICES = Object.fromEntries(TEXT_FIELDS.flatMap(({ name, choices }) => (choices ? [[name, choices]] : [])));
/** The nouns of the terms in a field. @type {Record<string, string>} */
const TERM_NOUNS = Object.fromEntries(Object.values(TERM_KINDS).map(({ field, noun }) => [field, noun]));

/**
 * Return the value of a field, such as "seo.title", as text; undefined if the version lacks the field, and "" if the
 * server derives the value. names: the names of terms by uuid.
 * @param {Version} version @param {string} name @param {Record<string, string>} names
 */
export function formatField(version, name, names) {
  const [key, inner] = name.split(".");
  const value = inner ? version[key]?.[inner] : version[key];
  if (value === undefined) return key === "custom" && version.custom ? "" : undefined;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (key === "custom") return Array.isArray(value) ? value.join(", ") : String(value);
  if (name === "translation_key") return value ? "Shared with its translations" : "";
  if (CHOICES[name]) return CHOICES[name][value] ?? value;
  if (!TERM_NOUNS[name]) return inner && value === version[SEO_SOURCES[inner]] ? "" : value;
  const uuids = [value ?? []].flat();
  return uuids.map((uuid) => names[uuid] ?? `a deleted ${TERM_NOUNS[name]}`).join(", ");
}

/**
 * Return the fields whose values differ: [{name, label, before, after}]. names: the names of terms by uuid.
 *
 * A field that one of the versions lacks is left out.
 * @param {Version} before @param {Version} after @param {Record<string, string>} names @returns {FieldChange[]}
 */
export function diffFields(before, after, names) {
  const getText = (/** @type {Version} */ version, /** @type {string} */ name) => formatField(version, name, names);
  return Object.entries({ ...FIELD_LABELS, ...listCustomLabels() })
    .map(([name, label]) => ({ name, label, before: getText(before, name), after: getText(after, name) }))
    .filter((field) => ![field.before, field.after].includes(undefined) && field.before !== field.after);
}

// Comparing texts with little in common takes long. After this time, the texts count as completely different.
const DIFF_OPTIONS = { timeout: 500 };
/** @type {(value: string) => DiffPart} */
const makeRemovedPart = (value) => ({ value, removed: true, added: false });
/** @type {(value: string) => DiffPart} */
const makeAddedPart = (value) => ({ value, removed: false, added: true });
/** @type {(before: string, after: string) => DiffPart[]} */
const makeReplacement = (before, after) => [makeRemovedPart(before), makeAddedPart(after)];

/** Return the parts of a diff as [{equal} or {before, after}]. @param {DiffPart[]} parts */
function groupParts(parts) {
  /** @type {any[]} */
  const changes = [];
  for (const { value, removed, added } of parts) {
    const name = removed ? "before" : added ? "after" : "equal";
    if (name === "equal") changes.push({ equal: value });
    else if (changes.at(-1)?.[name] === undefined) changes.push({ before: "", after: "", [name]: value });
    else changes.at(-1)[name] += value;
  }
  return changes;
}

/**
 * Compare two texts by line; return [{equal} or {before, after}].
 * @type {(before: string, after: string) => TextChange[]}
 */
export const compareLines = (before, after) =>
  groupParts(diffLines(before, after, DIFF_OPTIONS) ?? makeReplacement(before, after));

/**
 * Compare two texts by word; return [{equal} or {before, after}]. Changes that only a
 * space or a comma separates count as one change.
 * @param {string} before @param {string} after @returns {TextChange[]}
 */
export function compareWords(before, after) {
  const parts = diffWordsWithSpace(before, after, DIFF_OPTIONS) ?? makeReplacement(before, after);
  const isGap = (/** @type {DiffPart} */ { value, removed, added }, /** @type {number} */ n) =>
    !removed && !added && n > 0 && n < parts.length - 1 && /^[ ,]{1,2}$/.test(value);
  return groupParts(parts.flatMap((part, n) => (isGap(part, n) ? makeReplacement(part.value, part.value) : part)));
}

const countWords = (text = "") => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/**
 * Return the numbers of words that were added and removed: {added, removed}.
 * @param {string} before @param {string} after
 */
export function countChangedWords(before, after) {
  const words = compareLines(before, after)
    .filter((lines) => !("equal" in lines))
    .flatMap((lines) => compareWords(lines.before, lines.after));
  const countAllWords = (/** @type {"before" | "after"} */ name) =>
    words.reduce((total, change) => total + countWords(change[name]), 0);
  return { added: countAllWords("after"), removed: countAllWords("before") };
}
