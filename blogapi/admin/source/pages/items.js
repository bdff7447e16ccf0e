/** Articles and other items in lists: their titles, addresses and last changes, and how deleted items are restored. */

import { post } from "../api.js";
import { button } from "../components.js";
import * as storage from "../storage.js";

export const ROW_FIELDS = "uuid,title,status,published_at,last_updated,category,tags,word_count,url,working_copy";

/** @param {{uuid: string}} article */
export const makeArticleAddress = (article, part = "") => `/admin/articles/${article.uuid}/${part}`;

/** @type {(item: any) => string} */
export const getUuid = ({ uuid }) => uuid;

/** Return the title of an item, by default of its working copy. @param {Article} article */
export const getTitle = ({ title, working_copy: copy }) => copy?.title || title || "Without a title";
/** Return the time of the last change of an item or its working copy. @param {Article} article @returns {string} */
export const getChangeTime = ({ last_updated: time, working_copy: copy }) =>
  copy?.last_updated > time ? copy.last_updated : time;

/** Whether the blog has a bin, from which deleted articles and pages can be restored. */
export const hasBin = !document.body.hasAttribute("data-no-bin");

/**
 * Restore deleted articles or pages. list: the API path of the articles or of the pages.
 * @param {string} list @param {{uuid: string}[]} items
 * @returns {Promise<string>} sentences about what differs from before, or ""
 */
export async function restoreItems(list, items) {
  /** @type {{data: {notes: string[]}[]}} */
  const { data } = await post(`${list}restore/`, { uuids: items.map(getUuid) });
  return [...new Set(data.flatMap(({ notes }) => notes))].join(" ");
}

/** The button that opens the dialog for a new item. @param {string} noun @param {() => unknown} onClick */
export const newItemButton = (noun, onClick) => button(`New ${noun}`, onClick, { icon: "plus", popup: "dialog" });

/** The key in the browser's storage for whether the questions of the page "welcome" were answered. */
export const WELCOME_KEY = "blogapi.welcomed";
const LEFT_ITEM_KEY = "blogapi.left";
const STORING_MS = 10_000;

/** Store in the browser that the user leaves the editor of this article, which still saves. @param {string} uuid */
export const storeLeftItem = (uuid) => storage.setItem(LEFT_ITEM_KEY, { uuid, at: Date.now() });

/**
 * Load the page again soon if the editor that the user has left may still be saving the text of one of these articles.
 * @param {import("../shell.js").Page} page @param {Article[]} articles
 */
export function reloadAfterStoring(page, articles) {
  const left = storage.getItem(LEFT_ITEM_KEY);
  if (!left || Date.now() - left.at > STORING_MS) return;
  if (articles.some(({ uuid, working_copy: copy }) => uuid === left.uuid && copy))
    setTimeout(() => page.reloadPage(), 700);
}
