/** The tabs of the lists of articles and of pages; the last tab is the bin. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { formatCount } from "../format.js";
import { STATUSES } from "../statuses.js";
import { hasBin } from "./items.js";

/** @typedef {"articles" | "pages"} Collection */
/** @typedef {{key: string, text: string, count: number | null, href: string}} Tab */

/** The names of the tabs of articles, by status. @type {Record<string, {name: string}>} */
const TABS = { any: { name: "All" }, ...STATUSES, draft: { name: "Drafts" } };

/** @param {Record<string, number>} counts @param {(status: string) => string} link */
export const makeStatusTabs = (counts, link) =>
  Object.entries(TABS).map(([key, { name }]) => ({ key, text: name, count: counts[key] ?? null, href: link(key) }));

/** Return the tabs of the list of pages. @param {number | null} number of pages @returns {Tab[]} */
export const makePageTabs = (number) => [{ key: "any", text: "All", count: number, href: "/admin/pages/" }];

/** @param {Collection} collection @param {number | null} number of items in the bin @returns {Tab[]} */
export const makeBinTabs = (collection, number) =>
  hasBin ? [{ key: "bin", text: "Bin", count: number, href: `/admin/${collection}/bin/` }] : [];

/** Render the link to the bin below an empty list. @param {Collection} collection @param {number | null} number */
export const renderBinLink = (collection, number) =>
  number
    ? html`<p><a href="/admin/${collection}/bin/">${formatCount(number, collection.slice(0, -1))} in the bin</a></p>`
    : nothing;

/** Return the number of items in the bin; null if it is unknown. @param {Collection} collection */
export const countBinItems = async (collection) => {
  if (!hasBin) return null;
  const query = { kind: collection.slice(0, -1), page: 1, page_size: 1, fields: "uuid" };
  const { total } = await get("blog/deleted/", { query }).catch(() => ({ total: null }));
  return total;
};
