/** The media library: pictures and other files, with their alternative texts and uses. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { del, makeFileAddress, get, patch, post, put } from "../api.js";
import { button, fileButton, iconButton, field, icon, tabs } from "../components.js";
import { emptyState, descriptionList, largePicture, listRow, thumbnail } from "../components.js";
import { announceText, confirmRisk, copyButton, toast } from "../dialogs.js";
import { Saver } from "../editor/saving.js";
import { formatCount, formatDay, formatSize } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { hasRole, mayChangeFile } from "../roles.js";
import { defineList, ListPage } from "./list-page.js";
import { getUuid } from "./items.js";

const LIBRARY_PATH = "blog/media/";
const PAGE_SIZE = 60;
// The number of files that are uploaded at the same time, and of attempts to upload each of them to a busy blog.
const [MAX_UPLOADS, MAX_TRIES] = [3, 5];
/** The admin pages of items other than articles and pages, by kind. @type {Record<string, string>} */
const ADMIN_PAGES = { author: "authors", category: "categories", site: "site" };
/** The query parameters of the tabs, by the text of the tab. @type {Record<string, Record<string, string>>} */
const LIBRARY_TABS = { All: {}, "Without alternative text": { alt: "missing" }, Unused: { unused: "true" } };

/** Something that uses a file. @typedef {{uuid: string, kind: string, title: string | null}} FileUse */

/** @param {Media} file */
const isImage = ({ type }) => type.startsWith("image/");
/** @param {Media} file */
const describeSize = ({ width, height, size }) => (width ? `${width} × ${height}` : formatSize(size));

const FILE_ICON = html`<span class="media-picture">${icon("file-text")}</span>`;

/** The panel of a file. `edits` is the typed alternative text, which the Saver stores. */
class FilePanel {
  /** @param {MediaLibrary} page @param {string} uuid */
  static async loadPanel(page, uuid) {
    const path = `${LIBRARY_PATH}${uuid}/`;
    const [file, uses] = await Promise.all([get(path), get(`${path}uses/`)]);
    // An article and its edits can both use the file; keep one of these uses.
    /** @param {FileUse} use @param {number} n @param {FileUse[]} all */
    const isFirst = ({ uuid }, n, all) => all.findIndex((use) => use.uuid === uuid) === n;
    return new FilePanel(page, path, file, uses.data.filter(isFirst));
  }

  /**
   * @param {MediaLibrary} page @param {string} path @param {import("../api.js").Answer} answer @param {FileUse[]} uses
   */
  constructor(page, path, { data, etag }, uses) {
    this.page = page;
    this.path = path;
    /** @type {Media} */
    this.file = data;
    this.uses = uses;
    /** @type {string} */
    this.edits = data.alt;
    /** @type {Saver<string>} */
    this.saver = new Saver(this);
    this.saver.setStoredEdits(data.alt, etag);
  }

  /** @param {string} alt @param {import("../editor/saving.js").SendOptions} options */
  async sendEdits(alt, options) {
    const { data, etag } = await patch(this.path, { alt }, options);
    this.file = data;
    this.page.reloadPage();
    return etag;
  }

  /**
   * Return the stored text if this panel has sent it: another user may have changed only other fields.
   * @param {string[]} texts
   */
  async findSentEdits(texts) {
    const { data, etag } = await get(this.path);
    return texts.includes(data.alt) && { etag, edits: data.alt };
  }

  showSaveState() {
    this.page.requestUpdate();
  }

  render() {
    const { page, file, uses, edits: alt } = this;
    const { name, created, user } = file;
    /** @param {FileUse} use */
    const renderUse = ({ kind, uuid, title }) => {
      const name = title ?? "A deleted article";
      const path = ADMIN_PAGES[kind] ?? `${kind === "page" ? "pages" : "articles"}/${uuid}`;
      // Authors may not open the articles of others.
      return html`<div>${hasRole("editor") ? html`<a href="/admin/${path}/">${name}</a>` : name}</div>`;
    };
    const sizes = file.width ? `${describeSize(file)}, ${formatSize(file.size)}` : describeSize(file);
    const added = `${formatDay(created)}${user ? ` by ${user.username}` : ""}`;
    const busy = page.busy === "delete";
    const replaceFile = (/** @type {File[]} */ [chosen]) => page.replaceFile(this, chosen);
    const markdown = `${isImage(file) ? `![${alt}]` : `[${name}]`}(${makeFileAddress(file.url)})`;
    const change = () => html`${fileButton("Replace", replaceFile, { icon: "replace", busy: page.busy === "replace" })}
      ${iconButton("trash-2", "Delete file", () => page.deleteFile(this), { kind: "risk", busy })}`;
    return html`<aside class="media-panel" aria-label=${name}>${isImage(file) ? largePicture(file, alt) : FILE_ICON}
      <div class="section-head"><h2>${name}</h2>
        ${iconButton("x", "Close", () => page.selectFile(null), { kind: "bare hang-end" })}</div>
      ${isImage(file) && mayChangeFile(file) ? this.renderAltTextField() : nothing}
      ${descriptionList({ "Used in": uses.length ? uses.map(renderUse) : "Nothing", Size: sizes, Added: added })}
      <div class="actions">${copyButton(markdown, { label: "Copy Markdown" })}
        ${mayChangeFile(file) ? change() : nothing}</div></aside>`;
  }

