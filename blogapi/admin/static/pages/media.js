/** The media library: pictures and files, their texts and uses, upload, and deletion with undo. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, fileAddress, get, patch, post, put } from "../api.js";
import { button, emptyState, facts, field, fileButton, icon, iconButton, searchField, tabs } from "../components.js";
import { announce, confirmRisk, copyButton, toast } from "../dialogs.js";
import { Saver } from "../editor/saving.js";
import { count, formatDay, formatSize } from "../format.js";
import { oneLine } from "../forms.js";
import { hasRole, mayChangeFile } from "../roles.js";
import { definePage, Page } from "../shell.js";
import { byUuid } from "./lists.js";

const LIBRARY = "blog/media/";
const PAGE_SIZE = 60;
const PAUSE_MS = 500;
const PLACES = { author: "authors", category: "categories", site: "site" };
// The texts of the tabs, and their query parameters of the API.
const TABS = { All: {}, "Without alternative text": { alt: "missing" }, Unused: { unused: "true" } };

const addressOf = (query) => `?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
const isImage = ({ type }) => type.startsWith("image/");
const describeSize = ({ width, height, size }) => (width ? `${width} × ${height}` : formatSize(size));

function renderPicture(item, width, alt = "") {
  if (!isImage(item)) return html`<span class="media-picture">${icon("file-text")}</span>`;
  const shown = item.renditions.find((rendition) => rendition.width >= width) ?? item;
  return html`<img class="media-picture" src=${fileAddress(shown)} alt=${alt} loading="lazy">`;
}

/** The panel of a file; `edits` is its alternative text as typed, which the Saver stores. */
class Panel {
  static async open(page, uuid) {
    const path = `${LIBRARY}${uuid}/`;
    const [file, uses] = await Promise.all([get(path), get(`${path}uses/`)]);
    // An article and its edits can both use it.
    const isFirst = ({ uuid }, n, all) => all.findIndex((use) => use.uuid === uuid) === n;
    return new Panel(page, path, file, uses.data.filter(isFirst));
  }

  constructor(page, path, { data, etag }, uses) {
    this.page = page;
    this.path = path;
    this.file = data;
    this.uses = uses;
    this.edits = data.alt;
    this.saver = new Saver(this);
    this.saver.start(data.alt, etag);
    addEventListener("pagehide", () => this.saver.save({ signInAgain: false }));
  }

  async send(alt, options) {
    const { etag } = await patch(this.path, { alt }, options);
    this.page.reload();
    return etag;
  }

  // Somebody else can have changed the name or the caption only.
  async findOwn(texts) {
    const { data, etag } = await get(this.path);
    return texts.includes(data.alt) && { etag, edits: data.alt };
  }

  showState() {
    this.page.requestUpdate();
  }

  render() {
    const { page, file, uses, edits: alt } = this;
    const { name, created, user } = file;
    const nameOf = ({ title }) => title ?? "A deleted article";
    const placeOf = ({ kind, uuid }) => PLACES[kind] ?? `${kind === "page" ? "pages" : "articles"}/${uuid}`;
    // Authors may not open the articles of others.
    const link = (use) =>
      hasRole("editor")
        ? html`<div><a href="/admin/${placeOf(use)}/">${nameOf(use)}</a></div>`
        : html`<div>${nameOf(use)}</div>`;
    const sizes = file.width ? `${describeSize(file)}, ${formatSize(file.size)}` : describeSize(file);
    const added = `${formatDay(created)}${user ? ` by ${user.username}` : ""}`;
    const busy = page.busy === "delete";
    const replace = (/** @type {File[]} */ [chosen]) => page.replace(this, chosen);
    const markdown = `${isImage(file) ? `![${alt}]` : `[${name}]`}(${fileAddress(file)})`;
    return html`<aside class="media-panel" aria-label=${name}>${renderPicture(file, 800, alt)}
      <div class="section-head"><h2>${name}</h2>
        ${iconButton("x", "Close", () => page.select(null), { kind: "bare hang-end" })}</div>
      ${isImage(file) && mayChangeFile(file) ? this.renderText() : nothing}
      ${facts({ "Used in": uses.length ? uses.map(link) : "Nothing", Size: sizes, Added: added })}
      <div class="actions">${copyButton(markdown, { label: "Copy Markdown" })}
        ${
          mayChangeFile(file)
            ? html`${fileButton("Replace", replace, { icon: "replace", busy: page.busy === "replace" })}
        ${iconButton("trash-2", "Delete file", () => page.remove(this), { kind: "risk", busy })}`
            : nothing
        }</div></aside>`;
  }

  renderText() {
    const { edits: alt, saver } = this;
    const conflict = saver.state === "conflict" && "Somebody else changed it. Close the file and open it again.";
    const saved = saver.state === "saved" && alt ? "Saved" : "";
    const write = (value) => {
      this.edits = value;
      saver.edited();
      this.showState();
    };
    const text = { name: "alt", label: "Alternative text", help: "Describe the picture in one sentence" };
    const counter = html`<span class="good" role="status">${saved}</span>`;
    const errors = { alt: conflict || saver.problem?.message };
    const onChange = () => saver.save();
    const area = { type: "textarea", maxlength: 1000, ...oneLine(write, onChange), onChange };
    return field({ ...text, ...area, value: alt, errors, counter });
  }
}

class Media extends Page {
  pages = 1;
  /** @type {Panel | null} */
  panel = null;

  get filters() {
    return Object.fromEntries(new URLSearchParams(location.search));
  }

