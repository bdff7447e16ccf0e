/** Shows, beside each link in the text, the article to which the link leads. */

import { get } from "../api.js";
import { STATUSES } from "../statuses.js";

const MAX_REQUESTED = 100;
/** @type {Map<string, Promise<string>>} */
const known = new Map();
/**
 * The articles that are requested next, and what resolves their promises.
 * @type {Map<string, (words: string) => void>}
 */
let waiting = new Map();

/**
 * Call show() with the words for the article with this uuid.
 * @param {string} uuid @param {(words: string) => void} show
 */
export async function describeLink(uuid, show) {
  if (!known.has(uuid)) {
    /** @type {PromiseWithResolvers<string>} */
    const { promise, resolve } = Promise.withResolvers();
    known.set(uuid, promise);
    waiting.set(uuid, resolve);
    // The articles of all links of a text are requested together.
    if (waiting.size === 1) setTimeout(request);
  }
  show((await known.get(uuid)) ?? "");
}

async function request() {
  const requested = [...waiting];
  waiting = new Map();
  for (let start = 0; start < requested.length; start += MAX_REQUESTED) {
    const part = requested.slice(start, start + MAX_REQUESTED);
    const query = { uuid: part.map(([uuid]) => uuid), status: "any", fields: "uuid,title,slug,status,url" };
    const listing = get("blog/articles/", { query: { ...query, page: 1, page_size: MAX_REQUESTED } });
    /** @type {Article[] | null} */
    const found = await listing.then(({ data }) => data).catch(() => null);
    const articles = new Map(found?.map((article) => [article.uuid, article]));
    for (const [uuid, resolve] of part) {
      resolve(found ? describeArticle(articles.get(uuid)) : "article");
      // For a later link to an unknown article, send a new request.
      if (!found) known.delete(uuid);
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
