/** The statuses of articles, as the pages use them. A test compares it with the rules of the API. */

/**
 * readable: whether readers see the article, from its publication time on.
 *
 * @typedef {"draft" | "scheduled" | "published" | "unlisted" | "archived"} Status
 * @type {Record<Status, {name: string, icon: string, kind: string, readable: boolean}>}
 */
export const STATUSES = {
  draft: { name: "Draft", icon: "circle-dashed", kind: "", readable: false },
  scheduled: { name: "Scheduled", icon: "clock", kind: "accent", readable: true },
  published: { name: "Published", icon: "circle-check", kind: "good", readable: true },
  unlisted: { name: "Unlisted", icon: "link", kind: "good", readable: true },
  archived: { name: "Archived", icon: "archive", kind: "", readable: false },
};

/**
 * The statuses that an article of each status can get.
 * @type {Record<Status, Status[]>}
 */
export const TRANSITIONS = {
  draft: ["published", "scheduled", "unlisted", "archived"],
  scheduled: ["published", "unlisted", "draft", "archived"],
  published: ["unlisted", "draft", "archived"],
  unlisted: ["published", "draft", "archived"],
  archived: ["draft"],
};

/**
 * The main action of the editor for each status, and the status that it sets; an update keeps the status.
 * @type {Record<Status, {name: string, next?: Status}>}
 */
export const MAIN_ACTIONS = {
  draft: { name: "Publish", next: "published" },
  scheduled: { name: "Reschedule", next: "published" },
  published: { name: "Update" },
  unlisted: { name: "Update" },
  archived: { name: "Bring back", next: "draft" },
};

/**
 * Return whether an article can get the status.
 * @param {{status?: Status}} article @param {Status} next
 */
export const canBecome = ({ status = "draft" }, next) => TRANSITIONS[status].includes(next);

/**
 * "Marit has it open", "Marit and Tomas have it open", or "".
 * @param {{username: string}[] | null} [users]
 */
export function openWords(users) {
  const names = (users ?? []).map(({ username }) => username);
  const list = new Intl.ListFormat("en-GB").format(names);
  return list && `${list} ${names.length === 1 ? "has" : "have"} it open`;
}
