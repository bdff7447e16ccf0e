/** The versions of an article: their changes and names, and bringing one back. */

import { del, get, patch, post, put } from "../api.js";
import { button, emptyState, field } from "../components.js";
import { compareLines, compareWords, countChanges, diffFields } from "../editor/differences.js";
import { bind, formDialog } from "../forms.js";
import { count, daysFromToday, formatDayAndTime, formatLongDay, formatTime, toFields } from "../format.js";
import { definePage, Page, session, toast } from "../shell.js";
import { html, nothing } from "../vendor/lit.js";

const UUID = location.pathname.split("/")[3];
const EDITOR = `/admin/articles/${UUID}/`;
const PATH = `blog/articles/${UUID}/`;
const COPY = `${PATH}working-copy/`;
const REVISIONS = `${PATH}revisions/`;
const PAGE_SIZE = 20;
// The first version is compared with this.
const NOTHING = { title: "", subtitle: "", content: "" };

class History extends Page {
  static place = "articles";

  versions = [];
  selected = new URLSearchParams(location.search).get("version");
  withNow = false;

  get heading() {
    return this.article ? `History of ${this.article.title}` : "History";
  }

  get shown() {
    return this.versions.find(({ key }) => key === this.selected) ?? this.versions[0];
  }

  async load() {
    const terms = (kind) => get(`blog/${kind}/`, { query: { fields: "uuid,name" } });
    const [article, users, ...lists] = await Promise.all([
      get(PATH, { query: { fields: "*,authors,last_updated,editor,working_copy" } }),
      get("users/"), terms("categories"), terms("tags"), terms("authors")]);
    const copy = article.data.working_copy && (await get(COPY));
    this.users = Object.fromEntries(users.data.map(({ uuid, username }) => [uuid, username]));
    this.names = Object.fromEntries(lists.flatMap(({ data }) => data).map(({ uuid, name }) => [uuid, name]));
    Object.assign(this, { article: article.data, copy: copy?.data, etag: (copy ?? article).etag });
    this.versions = await this.readOlder(1, this.listNow());
  }

  // Return the working copy, if there is one, and the article. Fields that the working copy takes from the
  // article are left out.
  listNow() {
    const { article, copy } = this;
    const uuids = (terms) => terms.map(({ uuid }) => uuid);
    const [tags, authors] = [uuids(article.tags), uuids(article.authors)];
    const current = { key: "article", name: copy ? "" : "Now", created: article.last_updated,
      user: article.editor.uuid, note: article.status === "draft" && !copy && "not published yet",
      body: { ...article, category: article.category.uuid, tags, authors } };
    if (!copy) return [current];
    const body = { ...copy, excerpt: copy.excerpt || undefined, slug: copy.slug || undefined };
    return [{ key: "edits", name: "Now", created: copy.last_updated, user: copy.user.uuid, body,
      note: "not published yet" }, current];
  }

  // Return the newer versions and a page of older ones, with the size of their changes.
  async readOlder(page, newer) {
    const { data, total } = await get(REVISIONS, { query: { page, page_size: PAGE_SIZE } });
    const bodies = await Promise.all(data.map(({ number }) => get(`${REVISIONS}${number}/`)));
    const versions = [...newer];
    for (const [n, { number, name, created, user }] of data.entries()) {
      // If the current version has a name, it is already in the history.
      const current = newer.find((version) => version.key === "article" && version.created === created);
      if (current) Object.assign(current, { number, name: name || current.name, user });
      else versions.push({ key: String(number), number, name, created, user, body: bodies[n].data });
    }
    Object.assign(this, { page, hasMore: total > page * PAGE_SIZE });
    for (const [n, version] of versions.entries()) {
      const before = versions[n + 1]?.body ?? (this.hasMore ? null : NOTHING);
      if (before) version.size ??= countChanges(before.content, version.body.content);
    }
    return versions;
  }

