/**
 * The history of an article or a page: its versions and their changes; users name versions and bring former ones back.
 */

import { get, patch, post } from "../api.js";
import { button, icon, iconButton } from "../components.js";
import { toast } from "../dialogs.js";
import { loadItemWithCopy } from "../actions.js";
import { EDITED_FIELDS, getCopyPath, getItemPath, ITEM } from "../editor/article.js";
import { makeEditorAddress, saveWorkingCopy } from "../editor/article.js";
import { loadTermsAndFields } from "../editor/details.js";
import { compareLines, compareWords, countChangedWords, diffFields } from "../editor/differences.js";
import { getArticleEdits, getCopyEdits, TEXT_FIELDS } from "../editor/edits.js";
import { getMediaFile } from "../editor/media-files.js";
import { openForm } from "../forms.js";
import { formatCount, countDaysTo, formatDayAndTime, formatLongDay, formatTime } from "../format.js";
import { parseTime, toDateInputs } from "../format.js";
import { hasRole } from "../roles.js";
import { definePage, getLastSession, Page, refs } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { html, nothing } from "../../static/vendor/lit.js";

const ITEM_UUID = location.pathname.split("/")[3];
const EDITOR_PATH = makeEditorAddress(ITEM_UUID);
const COPY_PATH = getCopyPath(ITEM_UUID);
const REVISIONS_PATH = `${getItemPath(ITEM_UUID)}revisions/`;
const LISTED_FIELDS = ["*", "published_at", ...EDITED_FIELDS].join();
const PAGE_SIZE = 20;
const SHOWN_FIELDS = TEXT_FIELDS.filter(({ name, control }) => control || name === "content");
// The first version is compared with this empty version.
const EMPTY_VERSION = Object.fromEntries(SHOWN_FIELDS.map((text) => [text.name, text.default]));
/** @typedef {Record<string, any>} Version a version, with the version before it and the size of its changes */

/**
 * Return all users for admins; only admins may list them. For others, return the user of this session.
 * @returns {Promise<Person[]>}
 */
async function listUsers() {
  return hasRole("admin")
    ? (await get("users/")).data
    : [{ uuid: getLastSession().user, username: getLastSession().username }];
}

class History extends Page {
  /** @type {Version[]} */
  versions = [];
  /** @type {any} the working copy, or else the article */
  now = null;
  /** @type {Version[]} the former versions */
  former = [];
  /** @type {Record<string, string>} the names of users and terms by uuid */
  names = {};

  get heading() {
    return this.article ? `History of ${this.article.title}` : "History";
  }
  /** @returns {Version} */
  get shown() {
    return this.versions.find(({ key }) => location.hash === `#${key}`) ?? this.now;
  }

  async loadData() {
    const query = { fields: `${LISTED_FIELDS},last_updated,editor,key_name,working_copy` };
    const loading = loadItemWithCopy(getItemPath(ITEM_UUID), { query });
    const requests = Promise.all([loading, listUsers(), loadTermsAndFields()]);
    const [[article, copy], users, terms] = await requests;
    const writers = [article.data.editor, copy?.data.user].filter(Boolean);
    /** @type {Json[]} */
    const named = [...users, ...writers, ...Object.values(terms).flat()];
    const names = Object.fromEntries(named.map(({ uuid, name, username }) => [uuid, name ?? username]));
    const etag = [copy?.etag, article.etag].filter(Boolean).join(", ");
    Object.assign(this, { article: article.data, copy: copy?.data, etag, names, former: [] });
    await this.loadFormerVersions();
  }

  // Load the next page of former versions. The oldest loaded version is not shown until the version before it is
  // loaded, because its changes are unknown.
  async loadFormerVersions() {
    const page = this.former.length / PAGE_SIZE + 1;
    /** @type {{data: Version[], total: number}} */
    const { data, total } = await get(REVISIONS_PATH, { query: { page, page_size: PAGE_SIZE, fields: LISTED_FIELDS } });
    this.former = [...this.former, ...data.map((version) => ({ ...version, key: `${version.number}` }))];
    this.hasMore = total > this.former.length;
    this.setFields({ versions: this.listVersions().slice(0, this.hasMore ? -1 : undefined) });
  }

  // Return the working copy if there is one, the article and its former versions, newest first: edits that were
  // discarded can be newer than the article. Each has the version before it and the size of its changes. The working
  // copy lacks the fields whose values it has from the article.
  listVersions() {
    const { article, copy, former } = this;
    const derived = { excerpt: copy?.excerpt || undefined, slug: copy?.slug || undefined };
    const edits = copy && { ...copy, ...derived, key: "edits", created: copy.last_updated, user: copy.user.uuid };
    const stored = { key: "article", created: article.last_updated, user: article.editor.uuid };
    const current = { ...article, ...getArticleEdits(article), excerpt: undefined, slug: article.slug, ...stored };
    // If the current version has a name, the list of former versions contains it, too.
    this.current = former.find(({ created }) => created === current.created) ?? current;
    const versions = [edits, this.current, ...former.filter((version) => version !== this.current)].filter(Boolean);
    this.now = versions[0];
    versions.sort((a, b) => parseTime(b.created).getTime() - parseTime(a.created).getTime());
    /** @param {Version} version @param {number} n @param {Version[]} all */
    const compareVersion = (version, n, all) => {
      const before = all[n + 1] ?? EMPTY_VERSION;
      return Object.assign(version, { before, size: countChangedWords(before.content, version.content) });
    };
    return versions.map(compareVersion);
  }

