/** The statuses of articles, as the pages use and name them. A test compares them with the rules of the API. */

import { formatShort } from "./format.js";

/**
 * readable: whether readers see the article, from its publication time on.
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
 * The state in words: "Draft", "Scheduled for Fri 09:00", "Published, edits since 12:10".
 * @param {{status: Status, published_at?: string | null, working_copy?: any}} article
 */
export function describeStatus({ status, published_at: time, working_copy: edits }) {
  const { name } = STATUSES[status];
  const when = status === "scheduled" && time ? ` for ${formatShort(time)}` : "";
  return `${name}${when}${edits && status !== "draft" ? `, edits since ${formatShort(edits.last_updated)}` : ""}`;
}

/** "Marit has it open", "Marit and Tomas have it open", or "". @param {{username: string}[] | null} [users] */
export function describeOpenBy(users) {
  const names = (users ?? []).map(({ username }) => username);
  const list = new Intl.ListFormat("en-GB").format(names);
  return list && `${list} ${names.length === 1 ? "has" : "have"} it open`;
}