  open(event, key) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", `?version=${key}`);
    this.set({ selected: key });
    const changes = this.querySelector(".version-changes");
    this.updateComplete.then(() => changes.scrollIntoView({ block: "nearest" }));
  }

  async rename({ number, name }) {
    const values = { name: number ? name : "" };
    const input = bind(this, values);
    await formDialog(this, {
      title: "Name this version", action: "Save name",
      fields: () => input("name", "Name", { maxlength: 100, autofocus: true }),
      save: () => (number ? patch(`${REVISIONS}${number}/`, values) : post(REVISIONS, values)),
    });
  }

  // A draft gets the version at once. For other articles it becomes the working copy until the next update.
  async bringBack({ number, body }) {
    const { copy, article, names } = this;
    // Terms that were deleted in the meantime are left out.
    const known = (terms) => terms.filter((uuid) => uuid in names);
    const { title, subtitle, content, content_type, excerpt, cover_image, seo } = body;
    const edits = { title, subtitle, content, content_type, excerpt, cover_image, seo, tags: known(body.tags),
      authors: known(body.authors), category: known([body.category])[0] ?? null };
    const done = await this.act("back", async () => {
      const name = `${session().user.username}, ${copy && formatTime(copy.last_updated)}`;
      if (copy) await post(REVISIONS, { name });
      if (article.status !== "draft") return put(COPY, edits, { etag: this.etag });
      if (copy) await del(COPY, { etag: this.etag });
      return post(`${REVISIONS}${number}/restore/`);
    });
    if (!done) return;
    const run = () => location.assign(EDITOR);
    toast("The version was brought back.", { action: { label: "Open the article", run } });
    this.selected = null;
    await this.reload();
  }

  renderHead() {
    const version = this.shown;
    const isOld = version && version !== this.versions[0] && version.key !== "article";
    const canName = version && (version.number || version.key === "edits" || !this.copy);
    const waits = isOld && this.article.status !== "draft";
    const back = { icon: "arrow-left", label: "Back to the article", kind: "bare hang-start", href: EDITOR };
    return html`<header class="page-head history-head">${button(back)}
      <h1>History <span class="soft" dir="auto">${this.article?.title}</span></h1>
      <div class="actions">
        ${canName ? button({ text: "Name this version", icon: "tag", kind: "bare",
          onClick: () => this.rename(version) }) : nothing}
        ${isOld ? button({ text: "Bring back this version", icon: "undo-2", busy: this.busy === "back",
          onClick: () => this.bringBack(version) }) : nothing}</div></header>
      ${waits ? html`<p class="soft small history-consequence">Readers see a version that you bring back
        after you update the article.</p>` : nothing}`;
  }

  renderPage() {
    if (this.versions.length < 2) {
      return emptyState({ title: "There is one version so far",
        text: "When you publish, leave a draft or bring a version back, the former version is kept here.",
        actions: button({ text: "Back to the article", href: EDITOR }) });
    }
    // What the oldest of them has changed is known when the version before it is.
    const listed = this.hasMore ? this.versions.slice(0, -1) : this.versions;
    const days = Map.groupBy(listed, ({ created }) => toFields(created).day);
    const readMore = async () => this.set({ versions: await this.readOlder(this.page + 1, this.versions) });
    return html`<div class="history">
      <nav class="versions" aria-label="Versions">${[...days.values()].map((versions) => html`
          <h2>${daysFromToday(versions[0].created) ? formatLongDay(versions[0].created) : "Today"}</h2>
          <ul>${versions.map((version) => html`<li>${this.renderVersion(version)}</li>`)}</ul>`)}
        ${this.hasMore ? button({ text: "Show older versions", busyText: "Loading…",
          busy: this.busy === "more", onClick: () => this.act("more", readMore) }) : nothing}
        <p class="soft small">Autosaves are not kept as versions. A version is made each time you publish,
          leave a draft or bring a version back.</p></nav>
      <section class="version-changes" aria-label="Changes">${this.renderChanges(this.shown)}</section>
    </div>`;
  }

  renderVersion(version) {
    const { key, name, created, user, note, size = {} } = version;
    const time = formatTime(created);
    const words = [size.added && `+${size.added}`, size.removed && `−${size.removed}`];
    const below = [name && time, this.users[user], note].filter(Boolean).join(", ");
    return html`<a class="version" href="?version=${key}" @click=${(event) => this.open(event, key)}
      aria-current=${version === this.shown ? "true" : nothing}><strong>${name || time}</strong>
      <span class="version-size">${words.filter(Boolean).join(" ")}</span>
      <span class="soft small">${below}</span></a>`;
  }

  renderChanges(version) {
    const [now] = this.versions;
    const before = this.versions[this.versions.indexOf(version) + 1]?.body ?? NOTHING;
    const isNow = version === now;
    const [left, right] = this.withNow && !isNow ? [version.body, now.body] : [before, version.body];
    const { added, removed } = countChanges(left.content, right.content);
    const who = this.users[version.user];
    const day = formatDayAndTime(version.created);
    const when = version.name
      ? html`<strong>${version.name}</strong>, ${day.replace(/^(.*day),/, (_, word) => word.toLowerCase())}`
      : html`<strong>${day}</strong>`;
    const fields = diffFields(left, right, this.names);
    return html`<header class="version-head">
        <div><p>${when}${who ? `, by ${who}` : ""}</p>
          <p class="soft small" role="status">${count(added, "word")} added, ${removed} removed</p></div>
        ${isNow ? nothing : field({ name: "with", label: "Compare with", type: "select",
          value: this.withNow ? "now" : "before", options: [["before", "Version before"], ["now", "Now"]],
          onChange: (value) => this.set({ withNow: value === "now" }) })}</header>
      ${fields.length ? fields.map(renderField) : html`<p class="soft">Nothing differs.</p>`}`;
  }
}

const renderField = ({ name, label, before, after }) => html`<h3 class="soft">${label}</h3>
  <div class=${name === "content" ? "version-text" : "version-value"} dir="auto">
    ${name === "content" ? compareLines(before, after).map(renderLines) : renderWords(before, after)}</div>`;

function renderLines({ equal, before, after }) {
  const trim = (text) => text.replace(/^\s*\n|\n\s*$/g, "");
  if (equal === undefined) return html`<p>${renderWords(trim(before), trim(after))}</p>`;
  const lines = equal.split("\n").filter((line) => line.trim());
  const isList = lines.every((line) => /^\s*([-*+]|\d+[.)])\s/.test(line));
  const words = count(lines.length, isList ? "list item" : "line");
  return lines.length ? html`<p class="version-equal">${words} unchanged</p>` : nothing;
}

const renderWords = (left, right) => compareWords(left, right).map(({ equal, before, after }) => equal ??
  [before ? html`<del>${before}</del>` : nothing, after ? html`<ins>${after}</ins>` : nothing]);

definePage(History);
