/** The statuses of articles, as the pages use them. A test compares it with the rules of the API. */

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

/** "Marit has it open", "Marit and Tomas have it open", or "". @param {{username: string}[] | null} [users] */
export function openWords(users) {
  const names = (users ?? []).map(({ username }) => username);
  const list = new Intl.ListFormat("en-GB").format(names);
  return list && `${list} ${names.length === 1 ? "has" : "have"} it open`;
}
