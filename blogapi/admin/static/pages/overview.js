/** The overview: unfinished, scheduled and newly published articles, and the health of the blog. */

import { html, nothing } from "../vendor/lit.js";
import { get, post } from "../api.js";
import { row, sectionHead } from "../components.js";
import { count, distance, formatChanged, formatDay, formatDayAndTime } from "../format.js";
import { hasRole, listPath } from "../roles.js";
import { content, definePage, Page, session } from "../shell.js";
import { openWords, STATUSES } from "../statuses.js";
import * as storage from "../storage.js";
import { loadBuilds, renderBuilds } from "../webhooks/builds.js";
import { addressOf, changeOf, FIELDS, followStored, titleOf, WELCOMED } from "./lists.js";

const LEVELS = { wrong: ["triangle-alert", "bad"], hint: ["triangle-alert", "warn"], ok: ["check", "good"] };
const [newArticle, noArticles, samples] = content;

const list = async (query) =>
  (await get(listPath(), { query: { page_size: 5, fields: `${FIELDS},open_by`, ...query } })).data;

// The texts to the left and to the right of an article in each list.
const describeUnfinished = (article) => {
  const { status, category, word_count: words, open_by: users } = article;
  if (users?.length) return [openWords(users), formatChanged(changeOf(article))];
  const draft = `Draft in ${category.name}, ${count(words, "word")}`;
  const text = status === "draft" ? draft : `${STATUSES[status].name}, with edits that readers cannot see yet`;
  return [text, formatChanged(changeOf(article))];
};
const describeScheduled = ({ category, published_at: time }, { builds }) => {
  const text = `${category.name}, ${distance(time)}${builds.length ? ". The build hooks are called then" : ""}`;
  return [text, formatDayAndTime(time)];
};
const describePublished = ({ category, published_at: time }) => [category.name, formatDay(time)];

class Overview extends Page {
  main = newArticle;

  async load() {
    const [drafts, edited, next, last, { data: health }, found] = await Promise.all([
      list({ status: "draft", ordering: "-last_updated" }),
      list({ working_copy: true, ordering: "-last_updated" }),
      list({ status: "scheduled", ordering: "published_at", page_size: 3 }),
      list({ status: "published", ordering: "-published_at", page_size: 3 }),
      hasRole("admin") ? get("doctor/") : { data: null },
      loadBuilds(),
    ]);
    const unfinished = [...drafts, ...edited.filter(({ status }) => status !== "draft")];
    unfinished.sort((one, other) => (changeOf(one) > changeOf(other) ? -1 : 1));
    Object.assign(this, { unfinished: unfinished.slice(0, 5), next, last, health, ...found });
    followStored(this, this.unfinished);
    // The last results are shown at once; then the checks run again, because problems may have been solved.
    if (health) this.check();
  }

  check() {
    // 409: another page of the overview has started the checks.
    const recover = (error) => (error.status === 409 ? get("doctor/") : Promise.reject(error));
    const run = () => post("doctor/", undefined, { timeout: 120 }).catch(recover);
    return this.act("check", async () => (this.health = (await run()).data));
  }

  /** Whether nobody has named this blog or written anything. */
  get isNew() {
    const { user, site } = session();
    const isUnchanged = !site.title && site.created === site.last_updated;
    const isEmpty = ![this.unfinished, this.next, this.last].some(({ length }) => length);
    return user.role === "admin" && isUnchanged && isEmpty && !storage.read(WELCOMED);
  }

  renderPage() {
    if (this.isNew) {
      location.replace("/admin/welcome/");
      return nothing;
    }
    const again = html`<button class="link-button" type="button" @click=${() => this.check()}>
      ${this.busy === "check" ? "Checking…" : "Check again"}</button>`;
    const findings = this.health?.findings.map(({ level, title, detail: text, link }) => {
      const [icon, kind] = LEVELS[level];
      return row({ icon, kind, text, title: link ? html`<a class="cure" href=${link}>${title}</a>` : title });
    });
    const isEmpty = ![this.unfinished, this.next, this.last].some(({ length }) => length);
    return html`<div class="columns overview"><div>
      ${isEmpty ? noArticles : nothing}
      ${renderList("Go on writing", "draft", "All drafts", this.unfinished, describeUnfinished)}
      ${renderList("Scheduled next", "scheduled", "All scheduled", this.next, describeScheduled, this)}
      ${renderList("Published last", "published", "All published", this.last, describePublished)}
    </div>${findings ? this.renderHealth(findings, again) : nothing}</div>`;
  }

  /** What only admins see: the site, its builds and the health of the blog. */
  renderHealth(findings, again) {
    const { site } = session();
    return html`<div>${site.url ? nothing : samples}${renderBuilds(this, site)}
      <section class="section">${sectionHead("Health", again)}<ul class="rows">${findings}</ul></section></div>`;
  }
}

function renderList(title, status, allText, articles, describe, page = {}) {
  const all = html`<a href="/admin/articles/?status=${status}">${allText}</a>`;
  const rows = articles.map((article) => {
    const [text, side] = describe(article, page);
    return row({ text, side, title: html`<a href=${addressOf(article)} dir="auto">${titleOf(article)}</a>` });
  });
  if (!rows.length) return nothing;
  return html`<section class="section">${sectionHead(title, all)}
    <ul class="rows">${rows}</ul></section>`;
}

definePage(Overview);
