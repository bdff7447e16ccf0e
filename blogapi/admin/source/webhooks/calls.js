/** Descriptions of calls. A call is a delivery of the API. */

import { count } from "../format.js";
import { KINDS } from "./words.js";

const VERBS = { published: "Published", updated: "Updated", unpublished: "Unpublished", deleted: "Deleted" };
/** @type {Record<string, string>} */
const OTHER_CALLS = {
  "webhook.test": "Test call",
  "blog.reset": "Asked to read the blog again",
  "backup.failed": "No good backup",
};
const KIND_NAMES = { category: "Category", tag: "Tag", author: "Author", site: "Site" };

/** @typedef {Record<string, any>} Call */

/** @param {Call} change */
const nameChange = ({ slug, kind }) => slug ?? KINDS[/** @type {keyof typeof KINDS} */ (kind)].toLowerCase();

/** "fish-soup and 2 more, second try" @param {Call} call */
export function summarise({ type, count: number, changes, attempt }) {
  const name = changes.map(nameChange)[0];
  const summary = number > 1 ? `${name} and ${count(number - 1, "more", "more")}` : (name ?? "Build asked for");
  const retry = attempt === 2 ? ", second try" : `, try ${attempt}`;
  return `${OTHER_CALLS[type] ?? summary}${attempt > 1 ? retry : ""}`;
}

/**
 * A change in words: what happened, its name, the changed fields, and the page where it can be edited.
 * @param {Call} change
 */
export function describeChange({ type, kind, uuid, slug, changed, former_url: former }) {
  const verb = type.split(".")[1];
  const fields = changed.join(", ");
  if (kind !== "article") {
    const named = KIND_NAMES[/** @type {keyof typeof KIND_NAMES} */ (kind)];
    return { verb: verb === "updated" ? named : `${named} ${verb}`, name: slug, fields, href: "" };
  }
  const href = verb === "deleted" ? "" : `/admin/articles/${uuid}/`;
  const words = former ? "Address changed" : VERBS[/** @type {keyof typeof VERBS} */ (verb)];
  return { verb: words, name: slug, fields, href };
}

/**
 * Return the later call of the same message that arrived, or undefined.
 * @param {Call} call @param {Call[]} calls newest first
 */
export const findSuccess = ({ message_id: id, time, succeeded }, calls) =>
  succeeded ? undefined : calls.findLast((other) => other.message_id === id && other.succeeded && other.time > time);
