/** Loads the descriptions of the articles to which a text links, and opens links. */

import { makeFileAddress, get } from "../api.js";
import { getSession } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { findArticles, MAX_LINKS } from "./link-picker.js";

/** @type {Map<string, Promise<string>>} */
const descriptions = new Map();
/**
 * The uuids of the articles of the next request, each with the function that resolves the promise of its description.
 * @type {Map<string, (words: string) => void>}
 */
let waitingArticles = new Map();

/**
 * Call show() with a short description of the article with this uuid.
 * @param {string} uuid @param {(words: string) => void} show
 */
export async function describeLink(uuid, show) {
  if (!descriptions.has(uuid)) {
    /** @type {PromiseWithResolvers<string>} */
    const { promise, resolve } = Promise.withResolvers();
    descriptions.set(uuid, promise);
    waitingArticles.set(uuid, resolve);
    // One request is sent for all links that are drawn at the same time.
    if (waitingArticles.size === 1) setTimeout(requestArticles);
  }
  show((await descriptions.get(uuid)) ?? "");
}

/** Open the target of a link in a tab: an article in the editor, a file, or a web page. @param {string} address */
export async function openLinkTarget(address) {
  const [, kind, uuid] = /^(article|media):([0-9a-f-]{36})$/i.exec(address) ?? [];
  if (kind === "article") return void open(`/admin/articles/${uuid}/`, "_blank", "noopener");
  if (!kind) {
    const base = getSession().site.url || location.origin;
    const url = URL.canParse(address, base) ? new URL(address, base) : null;
    return void (/^(https?|mailto|tel):$/.test(url?.protocol ?? "") && open(url?.href, "_blank", "noopener"));
  }
  // Browsers block a tab that is opened after a response, so open it before.
  const tab = open("about:blank", "_blank");
  const { data } = await get(`blog/media/${uuid}/`, { query: { fields: "url" } }).catch(() => ({ data: null }));
  if (data) tab?.location.replace(makeFileAddress(data.url));
  else tab?.close();
}

async function requestArticles() {
  const requested = [...waitingArticles];
  waitingArticles = new Map();
  for (let start = 0; start < requested.length; start += MAX_LINKS) {
    const part = requested.slice(start, start + MAX_LINKS);
    const found = await findArticles(part.map(([uuid]) => uuid));
    const articles = new Map(found?.map((article) => [article.uuid, article]));
    for (const [uuid, resolve] of part) {
      resolve(found ? describeArticle(articles.get(uuid)) : "article");
      // If the request has failed, a later link to the article requests it again.
      if (!found) descriptions.delete(uuid);
    }
  }
}

/** @param {Article} [article] */
function describeArticle(article) {
  if (!article) return "no such article";
  const { title, slug, status, url } = article;
  if (status !== "published") return `${STATUSES[status].name}: ${title}`;
  return url ? new URL(url).pathname : `/${slug}/`;
}
