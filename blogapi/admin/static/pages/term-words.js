/** The numbers of articles of a category, a tag or an author, in words. */

import { formatNumber } from "../format.js";

/** @typedef {Record<string, number>} Numbers the numbers of articles by status */

/**
 * The words for one article and for several ones, in the order in which they are shown.
 * @type {Record<import("../statuses.js").Status, [string, string]>}
 */
const WORDS = {
  published: ["published", "published"],
  scheduled: ["scheduled", "scheduled"],
  draft: ["draft", "drafts"],
  unlisted: ["unlisted", "unlisted"],
  archived: ["archived", "archived"],
};

/** @param {Numbers} numbers */
export const totalOf = (numbers) => Object.values(numbers).reduce((sum, number) => sum + number, 0);

/**
 * "54 published, 5 drafts, 2 archived", or "Nowhere".
 * @param {Numbers} numbers
 */
export function describeNumbers(numbers) {
  const parts = Object.entries(WORDS).flatMap(([status, [one, several]]) => {
    const number = numbers[status];
    return number ? [`${formatNumber(number)} ${number === 1 ? one : several}`] : [];
  });
  return parts.join(", ") || "Nowhere";
}