  async load() {
    const turn = {};
    this.turn = turn;
    const read = (query) => get(LIBRARY, { query });
    const counts = Object.values(TABS).map((query) => read({ ...query, page_size: 1, fields: "uuid" }));
    const part = { ...this.filters, page_size: PAGE_SIZE };
    const pages = Array.from({ length: this.pages }, (_, at) => read({ ...part, page: at + 1 }));
    const totals = (await Promise.all(counts)).map(({ total }) => total);
    const [first, ...more] = await Promise.all(pages);
    // The response to an earlier search can arrive later.
    if (turn !== this.turn) return;
    this.set({ items: [first, ...more].flatMap(({ data }) => data), total: first.total, counts: totals });
  }

  search(q) {
    history.replaceState(null, "", addressOf({ ...this.filters, q }));
    this.pages = 1;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.reload().then(() => announce(count(this.total, "file"))), PAUSE_MS);
  }

  /** Close the panel and open it with another file, if there is one. */
  async select(uuid) {
    const saver = this.panel?.saver;
    // If a text cannot be saved, the panel stays open at the first attempt.
    const isKnown = saver?.problem;
    if (saver && !(await saver.save()) && !isKnown) return;
    this.wanted = uuid;
    const failed = ({ message }) => this.set({ problem: message });
    const panel = uuid ? await Panel.open(this, uuid).catch(failed) : null;
    if (this.wanted === uuid) this.set({ panel });
  }

  async upload(files) {
    /** @type {string[][]} */
    const [sent, problems] = [[], []];
    await this.actAndReload("upload", async () => {
      for (const [at, file] of files.entries()) {
        this.set({ step: `Uploading ${at + 1} of ${files.length}…` });
        const failed = ({ message }) => problems.push(`${file.name} was not uploaded: ${message}`);
        const send = post(LIBRARY, undefined, { file, query: { name: file.name } });
        const store = ({ data, warning }) => {
          sent.push(data.uuid);
          if (warning) problems.push(`${file.name}: ${warning}`);
        };
        await send.then(store).catch(failed);
      }
    });
    if (sent.length < files.length) problems.push(`${sent.length} of ${count(files.length, "file")} uploaded.`);
    this.set({ problem: problems.join(" ") });
    if (!sent.length) return;
    // Ask for the alternative text at once.
    await this.select(sent[0]);
    await this.updateComplete;
    document.getElementById("field-alt")?.focus();
  }

  /** Replace the file in the panel; its text stays, and its uses show the new file. */
  async replace({ path, saver }, file) {
    const answer = await this.actAndReload("replace", async () => {
      await saver.save();
      return put(`${path}content/`, undefined, { file, query: { name: file.name }, etag: saver.etag });
    });
    if (!answer) return;
    await this.select(answer.data.uuid);
    announce("Replaced");
  }

  async remove({ file: { name, caption, url }, path, edits: alt, uses }) {
    // If the same file is uploaded again, it gets the same address.
    const answer = await fetch(fileAddress({ url })).catch(() => null);
    const file = answer?.ok ? await answer.blob() : null;
    const gap = uses.length && `It is used in ${count(uses.length, "place")}, which will have a gap.`;
    const text = file ? gap : `The server cannot read it, so that you cannot undo this. ${gap || ""}`;
    if (text && !(await confirmRisk({ title: `Delete ${name}?`, text, action: "Delete file" }))) return;
    const work = () => del(path, { query: { force: uses.length > 0 } });
    if (!(await this.actAndReload("delete", work))) return;
    this.set({ panel: null });
    const send = () => post(LIBRARY, undefined, { file, query: { name, alt, caption } });
    toast(`${name} deleted`, { undo: file && (() => this.actAndReload("undo", send)) });
  }

  renderMain() {
    const busy = this.busy === "upload";
    const use = (files) => this.upload(files);
    return fileButton(busy ? this.step : "Upload", use, { icon: "upload", kind: "main", multiple: true, busy });
  }

  renderPage() {
    const { counts, filters, items, panel, total } = this;
    const { q } = filters;
    if (!counts[0]) return emptyState({ title: "No pictures yet", text: "Pictures of articles come here." });
    const tab = ([name, query], at) => {
      const href = addressOf({ ...query, q });
      return { key: href, text: name, count: counts[at], href };
    };
    const onInput = (value) => this.search(value);
    const beside = searchField({ label: "Search name and text", name: "search", value: q, onInput });
    const drop = (event) => (event.preventDefault(), this.upload([...event.dataTransfer.files]));
    const showMore = () => {
      this.pages += 1;
      this.reload();
    };
    return html`<div @dragover=${(event) => event.preventDefault()} @drop=${drop}>
      ${tabs(Object.entries(TABS).map(tab), addressOf(filters), { label: "Files", beside })}
      <div class="columns panel media ${panel ? "open" : ""}"><div class="media-list">
        <ul class="media-grid">${repeat(items, byUuid, (item) => this.renderItem(item))}</ul>
        ${total ? nothing : html`<p class="soft" role="status">${q ? `No file contains “${q}”.` : "No files"}</p>`}
        <div class="actions">${items.length < total ? button("Show more", showMore) : nothing}</div></div>
        ${panel?.render() ?? nothing}</div></div>`;
  }

  renderItem(item) {
    const { uuid, name, alt } = item;
    const [kind, text] = isImage(item) && !alt ? ["warn", "No alternative text"] : ["soft", describeSize(item)];
    return html`<li><button type="button" class="media-item" @click=${() => this.select(uuid)}
      aria-pressed=${this.panel?.file.uuid === uuid}>
      ${renderPicture(item, 400)}<span class="media-name">${name}</span>
      <span class="${kind} small">${text}</span></button></li>`;
  }
}

const page = definePage(Media);
addEventListener("beforeunload", (event) => page.busy === "upload" && event.preventDefault());
