/** The kinds of terms (categories, tags and authors), and the numbers of their articles in words. */

import { formatCount } from "../format.js";

/** @typedef {Record<string, number>} Numbers the numbers of articles by status */

/**
 * The kinds of terms, by the last part of their path in the API.
 *
 * noun: the word for one term. field, label: the field of an article that has these terms. isSingle: an article has
 * exactly one. chooser: the lowest role that gives articles a term of this kind; creator: the lowest role that creates
 * a term while choosing ("": none). isTakenFromArticles: a term that articles have can be deleted; this cannot be
 * undone. filterOfAll: the filter for articles that have all of several terms, if there is one.
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

/** @param {Numbers} numbers */
export const sumNumbers = (numbers) => Object.values(numbers).reduce((sum, number) => sum + number, 0);

/** Return the numbers in words: "54 published, 5 drafts, 2 archived", or "Nowhere". @param {Numbers} numbers */
export function describeNumbers(numbers) {
  const describeNumber = (/** @type {Status} */ status) =>
    formatCount(numbers[status], status, status === "draft" ? "drafts" : status);
  const used = STATUS_ORDER.filter((status) => numbers[status]);
  return used.map(describeNumber).join(", ") || "Nowhere";
}
