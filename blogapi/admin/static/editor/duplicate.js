/** Makes a new draft of an article, with what is not public yet. */

import { addressOf, create, load } from "./article.js";
import { newUuid } from "./journal.js";

/** Create the draft and open it. The address and the canonical address stay those of the original. */
export async function duplicate(uuid) {
  const { edits } = await load(uuid);
  const copy = newUuid();
  const title = `Copy of ${edits.title}`.slice(0, 255);
  await create(copy, { ...edits, title, slug: "", seo: { ...edits.seo, canonical_url: "" } });
  location.assign(addressOf(copy));
}
