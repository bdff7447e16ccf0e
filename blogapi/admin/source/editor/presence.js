/** Reports to the server that the user has the article open, and shows the other users who have it open. */

import { html, nothing } from "../../static/vendor/lit.js";
import { post } from "../api.js";
import { icon } from "../components.js";
import { announceText } from "../dialogs.js";
import { describePresence } from "../statuses.js";
import { getItemPath } from "./article.js";

// The server forgets the page a minute after its last report.
const REPORT_INTERVAL_MS = 25_000;

/** Report the open article while the page is visible. @param {import("./article-page.js").ArticlePage} page */
export function startPresenceReports(page) {
  const reportPresence = async () => {
    if (document.visibilityState === "hidden" || !page.article || page.saver.problem?.loss || page.refusal) return;
    const stopOn404 = (/** @type {{status: number}} */ error) => void (error.status === 404 && page.stopEditing(error));
    const answer = await post(`${getItemPath(page.uuid)}open/`, undefined, { signInAgain: false }).catch(stopOn404);
    if (!answer) return;
    const [former, words] = [describePresence(page.others), describePresence(answer.data)];
    page.setFields({ others: answer.data });
    if (words && words !== former) announceText(words);
  };
  setInterval(reportPresence, REPORT_INTERVAL_MS);
  document.addEventListener("visibilitychange", reportPresence);
  reportPresence();
}

/** Render the names of the other users who have the article open. @param {{username: string}[]} users */
export function renderPresence(users) {
  const words = describePresence(users);
  return words ? html`<span class="open-by" title=${words}>${icon("users")}<span>${words}</span></span>` : nothing;
}
