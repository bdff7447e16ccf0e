/** The statuses of articles, with their names and icons. A test compares them with the statuses of the API. */

import { formatShortTime } from "./format.js";

/**
 * readable: whether readers can read the article from its publication time on.
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
 * Return the state in words: "Draft", "Scheduled for Fri 09:00", "Published, edits since 12:10".
 * @param {{status: Status, published_at?: string | null, working_copy?: any}} article
 */
export function describeStatus({ status, published_at: time, working_copy: edits }) {
  const { name } = STATUSES[status];
  const when = status === "scheduled" && time ? ` for ${formatShortTime(time)}` : "";
  return `${name}${when}${edits && status !== "draft" ? `, edits since ${formatShortTime(edits.last_updated)}` : ""}`;
}

/** Return "Marit has it open", "Marit and Tomas have it open", or "". @param {{username: string}[] | null} [users] */
export function describePresence(users) {
  const names = (users ?? []).map(({ username }) => username);
  const list = new Intl.ListFormat("en-GB").format(names);
  return list && `${list} ${names.length === 1 ? "has" : "have"} it open`;
}
