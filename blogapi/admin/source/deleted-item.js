/** The content for the address of a deleted article or page: who deleted it, and the button that restores it. */

import { html } from "../static/vendor/lit.js";
import { get } from "./api.js";
import { button, emptyState } from "./components.js";
import { toast } from "./dialogs.js";
import { formatDayInSentence, formatDistance } from "./format.js";
import { restoreItems } from "./pages/items.js";

/**
 * Load the deleted item of this address, and return the function that renders the content.
 * @param {import("./shell.js").Page} page
 */
export async function makeDeletedItemRenderer(page) {
  const uuid = location.pathname.split("/")[3];
  const { data: item } = await get(`blog/deleted/${uuid}/`);
  const { kind, title, deleted, deleted_by: user, goes } = item;
  const collection = `${kind}s`;
  const restoreItem = async () => {
    const notes = await page.runAndReload("restore", () => restoreItems(`blog/${collection}/`, [item]));
    if (notes) toast(notes);
  };
  const by = user ? ` by ${user}` : "";
  const text = `It was deleted${by} ${formatDayInSentence(deleted)}, and leaves the bin ${formatDistance(goes)}.`;
  const name = title ? `“${title}”` : `This ${kind}`;
  return () => {
    const restore = button("Restore", restoreItem, { kind: "main", busy: page.busy === "restore" });
    const openBin = button("Open the bin", null, { href: `/admin/${collection}/bin/` });
    return emptyState({ title: `${name} is in the bin`, text, actions: html`${restore}${openBin}` });
  };
}
