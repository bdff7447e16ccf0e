/** The actions that change the status of an article or a page, for the editor and the lists. */

import { ApiError, get, patch, post, put } from "./api.js";
import { parseTime } from "./format.js";
import { mayChangeItem } from "./roles.js";
import { STATUSES } from "./statuses.js";

/**
 * from: the statuses of the items that offer the action; status: the status that the action sets, if any.
 * publishesEdits: whether the action publishes the edits; other actions leave them unpublished. done: the message after
 * the action, shown alone or after the title of the item. icon: the icon in menus; label: the text in menus, by default
 * the name.
 *
 * @typedef {{name: string, from: Status[], done: string, status?: Status, publishesEdits?: boolean, icon?: string,
 *   label?: string}} Action
 * @typedef {{status: Status, working_copy?: unknown}} Item
 * @typedef {{etag?: string | null, query?: Record<string, unknown>}} ActionOptions etag: the ETag of the working copy,
 *   or of the item if it has none; query: the query parameters, which select the fields of the response
 * @typedef {{data: any, etag: string | null}} ActionResult
 */

const UNLISTED_MESSAGE = "unlisted: only people who know the address can read it";
const makeDone = (/** @type {string} */ word) => `${word}: it is a draft again`;

/** @satisfies {Record<string, Action>} */
const ACTION_TABLE = {
  publish: {
    ...{ name: "Publish", label: "Publish now", icon: "send", from: ["draft", "scheduled"], status: "published" },
    ...{ publishesEdits: true, done: "published" },
  },
  schedule: { name: "Schedule", from: ["draft"], status: "scheduled", publishesEdits: true, done: "scheduled" },
  reschedule: { name: "Reschedule", from: ["scheduled"], status: "scheduled", publishesEdits: true, done: "scheduled" },
  update: {
    ...{ name: "Update", label: "Publish the edits", icon: "send", from: ["published", "unlisted"] },
    ...{ publishesEdits: true, done: "updated" },
  },
  publishUnlisted: {
    ...{ name: "Publish unlisted", icon: "link", from: ["draft", "scheduled"], status: "unlisted" },
    ...{ publishesEdits: true, done: UNLISTED_MESSAGE },
  },
  list: { name: "List", icon: "list", from: ["unlisted"], status: "published", done: "listed" },
  unlist: { name: "Unlist", icon: "link", from: ["published"], status: "unlisted", done: UNLISTED_MESSAGE },
  unpublish: {
    ...{ name: "Unpublish", icon: "undo-2", from: ["published", "unlisted"], status: "draft" },
    done: makeDone("unpublished"),
  },
  backToDraft: {
    ...{ name: "Back to draft", icon: "undo-2", from: ["scheduled"], status: "draft", done: makeDone("unscheduled") },
  },
  bringBack: {
    ...{ name: "Bring back", icon: "undo-2", from: ["archived"], status: "draft", done: makeDone("brought back") },
  },
  archive: {
    ...{ name: "Archive", icon: "archive", from: ["draft", "scheduled", "published", "unlisted"] },
    ...{ status: "archived", done: "archived" },
  },
};
/** @type {Record<keyof typeof ACTION_TABLE, Action>} */
export const ACTIONS = ACTION_TABLE;

const { publish, reschedule, update, bringBack } = ACTIONS;

/** The action of the main button of the editor for each status. @type {Record<Status, Action>} */
export const MAIN_ACTIONS = {
  ...{ draft: publish, scheduled: reschedule, published: update, unlisted: update, archived: bringBack },
};

/**
 * Whether the user may run the action: this needs the right to publish if the item is public before or afterwards.
 * @param {Action} action @param {Item} item
 */
export const mayRunAction = ({ status }, item) =>
  mayChangeItem(item) && mayChangeItem({ status: status ?? item.status });

/** Return the actions that a menu of the item offers. @param {Item} item */
export const listActions = (item) =>
  Object.values(ACTIONS).filter(
    (action) =>
      action.icon &&
      action.from.includes(item.status) &&
      mayRunAction(action, item) &&
      (action !== update || item.working_copy),
  );

/**
 * Return two responses: the item, and its working copy or null. options: for the request for the item.
 * @param {string} path @param {import("./api.js").RequestOptions} [options]
 * @returns {Promise<[import("./api.js").Answer, import("./api.js").Answer | null]>}
 */
