/** Checks that the blog answers before a link is followed, so that the browser does not show its own error page. */

import { connection } from "./api.js";

// For FRESH_MS after a response of the blog, links are followed without a check.
const [FRESH_MS, WAIT_MS] = [1000, 5000];

/**
 * Check the blog at each click on a link to another admin page; warn() is called if the blog does not answer.
 * @param {(text: string) => unknown} warn
 */
export function guardLinks(warn) {
  document.addEventListener("click", async (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a");
    if (!link || !opensOtherPage(link, event) || Date.now() - connection.answered < FRESH_MS) return;
    event.preventDefault();
    const asked = fetch(link.href, { method: "HEAD", signal: AbortSignal.timeout(WAIT_MS) });
    if (await asked.catch(() => null)) location.assign(link.href);
    else warn("The blog does not answer. This page stays open with what you wrote; try again later.");
  });
}

/** @param {HTMLAnchorElement} link @param {MouseEvent} event */
function opensOtherPage(link, event) {
  const isPlain = !event.defaultPrevented && !event.button;
  const opensTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return isPlain && !opensTab && !isHere && link.origin === location.origin && link.pathname.startsWith("/admin/");
}
