/** The rights of the user. Pages use them to offer only allowed actions; the API checks each request again. */

const ROLES = ["reader", "author", "editor", "admin"];

/** @type {{uuid?: string, role?: string, can_publish?: boolean}} */
let caller = {};

/**
 * Set the user whose rights count: the user of the session or, until it is loaded, the last user of this browser.
 * @param {typeof caller} user
 */
export const setCaller = (user) => (caller = user);

/** Return whether the user has this role or a higher one. @param {string} role */
export const hasRole = (role) => ROLES.indexOf(caller.role ?? "") >= ROLES.indexOf(role);

/** Return whether the user may publish articles; authors need the permission of an admin. */
export const mayPublish = () => hasRole("editor") || Boolean(caller.can_publish);

/** Return whether the user may change an item; public and scheduled items need the right to publish. */
export const mayChangeItem = (/** @type {{status: string}} */ { status }) =>
  mayPublish() || !["published", "scheduled", "unlisted"].includes(status);

/** Return whether the user may change a file; authors may change the files that they have uploaded. */
export const mayChangeFile = (/** @type {{user: {uuid: string} | null}} */ { user }) =>
  hasRole("editor") || (user !== null && user.uuid === caller.uuid);

/** Return the API path of the list of articles in any status; for authors, of their own articles. */
export const getArticlesPath = () => (hasRole("editor") ? "blog/articles/" : "blog/articles/own/");
