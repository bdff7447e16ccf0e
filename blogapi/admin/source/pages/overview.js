/** The overview: unfinished, scheduled and newly published articles, and the health of the blog. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ApiError, get, post } from "../api.js";
import { listRow, sectionHead } from "../components.js";
import { formatCount, formatDistance, formatChanged, formatDayAndTime } from "../format.js";
import { hasRole, getListPath } from "../roles.js";
import { definePage, Page, refs, session } from "../shell.js";
import { describeOpenBy, STATUSES } from "../statuses.js";
import * as storage from "../storage.js";
import { loadBuilds, renderBuilds } from "../webhooks/builds.js";
import { makeAddress, getLastChange, FIELDS, reloadAfterStoring, getTitle, WELCOMED } from "./lists.js";

/** @type {Record<string, [string, string]>} */
const LEVELS = { wrong: ["triangle-alert", "bad"], hint: ["triangle-alert", "warn"], ok: ["check", "good"] };

/** @param {Json} query @returns {Promise<Article[]>} */
const listArticles = async (query) =>
  (await get(getListPath(), { query: { page_size: 5, fields: `${FIELDS},open_by`, ...query } })).data;

/**
 * Returns the texts to the left and to the right of an article in a list. hasBuilds: whether the site is built.
 *
 * @typedef {(article: any, hasBuilds: boolean) => [string, string]} Describe
 */

/** @type {Describe} */
const describeUnfinished = (article) => {
  const { status, category, word_count: words, open_by: users } = article;
  const draft = `Draft in ${category.name}, ${formatCount(words, "word")}`;
  const name = STATUSES[/** @type {Status} */ (status)].name;
  const text = status === "draft" ? draft : `${name}, with edits that readers cannot see yet`;
  return [describeOpenBy(users) || text, formatChanged(getLastChange(article))];
};
/** @type {Describe} */
const describeScheduled = ({ category, published_at: time }, hasBuilds) => {
  const text = `${category.name}, ${formatDistance(time)}${hasBuilds ? ". The build hooks are called then" : ""}`;
  return [text, formatDayAndTime(time)];
};
/** @type {Describe} */
const describePublished = ({ category, published_at: time }) => [category.name, formatChanged(time)];

class Overview extends Page {
  main = refs.newButton;
  /** @type {Article[]} */
  unfinished = [];
  /** @type {Article[]} the articles that are scheduled next */
  next = [];
  /** @type {Article[]} the articles that were published last */
  last = [];
  /** @type {Webhook[]} the build hooks */
  builds = [];
  isChecking = false;

  async load() {
    const [drafts, edited, next, last, { data: health }, found] = await Promise.all([
      listArticles({ status: "draft", ordering: "-last_updated" }),
      listArticles({ working_copy: true, ordering: "-last_updated" }),
      listArticles({ status: "scheduled", ordering: "published_at", page_size: 3 }),
      listArticles({ status: "published", ordering: "-published_at", page_size: 3 }),
      hasRole("admin") ? get("doctor/") : { data: null },
      loadBuilds(),
    ]);
    const unfinished = [...drafts, ...edited.filter(({ status }) => status !== "draft")];
    unfinished.sort((a, b) => (getLastChange(a) > getLastChange(b) ? -1 : 1));
    Object.assign(this, { unfinished: unfinished.slice(0, 5), next, last, health, ...found });
    reloadAfterStoring(this, this.unfinished);
    // Show the last results at once, and run the checks again, because problems may have been solved.
    if (health) this.runChecks();
  }

  /** Run the checks. They can take seconds, so other actions may run meanwhile. */
  async runChecks() {
    if (this.isChecking) return;
    this.set({ isChecking: true, problem: "" });
    try {
      // 409: another page of the overview has started the checks.
      const readResults = (/** @type {any} */ error) => (error.status === 409 ? get("doctor/") : Promise.reject(error));
      this.health = (await post("doctor/", undefined, { timeout: 120 }).catch(readResults)).data;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.set({ problem: error.message });
    } finally {
      this.set({ isChecking: false });
    }
  }

  get isEmpty() {
    return ![this.unfinished, this.next, this.last].some(({ length }) => length);
  }

  /** Whether nobody has named this blog or written anything. */
  get isNew() {
    const { user, site } = session();
    const isUnchanged = !site.title && site.created === site.last_updated;
    return user.role === "admin" && isUnchanged && this.isEmpty && !storage.getItem(WELCOMED);
  }

  renderPage() {
    if (this.isNew) {
      location.replace("/admin/welcome/");
      return nothing;
    }
    const again = html`<button class="link-button" type="button" @click=${() => this.runChecks()}>
      ${this.isChecking ? "Checking…" : "Check again"}</button>`;
    const findings = this.health?.findings.map((/** @type {Json} */ { level, title, detail: text, link }) => {
      const [icon, kind] = LEVELS[level];
      return listRow({ icon, kind, text, title: link ? html`<a class="cure" href=${link}>${title}</a>` : title });
    });
    return html`<div class="columns overview"><div>
      ${this.isEmpty ? refs.empty : nothing}
      ${this.renderList("Go on writing", "draft", "All drafts", this.unfinished, describeUnfinished)}
      ${this.renderList("Scheduled next", "scheduled", "All scheduled", this.next, describeScheduled)}
      ${this.renderList("Published last", "published", "All published", this.last, describePublished)}
    </div>${findings ? this.renderHealth(findings, again) : nothing}</div>`;
  }

  /**
   * @param {string} title @param {string} status @param {string} allText @param {Article[]} articles
   * @param {Describe} describe
   */
  renderList(title, status, allText, articles, describe) {
    if (!articles.length) return nothing;
    const all = html`<a href="/admin/articles/?status=${status}">${allText}</a>`;
    const rows = articles.map((article) => {
      const [text, side] = describe(article, this.builds.length > 0);
      return listRow({ text, side, title: html`<a href=${makeAddress(article)} dir="auto">${getTitle(article)}</a>` });
    });
    return html`<section class="section">${sectionHead(title, all)}<ul class="rows">${rows}</ul></section>`;
  }

  /**
   * What only admins see: the site, its builds and the health of the blog.
   * @param {Renderable} findings @param {Renderable} again
   */
  renderHealth(findings, again) {
    const { site } = session();
    return html`<div>${site.url ? nothing : refs.sampleSites}${renderBuilds(this, site)}
      <section class="section">${sectionHead("Health", again)}<ul class="rows">${findings}</ul></section></div>`;
  }
}

definePage(Overview);
