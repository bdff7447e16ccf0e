/** Shows the article in the design of the site: the frame beside the text contains the preview page of the site. */

import { post } from "../api.js";
import { ITEM, getItemPath } from "./article.js";

const LIFETIME_SECONDS = 12 * 3600;
const ANSWER_MS = 5000;
// The messages of the function connectPreview() in /docs/blogapi.js.
const [SHOWN_MESSAGE, SAVED_MESSAGE] = ["blogapi-preview", "blogapi-saved"];

export class SiteFrame {
  /** The address of the page with its token; empty before the first showArticle(). */
  url = "";
  /** Why the frame may be empty; "" if the page has reported that it is shown. */
  reason = "";
  /**
   * The last preview link: `uuid` of the article, `url`, and the `time` of its creation in milliseconds.
   * @type {any}
   */
  link = null;
  isShown = false;
  hasAnswered = false;
  /** @type {HTMLIFrameElement | null} */
  frame = null;
  /** @type {string | null} the ETag of the text that is shown */
  etag = null;
  timer = 0;

  /**
   * `origin` is the only origin that the Content-Security-Policy allows in a frame; `onChange` is called after each
   * change.
   * @param {HTMLElement} host @param {string} origin @param {() => void} onChange
   */
  constructor(host, origin, onChange) {
    this.host = host;
    this.origin = origin;
    this.onChange = onChange;
    addEventListener("message", ({ source, data }) => {
      if (data === SHOWN_MESSAGE && source && source === this.frame?.contentWindow) this.setReason("", true);
    });
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      if (effectiveDirective === "frame-src") this.setReason(`It leads to ${blockedURI}, which is not allowed.`);
    });
  }

  /** @param {string} reason */
  setReason(reason, hasAnswered = false) {
    clearTimeout(this.timer);
    Object.assign(this, { reason, hasAnswered });
    this.onChange();
  }

  hideFrame() {
    clearTimeout(this.timer);
    this.frame?.remove();
    Object.assign(this, { frame: null, isShown: false, reason: "" });
  }

  /** Show the saved text of an article. @param {string} uuid @param {string | null} etag */
  async showArticle(uuid, etag) {
    this.isShown = true;
    this.etag = etag;
    this.url = await this.getPreviewLink(uuid);
    if (!this.isShown) return;
    const { origin, protocol } = new URL(this.url, location.href);
    if (origin !== this.origin) return this.setReason("Its address was changed. Load this page again.");
    if (location.protocol === "https:" && protocol === "http:") return this.setReason("Its address has no https.");
    this.loadFrame();
  }

  // Return a preview link. The number of links of an article is limited, so a link is used for half of its lifetime.
  /** @param {string} uuid @returns {Promise<string>} */
  async getPreviewLink(uuid) {
    const { uuid: former, url, time } = this.link ?? {};
    if (uuid === former && Date.now() - time < LIFETIME_SECONDS * 500) return url;
    const { data } = await post(`${getItemPath(uuid)}preview/`, { expires_in: LIFETIME_SECONDS });
    this.link = { uuid, url: data.url, time: Date.now() };
    return data.url;
  }

  loadFrame() {
    this.frame?.remove();
    const frame = document.createElement("iframe");
    // Without allow-top-navigation, the page cannot replace the editor.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups");
    frame.title = `The ${ITEM} in the site's design`;
    frame.src = this.url;
    this.host.append(frame);
    this.frame = frame;
    this.setReason("");
    // A browser does not report that a page of another origin refuses the frame, so the page reports that it is shown.
    this.timer = window.setTimeout(() => this.setReason(this.explainMissingAnswer()), ANSWER_MS);
  }

  explainMissingAnswer() {
    return (
      `The page has sent no message. If nothing is shown below, ${this.origin} does not answer, or does not allow ` +
      `frames of ${location.origin} (X-Frame-Options or frame-ancestors).`
    );
  }

  /**
   * Show the saved text: ask the page to load itself again, which keeps its scroll position. If the page has not
   * reported that it is shown, load the frame again.
   * @param {string | null} etag
   */
  showSavedText(etag) {
    if (!this.frame || etag === this.etag) return;
    this.etag = etag;
    if (this.hasAnswered) this.frame.contentWindow?.postMessage(SAVED_MESSAGE, this.origin);
    else this.loadFrame();
  }
}
