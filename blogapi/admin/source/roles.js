/** The rights of the user, so that pages offer only allowed actions; the API checks each request. */

const ROLES = ["reader", "author", "editor", "admin"];

/** @type {{uuid?: string, role?: string, can_publish?: boolean}} */
let caller = {};

/** Set the user of the session, or the last one in this browser. @param {typeof caller} user */
export const setCaller = (user) => (caller = user);

/** Whether the user has this role or one that may do more. @param {string} role */
export const hasRole = (role) => ROLES.indexOf(caller.role ?? "") >= ROLES.indexOf(role);

/** Whether the user may publish articles: an author only if an admin allows it. */
export const mayPublish = () => hasRole("editor") || Boolean(caller.can_publish);

/** Whether the user may change the status of an article: what is public needs the right to publish. */
export const mayChange = (/** @type {{status: string}} */ { status }) =>
  mayPublish() || !["published", "scheduled", "unlisted"].includes(status);

/** Whether the user may change the file: authors change those that they have uploaded. */
export const mayChangeFile = (/** @type {{user: {uuid: string} | null}} */ { user }) =>
  hasRole("editor") || (user !== null && user.uuid === caller.uuid);

/** The path of the list of articles in any status: authors list their own. */
export const getListPath = () => (hasRole("editor") ? "blog/articles/" : "blog/articles/own/");
