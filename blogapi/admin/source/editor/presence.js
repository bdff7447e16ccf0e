/** Reports to the server that the article is open here, and shows who else has it open. */

import { html, nothing } from "../../static/vendor/lit.js";
import { post } from "../api.js";
import { icon } from "../components.js";
import { announce } from "../dialogs.js";
import { describeOpenBy } from "../statuses.js";
import { getPath } from "./article.js";

// The server forgets the page a minute after its last report.
const REPORT_MS = 25_000;

/** Report the open article while the page is visible. @param {import("./article-page.js").ArticlePage} page */
export function startPresence(page) {
  const reportPresence = async () => {
    if (document.visibilityState === "hidden" || !page.article || page.saver.problem?.loss || page.refusal) return;
    const stopOn404 = (/** @type {{status: number}} */ error) => void (error.status === 404 && page.stopSaving(error));
    const answer = await post(`${getPath(page.uuid)}open/`, undefined, { signInAgain: false }).catch(stopOn404);
    if (!answer) return;
    const [former, words] = [describeOpenBy(page.others), describeOpenBy(answer.data)];
    page.set({ others: answer.data });
    if (words && words !== former) announce(words);
  };
  setInterval(reportPresence, REPORT_MS);
  document.addEventListener("visibilitychange", reportPresence);
  reportPresence();
}

/** Render the names of the other users who have the article open. @param {{username: string}[]} users */
export function renderOthers(users) {
  const words = describeOpenBy(users);
  return words ? html`<span class="open-by" title=${words}>${icon("users")}<span>${words}</span></span>` : nothing;
}
