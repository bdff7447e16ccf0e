/** The overview: the unfinished, scheduled and newly published articles, and the health of the blog. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get, post } from "../api.js";
import { listRow, sectionHead } from "../components.js";
import { formatCount, formatDistance, formatTimeAgo, formatDayAndTime } from "../format.js";
import { hasRole, getArticlesPath } from "../roles.js";
import { definePage, Page, refs, getSession } from "../shell.js";
import { describePresence, STATUSES } from "../statuses.js";
import * as storage from "../storage.js";
import { loadBuildHooks, renderBuildHooks } from "../webhooks/builds.js";
import { makeArticleAddress, getChangeTime, ROW_FIELDS, reloadAfterStoring, getTitle, WELCOME_KEY } from "./items.js";

/** @type {Record<string, [string, string]>} */
const LEVEL_ICONS = { wrong: ["triangle-alert", "bad"], hint: ["triangle-alert", "warn"], ok: ["check", "good"] };

/** @param {Json} query @returns {Promise<Article[]>} */
const listArticles = async (query) =>
  (await get(getArticlesPath(), { query: { page_size: 5, fields: `${ROW_FIELDS},open_by`, ...query } })).data;

/**
 * A function that returns the texts at the left and at the right of an article in a list. hasBuilds: whether the blog
 * has build hooks.
 *
 * @typedef {(article: any, hasBuilds: boolean) => [string, string]} DescribeArticle
 */

/** @type {DescribeArticle} */
const describeUnfinished = (article) => {
  const { status, category, word_count: words, open_by: users } = article;
  const draft = `Draft in ${category.name}, ${formatCount(words, "word")}`;
  const name = STATUSES[/** @type {Status} */ (status)].name;
  const text = status === "draft" ? draft : `${name}, with edits that readers cannot see yet`;
  return [describePresence(users) || text, formatTimeAgo(getChangeTime(article))];
};
/** @type {DescribeArticle} */
const describeScheduled = ({ category, published_at: time }, hasBuilds) => {
  const text = `${category.name}, ${formatDistance(time)}${hasBuilds ? ". The build hooks are called then" : ""}`;
  return [text, formatDayAndTime(time)];
};
/** @type {DescribeArticle} */
const describePublished = ({ category, published_at: time }) => [category.name, formatTimeAgo(time)];

class Overview extends Page {
  main = refs.newButton;
  /** @type {Article[]} */
  unfinished = [];
  /** @type {Article[]} the articles that are scheduled next */
  scheduled = [];
  /** @type {Article[]} the articles that were published last */
  published = [];
  /** @type {Webhook[]} the build hooks */
  builds = [];
  isChecking = false;

  async loadData() {
    const [drafts, edited, scheduled, published, { data: health }, found] = await Promise.all([
      listArticles({ status: "draft", ordering: "-last_updated" }),
      listArticles({ working_copy: true, ordering: "-last_updated" }),
      listArticles({ status: "scheduled", ordering: "published_at", page_size: 3 }),
      listArticles({ status: "published", ordering: "-published_at", page_size: 3 }),
      hasRole("admin") ? get("doctor/") : { data: null },
      loadBuildHooks(),
    ]);
    const unfinished = [...drafts, ...edited.filter(({ status }) => status !== "draft")];
    unfinished.sort((a, b) => (getChangeTime(a) > getChangeTime(b) ? -1 : 1));
    Object.assign(this, { unfinished: unfinished.slice(0, 5), scheduled, published, health, ...found });
    reloadAfterStoring(this, this.unfinished);
    // Show the last results of the checks first, and run the checks again: problems may have been solved.
    if (health) this.runChecks();
  }

  /** Run the checks of the blog's health, during which the user can run other tasks. */
  runChecks() {
    if (this.isChecking) return;
    this.setFields({ isChecking: true, problem: "" });
    // The status 409 means that another request is running the checks.
    const readResults = (/** @type {any} */ error) => (error.status === 409 ? get("doctor/") : Promise.reject(error));
    const checking = post("doctor/", undefined, { timeout: 120 }).catch(readResults);
    const showHealth = checking.then(({ data: health }) => this.setFields({ health }));
    this.showFailure(showHealth.finally(() => this.setFields({ isChecking: false })));
  }

  get isEmpty() {
    return ![this.unfinished, this.scheduled, this.published].some(({ length }) => length);
  }

  /** Whether the blog has no title and no articles, and its first page was not answered. */
  get isNew() {
    const { user, site } = getSession();
    const isUnchanged = !site.title && site.created === site.last_updated;
    return user.role === "admin" && isUnchanged && this.isEmpty && !storage.getItem(WELCOME_KEY);
  }

  renderPage() {
    if (this.isNew) {
      location.replace("/admin/welcome/");
      return nothing;
    }
    const again = html`<button class="link-button" type="button" @click=${() => this.runChecks()}>
      ${this.isChecking ? "Checking…" : "Check again"}</button>`;
    const findings = this.health?.findings.map((/** @type {Json} */ { level, title, detail: text, link }) => {
      const [icon, kind] = LEVEL_ICONS[level];
      return listRow({ icon, kind, text, title: link ? html`<a class="cure" href=${link}>${title}</a>` : title });
    });
    return html`<div class="columns overview"><div>
      ${this.isEmpty ? refs.empty : nothing}
      ${this.renderList("Go on writing", "draft", "All drafts", this.unfinished, describeUnfinished)}
      ${this.renderList("Scheduled next", "scheduled", "All scheduled", this.scheduled, describeScheduled)}
      ${this.renderList("Published last", "published", "All published", this.published, describePublished)}
    </div>${findings ? this.renderHealth(findings, again) : nothing}</div>`;
  }

  /**
   * @param {string} title @param {string} status @param {string} allText @param {Article[]} articles
   * @param {DescribeArticle} describe
   */
  renderList(title, status, allText, articles, describe) {
    if (!articles.length) return nothing;
    const all = html`<a href="/admin/articles/?status=${status}">${allText}</a>`;
    const rows = articles.map((article) => {
      const [text, side] = describe(article, this.builds.length > 0);
      const title = html`<a href=${makeArticleAddress(article)} dir="auto">${getTitle(article)}</a>`;
      return listRow({ text, side, title });
    });
    return html`<section class="section">${sectionHead(title, all)}<ul class="rows">${rows}</ul></section>`;
  }

  /**
   * Render the column for admins: the site, its builds, and the health of the blog.
   * @param {Renderable} findings @param {Renderable} again
   */
  renderHealth(findings, again) {
    const { site } = getSession();
    return html`<div>${site.url ? nothing : refs.sampleSites}${renderBuildHooks(this, site)}
      <section class="section">${sectionHead("Health", again)}<ul class="rows">${findings}</ul></section></div>`;
  }
}

definePage(Overview);
