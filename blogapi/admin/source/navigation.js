/** Before a link leads to another page, asks whether the blog answers, so that nobody ends on an error page. */

import { connection } from "./api.js";

// For FRESH_MS after a response, links are followed without a new request.
const [FRESH_MS, WAIT_MS] = [1000, 5000];

/**
 * Follow the links to other admin pages; warn() is called if the blog does not answer.
 * @param {(text: string) => unknown} warn
 */
export function guardLinks(warn) {
  document.addEventListener("click", async (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a");
    if (!link || !opensOtherPage(link, event) || Date.now() - connection.answered < FRESH_MS) return;
    event.preventDefault();
    const asked = fetch(link.href, { method: "HEAD", signal: AbortSignal.timeout(WAIT_MS) });
    if (await asked.catch(() => null)) location.assign(link.href);
    else warn("The blog does not answer. What you wrote is kept in this browser; try again when it is back.");
  });
}

/** @param {HTMLAnchorElement} link @param {MouseEvent} event */
function opensOtherPage(link, event) {
  const isPlain = !event.defaultPrevented && !event.button;
  const opensTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return isPlain && !opensTab && !isHere && link.origin === location.origin && link.pathname.startsWith("/admin/");
}