  renderAltTextField() {
    const { edits: alt, saver } = this;
    const conflict = saver.state === "conflict" && "Somebody else changed it. Close the file and open it again.";
    const saved = saver.state === "saved" && alt ? "Saved" : "";
    const writeText = (/** @type {string} */ value) => {
      this.edits = value;
      saver.handleEdit();
      this.showSaveState();
    };
    const text = { name: "alt", label: "Alternative text", help: "Describe the picture in one sentence" };
    const counter = html`<span class="good" role="status">${saved}</span>`;
    const errors = { alt: conflict || saver.problem?.message };
    const onChange = () => saver.saveEdits();
    const area = { type: "textarea", maxlength: 1000, ...makeOneLineHandlers(writeText, onChange), onChange };
    return html`${field({ ...text, ...area, value: alt, errors, counter })}
      ${this.file.decorative && !alt ? html`<p class="soft">Decorative: it needs no text.</p>` : nothing}`;
  }
}

/**
 * Upload a file; while the server refuses it because it processes other pictures, wait and try again.
 * @param {File} file @param {number} [tries] @returns {Promise<import("../api.js").Answer>}
 */
async function sendFile(file, tries = MAX_TRIES) {
  try {
    return await post(LIBRARY_PATH, undefined, { file, query: { name: file.name } });
  } catch (error) {
    const { status, retryAfter } = /** @type {any} */ (error);
    if (status !== 503 || tries === 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, (retryAfter ?? 1) * 1000));
    return sendFile(file, tries - 1);
  }
}

class MediaLibrary extends ListPage {
  defaultQuery = { alt: "", unused: "", q: "", page: "1" };
  nouns = ["file", "files"];
  // The number of pages of the list that are shown.
  shown = 1;
  /** @type {FilePanel | null} */
  panel = null;
  /** The files that were not uploaded, and why. @type {{file: File, cause: string}[]} */
  failed = [];
  /** The number of files of each tab. @type {number[]} */
  counts = [];

  /** @param {Record<string, string>} query */
  async loadList({ q, alt, unused }) {
    const loadFiles = (/** @type {Json} */ query) => get(LIBRARY_PATH, { query });
    const counts = Object.values(LIBRARY_TABS).map((query) => loadFiles({ ...query, page_size: 1, fields: "uuid" }));
    const part = { q, alt, unused, page_size: PAGE_SIZE };
    const pages = Array.from({ length: this.shown }, (_, n) => loadFiles({ ...part, page: n + 1 }));
    const totals = (await Promise.all(counts)).map(({ total }) => total);
    const [first, ...more] = await Promise.all(pages);
    return { items: [first, ...more].flatMap(({ data }) => data), total: first.total, counts: totals };
  }

  clearSelection() {
    this.shown = 1;
    super.clearSelection();
  }

  /** Show another file in the panel, or close the panel (null). @param {string | null} uuid */
  async selectFile(uuid) {
    const saver = this.panel?.saver;
    // If the text cannot be saved, the panel stays open; a second attempt closes it and discards the text.
    const isKnown = saver?.problem;
    if (saver && !(await saver.saveEdits()) && !isKnown) return;
    clearTimeout(saver?.timer);
    this.opened = uuid;
    const showProblem = (/** @type {Error} */ { message }) => this.setFields({ problem: message });
    const panel = uuid ? await FilePanel.loadPanel(this, uuid).catch(showProblem) : null;
    if (this.opened === uuid) this.setFields({ panel });
  }

