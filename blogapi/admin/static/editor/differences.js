/** The differences of two versions of an article: by field, by line and by word. */

import { diffLines, diffWordsWithSpace } from "../vendor/diff.js";

const LABELS = {
  title: "Title", subtitle: "Subtitle", content: "Text", content_type: "Format", excerpt: "Excerpt",
  slug: "Address", cover_image: "Cover", category: "Category", tags: "Tags", authors: "Authors",
  "seo.title": "Title for search engines", "seo.description": "Description for search engines",
  "seo.og_image": "Picture for social networks", "seo.canonical_url": "Canonical address",
};

// The fields that the texts for search engines are derived from, unless an author writes them.
const SOURCES = { "seo.title": "title", "seo.description": "subtitle", "seo.og_image": "cover_image" };

// Return the value of a field such as "seo.title" in a version, or an empty text if it is derived.
function valueOf(version, name) {
  const value = name.split(".").reduce((part, key) => part?.[key], version);
  return value !== undefined && value === version[SOURCES[name]] ? "" : value;
}

/**
 * Return the fields whose values differ: [{name, label, before, after}]. names: of terms, by uuid.
 *
 * A field that one of the versions lacks is left out.
 */
export function diffFields(before, after, names = {}) {
  const show = (value) => [value ?? ""].flat().map((one) => names[one] ?? one).join(", ");
  const fields = Object.entries(LABELS).map(([name, label]) => {
    const values = [valueOf(before, name), valueOf(after, name)];
    return !values.includes(undefined) && { name, label, before: show(values[0]), after: show(values[1]) };
  });
  return fields.filter((field) => field && field.before !== field.after);
}

// Texts with little in common take long to compare. After this time, they count as completely different.
const TIMEOUT = { timeout: 500 };

function group(parts, before, after) {
  const changes = [];
  const given = parts ?? [{ value: before, removed: true }, { value: after, added: true }];
  for (const { value, removed, added } of given) {
    if (!removed && !added) changes.push({ equal: value });
    else if (!changes.at(-1) || "equal" in changes.at(-1)) changes.push({ before: "", after: "" });
    if (removed || added) changes.at(-1)[removed ? "before" : "after"] += value;
  }
  return changes;
}

/** Return the lines of two texts: [{equal} or {before, after}]. */
export const compareLines = (before, after) => group(diffLines(before, after, TIMEOUT), before, after);

/** Return the words of two texts: [{equal} or {before, after}]; a space or a comma splits no change. */
export function compareWords(before, after) {
  const changes = [];
  for (const change of group(diffWordsWithSpace(before, after, TIMEOUT), before, after)) {
    const [gap, last] = [changes.at(-1), changes.at(-2)];
    if (last && "equal" in gap && !("equal" in change) && /^[ ,]{1,2}$/.test(gap.equal)) {
      changes.pop();
      last.before += gap.equal + change.before;
      last.after += gap.equal + change.after;
    } else changes.push({ ...change });
  }
  return changes;
}

const countWords = (text = "") => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** Return the numbers of words that were added and removed: {added, removed}. */
export function countChanges(before, after) {
  const words = compareLines(before, after)
    .filter((lines) => !("equal" in lines))
    .flatMap((lines) => compareWords(lines.before, lines.after));
  const sum = (name) => words.reduce((total, change) => total + countWords(change[name]), 0);
  return { added: sum("after"), removed: sum("before") };
}
