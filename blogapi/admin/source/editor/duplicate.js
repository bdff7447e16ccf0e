/** Makes a new draft from an article, with its unpublished edits. */

import { makeAddress, createArticle, isPage, loadArticle } from "./article.js";
import { newUuid } from "./journal.js";

/**
 * Create the draft and open it. The draft is not a translation; a page gets the position of the original.
 * @param {string} uuid
 */
export async function duplicateItem(uuid) {
  const { edits, article } = await loadArticle(uuid);
  const title = `Copy of ${edits.title}`.slice(0, 255);
  await createCopy({ ...edits, title, translation_key: "" }, article);
}

/**
 * Create a draft with these edits, except the slug and the canonical address of the original, and open it.
 * @param {Edits} edits @param {{parent?: string | null, position?: number}} position of a page
 */
export async function createCopy(edits, { parent, position }) {
  const uuid = newUuid();
  const copied = { ...edits, slug: "", seo: { ...edits.seo, canonical_url: "" } };
  await createArticle(uuid, copied, {}, isPage ? { parent, position } : {});
  location.assign(makeAddress(uuid));
}
