/** Makes a new draft of an article, with what is not public yet. */

import { addressOf, create, isPage, load } from "./article.js";
import { newUuid } from "./journal.js";

/**
 * Create the draft and open it. The address, the canonical address and the translations stay those of the original;
 * a page has the place of the original.
 */
export async function duplicate(uuid) {
  const { edits, article } = await load(uuid);
  const copy = newUuid();
  const title = `Copy of ${edits.title}`.slice(0, 255);
  const copied = { ...edits, title, slug: "", translation_key: "", seo: { ...edits.seo, canonical_url: "" } };
  await create(copy, copied, {}, isPage ? { parent: article.parent, position: article.position } : {});
  location.assign(addressOf(copy));
}
