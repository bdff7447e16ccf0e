/** Shows, beside each link in the text, the article to which the link leads. */

import { fileAddress, get } from "../api.js";
import { session } from "../shell.js";
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

/** Open the target of a link in a tab; an article or a file, in the pages for writing. @param {string} address */
export async function followLink(address) {
  const [, kind, uuid] = /^(article|media):([0-9a-f-]{36})$/i.exec(address) ?? [];
  if (kind === "article") return void open(`/admin/articles/${uuid}/`, "_blank", "noopener");
  if (!kind) {
    const base = session().site.url || location.origin;
    const url = URL.canParse(address, base) ? new URL(address, base) : null;
    return void (/^(https?|mailto|tel):$/.test(url?.protocol ?? "") && open(url?.href, "_blank", "noopener"));
  }
  // Browsers allow no tab that is opened after an answer.
  const tab = open("about:blank", "_blank");
  const { data } = await get(`blog/media/${uuid}/`, { query: { fields: "url" } }).catch(() => ({ data: null }));
  if (data) tab?.location.replace(fileAddress(data));
  else tab?.close();
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