  /**
   * Return the name of a version: the name that its author chose, or the event that created it.
   * @param {Version} version
   */
  getVersionName(version) {
    const { name, status, before, key_name: key, published_at: time, created } = version;
    if (name || version === this.now) return name || "Now";
    const isFirstDraft = status === "draft" && !before.status;
    if (toStoredStatus(status) === toStoredStatus(before.status) || isFirstDraft)
      return key || isReadable(status) ? "Saved" : "Saved on leaving";
    if (status === "draft") return "Draft again";
    return isReadable(status) && parseTime(time) > parseTime(created)
      ? "Scheduled"
      : STATUSES[/** @type {Status} */ (status)].name;
  }

  /**
   * Return the name of the API key that wrote a version, otherwise the name of its author.
   * @param {Version} version
   */
  getWriterName({ key_name: key, user }) {
    return key || this.names[user];
  }

  /** @param {Version} version */
  async renameVersion({ number, name = "" }) {
    const saveName = (/** @type {Json} */ values) =>
      number ? patch(`${REVISIONS_PATH}${number}/`, values) : post(REVISIONS_PATH, values);
    await openForm(this, refs.form, { title: "Name this version", values: { name }, save: saveName });
  }

  // Save a former version as the working copy. For a draft, also publish the working copy into the draft; other
  // articles change when their edits are published.
  /** @param {Version} version */
  async bringBackVersion(version) {
    const { article, copy, names, etag } = this;
    const { tags, authors, category, ...texts } = getCopyEdits(version);
    // Terms that were deleted in the meantime are left out.
    const isKnown = (/** @type {string} */ uuid) => uuid in names;
    const terms = { tags: tags.filter(isKnown), authors: authors.filter(isKnown) };
    const edits = { ...texts, ...terms, category: category && isKnown(category) ? category : null, slug: "" };
    const isDone = await this.runAndReload("back", async () => {
      if (copy) await post(REVISIONS_PATH, { name: `${copy.user.username}, ${formatTime(copy.last_updated)}` });
      const saved = await saveWorkingCopy(ITEM_UUID, edits, { etag });
      if (article.status === "draft") {
        await post(`${COPY_PATH}publish/`, { status: "draft" }, { etag: saved.etag });
      }
      location.hash = "";
      return true;
    });
    const action = { label: `Open the ${ITEM}`, run: () => location.assign(EDITOR_PATH) };
    if (isDone) toast("The version was brought back.", { action });
  }

  renderHead() {
    const { shown: version, now, current } = this;
    const canName = version && (version.number || version === now);
    const isFormer = version && version !== now && version !== current;
    const busy = this.busy === "back";
    const [rename, bringBack] = [() => this.renameVersion(version), () => this.bringBackVersion(version)];
    const back = iconButton("arrow-left", `Back to the ${ITEM}`, null, { kind: "bare hang-start", href: EDITOR_PATH });
    return html`<header class="page-head history-head">${back}
      <h1>History <span class="soft" dir="auto">${this.article?.title}</span></h1>
      <div class="actions">
        ${canName ? button("Name this version", rename, { icon: "tag", kind: "bare" }) : nothing}
        ${isFormer ? button("Bring back this version", bringBack, { icon: "undo-2", busy }) : nothing}</div></header>
      ${isFormer && this.article.status !== "draft" ? refs.consequence : nothing}`;
  }

  renderPage() {
    if (this.versions.length < 2) return refs.empty;
    const days = Map.groupBy(this.versions, ({ created }) => toDateInputs(created).day);
    const loadMore = () => this.runTask("more", () => this.loadFormerVersions());
    const more = () => button("Show older versions", loadMore, { busyText: "Loading…", busy: this.busy === "more" });
    return html`<div class="history">
      <nav class="versions" aria-label="Versions">${[...days.values()].map((versions) => this.renderDay(versions))}
        ${this.hasMore ? more() : nothing}
        ${refs.help}</nav>
      <section class="version-changes" aria-label="Changes">${this.renderChanges(this.shown)}</section>
    </div>`;
  }

  /** @param {Version[]} versions */
  renderDay(versions) {
    const [{ created }] = versions;
    return html`<h2>${countDaysTo(created) ? formatLongDay(created) : "Today"}</h2>
      <ul>${versions.map((version) => html`<li>${this.renderVersion(version)}</li>`)}</ul>`;
  }

