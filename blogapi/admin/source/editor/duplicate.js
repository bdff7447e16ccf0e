/** Creates a draft that is a copy of an article and its unpublished edits. */

import { makeEditorAddress, createArticle, isPage, loadArticle } from "./article.js";
import { makeUuid } from "./journal.js";

/**
 * Duplicate an article or a page, and open the draft. The draft is no translation of the original; the draft of a page
 * gets the position of the original.
 * @param {string} uuid
 */
export async function duplicateItem(uuid) {
  const { edits, article } = await loadArticle(uuid);
  const title = `Copy of ${edits.title}`.slice(0, 255);
  await openNewDraft({ ...edits, title, translation_key: "" }, article);
}

/**
 * Create a draft with these edits, without their slug and canonical address, and open it.
 * @param {Edits} edits @param {{parent?: string | null, position?: number}} position of a page
 */
export async function openNewDraft(edits, { parent, position }) {
  const uuid = makeUuid();
  const copied = { ...edits, slug: "", seo: { ...edits.seo, canonical_url: "" } };
  await createArticle(uuid, copied, {}, isPage ? { parent, position } : {});
  location.assign(makeEditorAddress(uuid));
}
