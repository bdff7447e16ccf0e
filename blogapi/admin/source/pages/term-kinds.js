/** The kinds of terms: categories, tags and authors. */

import { formatCount } from "../format.js";

/** @typedef {Record<string, number>} StatusCounts the numbers of articles by status */

/**
 * The kinds of terms, by the last part of their path in the API.
 *
 * noun: the word for one term. field, label: the field of articles with these terms, and its label. isSingle: whether
 * an article has exactly one. chooser: the lowest role that may add these terms to articles; creator: the lowest role
 * that may create a term while it chooses terms ("": none). isTakenFromArticles: whether a term can be deleted while
 * articles have it, which cannot be undone. filterOfAll: the filter of the API for articles with all of several terms.
 *
 * @typedef {{noun: string, field: string, label: string, isSingle?: boolean, chooser: string, creator: string,
 *   isTakenFromArticles?: boolean, filterOfAll?: string}} TermKind
 * @type {Record<"categories" | "tags" | "authors", TermKind>}
 */
export const TERM_KINDS = {
  categories: {
    ...{ noun: "category", field: "category", label: "Category", isSingle: true },
    ...{ chooser: "author", creator: "editor" },
  },
  tags: {
    ...{ noun: "tag", field: "tags", label: "Tags", chooser: "author", creator: "author" },
    ...{ isTakenFromArticles: true, filterOfAll: "tags_all" },
  },
  authors: { noun: "author", field: "authors", label: "Authors", chooser: "editor", creator: "" },
};

/** The statuses in the order in which their numbers are shown. @type {Status[]} */
const STATUS_ORDER = ["published", "scheduled", "draft", "unlisted", "archived"];

/** @param {StatusCounts} numbers */
export const sumCounts = (numbers) => Object.values(numbers).reduce((sum, number) => sum + number, 0);

/** Return the numbers in words: "54 published, 5 drafts, 2 archived", or "Nowhere". @param {StatusCounts} numbers */
export function describeCounts(numbers) {
  const describeNumber = (/** @type {Status} */ status) =>
    formatCount(numbers[status], status, status === "draft" ? "drafts" : status);
  const used = STATUS_ORDER.filter((status) => numbers[status]);
  return used.map(describeNumber).join(", ") || "Nowhere";
}
