/** Functions that the pages with lists share. */

import { post } from "../api.js";
import { button } from "../components.js";
import * as storage from "../storage.js";

export const PATH = "blog/articles/";
export const FIELDS = "uuid,title,status,published_at,last_updated,category,tags,word_count,url,working_copy";

/** @param {{uuid: string}} article */
export const makeAddress = (article, part = "") => `/admin/articles/${article.uuid}/${part}`;

/** @type {(item: any) => string} */
export const getUuid = ({ uuid }) => uuid;

/** The working copy can be newer than the article. @param {Article} article */
export const getTitle = ({ title, working_copy: copy }) => copy?.title || title || "Without a title";
/** @param {Article} article @returns {string} */
export const getLastChange = ({ last_updated: time, working_copy: copy }) =>
  copy?.last_updated > time ? copy.last_updated : time;

/** Whether deleted articles and pages can be restored. */
export const hasBin = !document.body.hasAttribute("data-no-bin");

/**
 * Restore deleted articles or pages. list: the path of the list that they were in.
 * @param {string} list @param {{uuid: string}[]} items
 * @returns {Promise<string>} sentences about what differs from before, or ""
 */
export async function restoreItems(list, items) {
  /** @type {{data: {notes: string[]}[]}} */
  const { data } = await post(`${list}restore/`, { uuids: items.map(getUuid) });
  return [...new Set(data.flatMap(({ notes }) => notes))].join(" ");
}

/** The button that opens the dialog for a new item. @param {string} noun @param {() => unknown} onClick */
export const newButton = (noun, onClick) => button(`New ${noun}`, onClick, { icon: "plus", popup: "dialog" });

/** The key in the browser's storage that says that the questions for a new blog were answered. */
export const WELCOMED = "blogapi.welcomed";
const LEFT_KEY = "blogapi.left";
const FOLLOWED_MS = 10_000;

/** Note that the user leaves the editor of this article, which still stores its text. @param {string} uuid */
export const noteLeftItem = (uuid) => storage.setItem(LEFT_KEY, { uuid, at: Date.now() });

/**
 * Load the page again soon if the editor may still be storing the text of one of its drafts.
 * @param {import("../shell.js").Page} page @param {Article[]} articles
 */
export function reloadAfterStoring(page, articles) {
  const left = storage.getItem(LEFT_KEY);
  if (!left || Date.now() - left.at > FOLLOWED_MS) return;
  if (articles.some(({ uuid, working_copy: copy }) => uuid === left.uuid && copy)) setTimeout(() => page.reload(), 700);
}