  /** @param {Version} version */
  renderVersion(version) {
    const { key, created, size } = version;
    const { added, removed } = size;
    const [name, time] = [this.getVersionName(version), formatTime(created)];
    const isWaiting = version === this.now && (this.copy || this.article.status === "draft");
    const below = [time, this.getWriterName(version), isWaiting && "not published yet"];
    // Readers see only the current version, although former versions can have a public status.
    const isSeen = version === this.current && ["published", "unlisted"].includes(this.article.status);
    const seen = html`<span class="badge small">${icon("circle-check", "good")}<span>Readers see this</span></span>`;
    return html`<a class="version" href="#${key}"
      aria-current=${version === this.shown ? "true" : nothing}><strong>${name}</strong>
      <span class="version-size">${added ? `+${added}` : ""} ${removed ? `−${removed}` : ""}</span>
      <span class="soft small">${below.filter(Boolean).join(", ")}</span>${isSeen ? seen : nothing}</a>`;
  }

  /** @param {Version} version */
  renderChanges(version) {
    const { now } = this;
    const isNow = version === now;
    const withNow = refs.compareWith.value === "now" && !isNow;
    const [left, right] = withNow ? [version, now] : [version.before, version];
    const { added, removed } = countChangedWords(left.content, right.content);
    const [name, who] = [this.getVersionName(version), this.getWriterName(version)];
    const day = formatDayAndTime(version.created);
    const when = `, ${day.replace(/^(.*day),/, (_, word) => word.toLowerCase())}`;
    const fields = diffFields(left, right, this.names);
    return html`<header class="version-head" @change=${() => this.requestUpdate()}>
        <div><p><strong>${name}</strong>${when}${who ? `, by ${who}` : ""}</p>
          <p class="soft small" role="status">${formatCount(added, "word")} added, ${removed} removed</p></div>
        ${isNow ? nothing : refs.compareWith.closest(".field")}</header>
      ${fields.length ? fields.map(renderFieldChange) : html`<p class="soft">Nothing differs.</p>`}`;
  }
}

/** @param {Status} status */
const isReadable = (status) => STATUSES[status]?.readable;
/** Return the status as versions store it: a scheduled article is stored as published. @param {Status} status */
const toStoredStatus = (status) => (status === "scheduled" ? "published" : status);

// The fields that contain the address of a picture, and the pattern of the pictures in a text.
const PICTURE_FIELDS = ["cover_image", "seo.og_image"];
const PICTURE_REFERENCES = /!\[[^\]]*\]\(\s*<?([^\s)>]+)|<img\b[^>]*?\ssrc="([^"]+)"/gi;

/** @param {import("../editor/differences.js").FieldChange} change */
function renderFieldChange({ name, label, before, after }) {
  const isPicture = PICTURE_FIELDS.includes(name);
  const isText = name === "content";
  const change = isPicture
    ? renderPictures([before].filter(Boolean), [after].filter(Boolean))
    : isText
      ? compareLines(before, after).map(renderTextChange)
      : renderWordChanges(before, after);
  return html`<h3 class="soft">${label}</h3>
    <div class=${isText ? "version-text" : "version-value"} dir="auto">${change}</div>`;
}

/** Render the pictures that were removed and added. @param {string[]} before @param {string[]} after */
function renderPictures(before, after) {
  const renderPicture = (/** @type {string} */ address, /** @type {string} */ words) =>
    html`<img src=${getMediaFile(address, () => page.requestUpdate())?.source ?? nothing} alt="${words}: ${address}">`;
  const removed = before.filter((address) => !after.includes(address));
  const added = after.filter((address) => !before.includes(address));
  if (!removed.length && !added.length) return nothing;
  return html`<div class="version-pictures">
    ${removed.map((address) => html`<del>${renderPicture(address, "Removed")}</del>`)}
    ${added.map((address) => html`<ins>${renderPicture(address, "Added")}</ins>`)}</div>`;
}

/** @param {string} text */
const findPictureAddresses = (text) =>
  [...text.matchAll(PICTURE_REFERENCES)].map(([, markdown, html]) => markdown ?? html);

/** @param {import("../editor/differences.js").TextChange} change */
function renderTextChange({ equal, before, after }) {
  const trimLines = (/** @type {string} */ text) => text.replace(/^\s*\n|\n\s*$/g, "");
  if (equal === undefined)
    return html`<p>${renderWordChanges(trimLines(before), trimLines(after))}</p>
      ${renderPictures(findPictureAddresses(before), findPictureAddresses(after))}`;
  const lines = equal.split("\n").filter((line) => line.trim());
  const isList = lines.every((line) => /^\s*([-*+]|\d+[.)])\s/.test(line));
  const words = formatCount(lines.length, isList ? "list item" : "line");
  return lines.length ? html`<p class="version-equal">${words} unchanged</p>` : nothing;
}

/** @param {import("../editor/differences.js").TextChange} change */
const renderChange = ({ equal, before, after }) =>
  equal ?? [before && html`<del>${before}</del>`, after && html`<ins>${after}</ins>`];
/** @param {string} left @param {string} right */
const renderWordChanges = (left, right) => compareWords(left, right).map(renderChange);

const page = definePage(History);
addEventListener("hashchange", () => {
  page.requestUpdate();
  page.querySelector(".version-changes")?.scrollIntoView({ block: "nearest" });
});