  /** Upload files, a few at a time, and list the files that fail, with the cause. @param {File[]} files */
  async uploadFiles(files) {
    if (this.busy) return;
    const waiting = [...files];
    /** @type {string[]} */
    const sent = [];
    /** @type {string[]} */
    const warnings = [];
    this.failed = this.failed.filter(({ file }) => !files.includes(file));
    let done = 0;
    const uploadWaitingFiles = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        try {
          const { data, warning } = await sendFile(file);
          sent[files.indexOf(file)] = data.uuid;
          if (warning) warnings.push(`${file.name}: ${warning}`);
        } catch (error) {
          this.failed.push({ file, cause: /** @type {Error} */ (error).message });
        }
        done += 1;
        this.setFields({ step: `Uploaded ${done} of ${files.length}…` });
      }
    };
    this.setFields({ step: `Uploading ${formatCount(files.length, "file")}…` });
    await this.runAndReload("upload", () => Promise.all(Array.from({ length: MAX_UPLOADS }, uploadWaitingFiles)));
    this.setFields({ problem: warnings.join(" ") });
    const first = sent.find(Boolean);
    if (!first) return;
    // Ask for the alternative text at once.
    await this.selectFile(first);
    await this.updateComplete;
    document.getElementById("field-alt")?.focus();
  }

  /**
   * Replace the content of a file. Its alternative text stays, and articles that use the file show the new content.
   * @param {FilePanel} panel @param {File} file
   */
  async replaceFile({ path, saver }, file) {
    const answer = await this.runAndReload("replace", async () => {
      await saver.saveEdits();
      return put(`${path}content/`, undefined, { file, query: { name: file.name }, etag: saver.etag });
    });
    if (!answer) return;
    await this.selectFile(answer.data.uuid);
    announceText("Replaced");
  }

  /** @param {FilePanel} panel */
  async deleteFile({ file: { name, caption, decorative, url }, path, edits: alt, uses }) {
    // Read the file for undo, unless something uses it: undo uploads it under another uuid, which its uses do not name.
    const answer = uses.length ? null : await fetch(makeFileAddress(url)).catch(() => null);
    const file = answer?.ok ? await answer.blob() : null;
    const gap = `It is used in ${formatCount(uses.length, "place")}, which will have a gap.`;
    const text = `${uses.length ? gap : "The server cannot read it."} You cannot undo this.`;
    if (!file && !(await confirmRisk({ title: `Delete ${name}?`, text, action: "Delete file" }))) return;
    if (!(await this.runAndReload("delete", () => del(path, { query: { force: uses.length > 0 } })))) return;
    this.setFields({ panel: null });
    const uploadAgain = async () => {
      const { data } = await post(LIBRARY_PATH, undefined, { file, query: { name, alt, caption } });
      if (decorative) await patch(`${LIBRARY_PATH}${data.uuid}/`, { decorative });
    };
    toast(`${name} deleted`, { undo: file && (() => this.runAndReload("undo", uploadAgain)) });
  }

  renderMainButton() {
    const busy = this.busy === "upload";
    const uploadFiles = (/** @type {File[]} */ files) => this.uploadFiles(files);
    return fileButton(busy ? this.step : "Upload", uploadFiles, { icon: "upload", kind: "main", multiple: true, busy });
  }

  renderFailedFiles() {
    const { failed, busy } = this;
    if (!failed.length) return nothing;
    const renderRetryButton = (/** @type {File} */ file) =>
      button("Retry", () => this.uploadFiles([file]), { label: `Retry ${file.name}`, busy: busy === "upload" });
    const mark = { icon: "triangle-alert", kind: "warn" };
    const renderFailedFile = (/** @type {typeof failed[0]} */ { file, cause }) =>
      listRow({ ...mark, title: `${file.name} was not uploaded`, text: cause, side: renderRetryButton(file) });
    return html`<div role="alert"><ul class="rows">${failed.map(renderFailedFile)}</ul></div>`;
  }

  renderPage() {
    const { counts, items, panel, total } = this;
    /** @param {[string, Record<string, string>]} entry @param {number} n */
    const makeTab = ([name, query], n) => {
      const href = this.makeLink({ alt: "", unused: "", ...query });
      return { key: href, text: name, count: counts[n], href };
    };
    const beside = this.renderSearchField("Search name and text");
    const number = formatCount(total, "file");
    const allowDrop = (/** @type {DragEvent} */ event) => event.preventDefault();
    const uploadDroppedFiles = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      this.uploadFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const oneByOne = button("Write them one by one", null, { href: "/admin/media/alt/" });
    const showMore = () => {
      this.shown += 1;
      this.reloadPage();
    };
    const none = emptyState({ title: "No pictures yet", text: "Pictures of articles come here." });
    const files = html`${tabs(Object.entries(LIBRARY_TABS).map(makeTab), this.makeLink({}), { label: "Files", beside })}
      <div class="columns panel media ${panel ? "open" : ""}"><div class="media-list">
        <ul class="media-grid">${repeat(items, getUuid, (item) => this.renderItem(item))}</ul>
        ${total ? html`<p class="section soft" role="status">${number}</p>` : this.renderNothingFound()}
        <div class="actions">${this.query.alt && total ? oneByOne : nothing}
          ${items.length < total ? button("Show more", showMore) : nothing}</div></div>
        ${panel?.render() ?? nothing}</div>`;
    return html`<div @dragover=${allowDrop} @drop=${uploadDroppedFiles}>${this.renderFailedFiles()}
      ${counts[0] ? files : none}</div>`;
  }

  /** @param {Media} item */
  renderItem(item) {
    const { uuid, name, alt, decorative } = item;
    const [kind, text] =
      isImage(item) && !alt && !decorative ? ["warn", "No alternative text"] : ["soft", describeSize(item)];
    return html`<li><button type="button" class="media-item" @click=${() => this.selectFile(uuid)}
      aria-pressed=${this.panel?.file.uuid === uuid}>
      ${isImage(item) ? thumbnail(item.url, "12.5rem", "media-picture") : FILE_ICON}
      <span class="media-name">${name}</span>
      <span class="${kind} small">${text}</span></button></li>`;
  }
}

const page = defineList(MediaLibrary);
addEventListener("beforeunload", (event) => page.busy === "upload" && event.preventDefault());
addEventListener("pagehide", () => page.panel?.saver.saveEdits({ signInAgain: false }));
