/** Says in the text to which article a link leads: its path, or its title while readers cannot see it. */

import { get } from "../api.js";
import { STATUSES } from "../statuses.js";

const MAX_ASKED = 100;
/** @type {Map<string, Promise<string>>} */
const known = new Map();
/** @type {Map<string, (words: string) => void>} */
let asked = new Map();

/** Call show() with the words for the article with this uuid. */
export async function describeLink(uuid, show) {
  if (!known.has(uuid)) {
    const { promise, resolve } = Promise.withResolvers();
    known.set(uuid, promise);
    asked.set(uuid, resolve);
    // The links of a text are asked for together.
    if (asked.size === 1) setTimeout(ask);
  }
  show(await known.get(uuid));
}

async function ask() {
  const waiting = [...asked];
  asked = new Map();
  for (let start = 0; start < waiting.length; start += MAX_ASKED) {
    const some = waiting.slice(start, start + MAX_ASKED);
    const query = { uuid: some.map(([uuid]) => uuid), status: "any", fields: "uuid,title,slug,status,url" };
    const answer = await get("blog/articles/", { query: { ...query, page: 1, page_size: MAX_ASKED } }).catch(
      () => null,
    );
    const articles = new Map(answer?.data.map((article) => [article.uuid, article]));
    for (const [uuid, resolve] of some) {
      resolve(answer ? wordsOf(articles.get(uuid)) : "article");
      // Its state can change while the text is open.
      if (!answer) known.delete(uuid);
    }
  }
}

function wordsOf(article) {
  if (!article) return "no such article";
  const { title, slug, status, url } = article;
  if (status !== "published") return `${STATUSES[status].name}: ${title}`;
  return url ? new URL(url).pathname : `/${slug}/`;
}
