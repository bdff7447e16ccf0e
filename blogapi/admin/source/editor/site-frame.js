/** Shows the article in the design of the site: the site's preview page, in a frame beside the text. */

import { post } from "../api.js";
import { ITEM, getPath } from "./article.js";

const LIFETIME_SECONDS = 12 * 3600;
const ANSWER_MS = 5000;
// The messages of the function connectPreview() in /docs/blogapi.js.
const [SHOWN, SAVED] = ["blogapi-preview", "blogapi-saved"];

export class SiteFrame {
  /** The address of the page with its token; empty before the first show(). */
  url = "";
  /** Why the page may be missing; empty if the page has reported that it is shown. */
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
   * `origin` is the only origin that the Content-Security-Policy allows in a frame; `changed` is called after each
   * change.
   * @param {HTMLElement} host @param {string} origin @param {() => void} changed
   */
  constructor(host, origin, changed) {
    this.host = host;
    this.origin = origin;
    this.changed = changed;
    addEventListener("message", ({ source, data }) => {
      if (data === SHOWN && source && source === this.frame?.contentWindow) this.setReason("", true);
    });
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      if (effectiveDirective === "frame-src") this.setReason(`The page leads to ${blockedURI}.`);
    });
  }

  /** @param {string} reason */
  setReason(reason, hasAnswered = false) {
    clearTimeout(this.timer);
    Object.assign(this, { reason, hasAnswered });
    this.changed();
  }

  hide() {
    clearTimeout(this.timer);
    this.frame?.remove();
    Object.assign(this, { frame: null, isShown: false, reason: "" });
  }

  /** Show the saved text of an article. @param {string} uuid @param {string | null} etag */
  async show(uuid, etag) {
    this.isShown = true;
    this.etag = etag;
    this.url = await this.makeLink(uuid);
    if (!this.isShown) return;
    const { origin, protocol } = new URL(this.url, location.href);
    if (origin !== this.origin) return this.setReason("Its address was changed. Load this page again.");
    if (location.protocol === "https:" && protocol === "http:") return this.setReason("Its address has no https.");
    this.loadFrame();
  }

  // An article has a limited number of preview links, so each link is used for half of its lifetime.
  /** @param {string} uuid @returns {Promise<string>} */
  async makeLink(uuid) {
    const { uuid: former, url, time } = this.link ?? {};
    if (uuid === former && Date.now() - time < LIFETIME_SECONDS * 500) return url;
    const { data } = await post(`${getPath(uuid)}preview/`, { expires_in: LIFETIME_SECONDS });
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
    // A browser does not say whether another origin refused the frame, so the page must report that it is shown.
    this.timer = window.setTimeout(() => this.setReason(this.explainMissingAnswer()), ANSWER_MS);
  }

  explainMissingAnswer() {
    return (
      `It has not reported itself. If nothing is shown below, ${this.origin} does not answer, or does not allow ` +
      `frames of ${location.origin} (X-Frame-Options or frame-ancestors).`
    );
  }

  /**
   * Show what was saved: the page loads itself again at the same scroll position; if it has not reported that it is
   * shown, the frame is replaced.
   * @param {string | null} etag
   */
  showSaved(etag) {
    if (!this.frame || etag === this.etag) return;
    this.etag = etag;
    if (this.hasAnswered) this.frame.contentWindow?.postMessage(SAVED, this.origin);
    else this.loadFrame();
  }
}
