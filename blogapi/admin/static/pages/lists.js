/** Functions that the pages with lists share. */

import { button } from "../components.js";

export const PATH = "blog/articles/";
export const FIELDS = "uuid,title,status,published_at,last_updated,category,tags,word_count,url,working_copy";

export const addressOf = (article, part = "") => `/admin/articles/${article.uuid}/${part}`;

export const byUuid = ({ uuid }) => uuid;

// The working copy can be newer than the article.
export const titleOf = ({ title, working_copy: copy }) => copy?.title || title || "Without a title";
export const changeOf = ({ last_updated: time, working_copy: copy }) =>
  copy?.last_updated > time ? copy.last_updated : time;

/** The button that opens the dialog for a new item. kind: see button(). */
export const newButton = (one, onClick, kind) => button(`New ${one}`, onClick, { icon: "plus", kind, popup: "dialog" });