export async function loadItemWithCopy(path, options) {
  const item = await get(path, options);
  if (!item.data.working_copy) return [item, null];
  // The working copy can be published or discarded between the two requests.
  const copy = await get(`${path}working-copy/`).catch((error) =>
    error.status === 404 ? null : Promise.reject(error),
  );
  return copy ? [item, copy] : loadItemWithCopy(path, options);
}

const STATE_QUERY = { fields: "status,published_at,last_updated,working_copy,custom,custom_unfit" };

/**
 * Run an action on the item at this path. Return the item, the ETag for the next save, and the function that undoes
 * the action (null if nothing was changed). at: the publication time, if the action sets a status.
 * @param {string} path @param {Action} action @param {ActionOptions & {at?: Date | null}} [options]
 * @returns {Promise<ActionResult & {undo: null | ((options?: ActionOptions) => Promise<ActionResult>)}>}
 */
export async function runAction(path, { from, status, publishesEdits }, { at, etag, query = STATE_QUERY } = {}) {
  const [{ data: before, etag: current }, copy] = await loadItemWithCopy(path, { query: STATE_QUERY });
  const statusName = STATUSES[/** @type {Status} */ (before.status)].name.toLowerCase();
  // Another user can have made the item a draft in the meantime: "Unlist" would then publish it.
  if (!from.includes(before.status))
    throw new ApiError(409, { detail: `Its status is “${statusName}” now. Load the page again.` });
  const body = status ? { status, ...(at && { published_at: at }) } : {};
  const editsEtag = etag ?? (copy ?? { etag: current }).etag;
  const { data, etag: changed } = publishesEdits
    ? await post(`${path}working-copy/publish/`, body, { etag: editsEtag, query })
    : await patch(path, body, { etag: current, query });
  const change = { before, after: data, taken: publishesEdits ? copy?.data : null };
  const isChanged = data.last_updated !== before.last_updated;
  const runUndo = (/** @type {ActionOptions} */ options = {}) => undoAction(path, change, options);
  return { data, etag: data.working_copy ? editsEtag : changed, undo: isChanged ? runUndo : null };
}

/**
 * Restore the status, time and address from before the action. If the action has published edits, also restore the
 * text, and make the edits unpublished again. Even if the last requests fail, no new text becomes public.
 * @param {string} path @param {{before: any, after: any, taken: any}} change @param {ActionOptions} options
 * @returns {Promise<ActionResult>}
 */
async function undoAction(path, { before, after, taken }, { etag, query = STATE_QUERY }) {
  let [item, copy] = await loadItemWithCopy(path, { query: STATE_QUERY });
  // Only the history says whether a scheduled item is unlisted.
  const listing = { fields: "number,created,status,published_at,slug", page: 1, page_size: 20 };
  const { data: versions } = await get(`${path}revisions/`, { query: listing });
  const time = parseTime(before.last_updated).getTime();
  const former = versions.find((/** @type {any} */ { created }) => parseTime(created).getTime() === time);
  const isOther = item.data.last_updated !== after.last_updated || (etag && copy && copy.etag !== etag);
  if (isOther || !former) throw new ApiError(409, { detail: "It was changed in the meantime, so this is not undone." });
  const { number, status, published_at, slug } = former;
  const isHidden = !["published", "unlisted"].includes(before.status);
  // An archived item always becomes a draft first. An item that was hidden is hidden before its text is restored.
  if (after.status === "archived" || (taken && isHidden)) {
    item = await patch(path, { status: "draft" }, { etag: item.etag });
  }
  if (taken) {
    item = await post(`${path}revisions/${number}/restore/`, undefined, { etag: item.etag });
    // The version on which the edits are based has the former address.
    item = await patch(path, { slug }, { etag: item.etag });
    const etags = [copy?.etag, item.etag].filter(Boolean).join(", ");
    const edits = copy?.data ?? taken;
    copy = await put(`${path}working-copy/`, { ...edits, custom: toCustomFieldsBody(before, edits) }, { etag: etags });
  }
  item = await patch(path, { status, published_at }, { etag: item.etag, query });
  return { data: item.data, etag: (copy ?? item).etag };
}

/**
 * Return the custom fields of the edits as a request body, with null for each field to remove. Fields whose stored
 * value is invalid are left out, because the API would refuse them.
 * @param {any} item @param {any} edits
 */
function toCustomFieldsBody({ custom, custom_unfit: unfit }, edits) {
  const removed = Object.keys(custom).map((name) => [name, null]);
  const values = Object.entries({ ...Object.fromEntries(removed), ...edits.custom });
  return Object.fromEntries(values.filter(([name]) => !(name in (unfit ?? {}))));
}
