/** The media library: pictures and files, their texts and uses, upload, and deletion with undo. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, get, patch, post } from "../api.js";
import { button, confirmRisk, copyButton, emptyState, facts, field, icon, searchField, tabs,
  toast } from "../components.js";
import { count, formatDay, formatSize } from "../format.js";
import { announce, definePage, Page } from "../shell.js";

const LIBRARY = "blog/media/";
const PAGE_SIZE = 60;
const PAUSE_MS = 500;
const PLACES = { author: "authors", category: "categories", site: "site" };
// The texts of the tabs, and their query parameters of the API.
const TABS = [["All", {}], ["Without alternative text", { alt: "missing" }], ["Unused", { unused: "true" }]];

// Files are loaded from this host, even if their public address has another one.
const pathOf = ({ url }) => new URL(url, location.origin).pathname;
const isImage = ({ type }) => type.startsWith("image/");

class Media extends Page {
  static place = "media";
  static heading = "Media";
  selected = null;
  pages = 1;
  sending = Promise.resolve();

  get filters() {
    return Object.fromEntries(new URLSearchParams(location.search));
  }

  async load() {
    const turn = (this.turn = {});
    const read = (query) => get(LIBRARY, { query });
    const page = (number) => read({ ...this.filters, page_size: PAGE_SIZE, page: number });
    const counts = TABS.map(([, query]) => read({ ...query, page_size: 1, fields: "uuid" }));
    const totals = (await Promise.all(counts)).map(({ total }) => total);
    const pages = await Promise.all(Array.from({ length: this.pages }, (_, at) => page(at + 1)));
    // The answer to an earlier search can come later.
    if (turn !== this.turn) return;
    this.set({ items: pages.flatMap(({ data }) => data), total: pages[0].total, counts: totals });
  }

  search(q) {
    const query = Object.entries({ ...this.filters, q }).filter(([, value]) => value);
    history.replaceState(null, "", `?${new URLSearchParams(query)}`);
    this.pages = 1;
    clearTimeout(this.pause);
    this.pause = setTimeout(async () => (await this.reload(), announce(count(this.total, "file"))), PAUSE_MS);
  }

  async select(item) {
    // A text that could not be saved stays in sight once.
    if (!(await this.save())) return;
    this.set({ selected: item, etag: null, uses: null, saved: "", errors: {} });
    if (!item) return;
    const path = `${LIBRARY}${item.uuid}/`;
    const failed = ({ message }) => this.set({ errors: { alt: message } });
    const answers = await Promise.all([get(path), get(`${path}uses/`)]).catch(failed);
    if (!answers || this.selected?.uuid !== item.uuid) return;
    const [file, uses] = answers;
    // A text can have been typed, and even saved, meanwhile.
    const selected = this.selected === item ? file.data : this.selected;
    this.set({ selected, etag: this.etag ?? file.etag, uses: uses.data });
  }

  write(alt) {
    this.set({ selected: { ...this.selected, alt }, saved: "" });
    this.unsaved = this.selected;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), PAUSE_MS);
  }

  /** Save what was typed, one save after the other. Returns a promise of whether nothing is left. */
  save() {
    return (this.sending = this.sending.then(() => this.send()));
  }

  async send() {
    const { unsaved: item, etag } = this;
    if (!item) return true;
    this.unsaved = null;
    try {
      const answer = await patch(`${LIBRARY}${item.uuid}/`, { alt: item.alt }, { etag, keepalive: true });
      const items = this.items.map((other) => (other.uuid === item.uuid ? answer.data : other));
      this.set({ items, etag: answer.etag, saved: this.unsaved ? "" : "Saved", errors: {} });
      return true;
    } catch (error) {
      const changed = "Somebody else changed it. Close the file and open it again.";
      this.set({ errors: { alt: error.status === 412 ? changed : error.message } });
      return false;
    }
  }

  async upload(files) {
    const sent = [];
    await this.act("upload", async () => {
      for (const file of files) {
        this.set({ step: `Uploading ${sent.length + 1} of ${files.length}…` });
        sent.push((await post(LIBRARY, undefined, { file, query: { name: file.name } })).data);
      }
    });
    this.set({ step: "" });
    if (!sent.length) return;
    await this.reload();
    // Ask for the alternative text at once.
    await this.select(sent[0]);
    await this.updateComplete;
    document.getElementById("field-alt")?.focus();
  }

  async remove({ uuid, name, alt, caption, url }) {
    const force = this.uses.length > 0;
    const text = `It is used in ${count(this.uses.length, "place")}, which will have a gap.`;
    if (force && !(await confirmRisk({ title: `Delete ${name}?`, text, action: "Delete file" }))) return;
    await this.act("delete", async () => {
      // If the same file is uploaded again, it gets the same address.
      const file = await (await fetch(pathOf({ url }))).blob();
      await del(`${LIBRARY}${uuid}/`, { query: { force } });
      this.unsaved = null;
      this.set({ selected: null });
      await this.reload();
      const send = () => post(LIBRARY, undefined, { file, query: { name, alt, caption } });
      toast(`${name} deleted`, { undo: async () => (await this.act("undo", send)) && this.reload() });
    });
  }

  renderMain() {
    const choose = () => document.getElementById("files").click();
    const send = ({ target }) => this.upload([...target.files]).then(() => (target.value = ""));
    return html`<input id="files" type="file" multiple hidden @change=${send}>
      ${button({ text: this.step || "Upload", icon: "upload", kind: "main", busy: this.busy === "upload",
        onClick: choose })}`;
  }

  renderPage() {
    const { counts, filters, selected, total } = this;
    const text = "Pictures that you add to articles come here too.";
    if (!counts[0]) return emptyState({ title: "No pictures yet", text });
    const { q = "", ...chosen } = filters;
    const items = TABS.map(([text, query], at) => {
      const href = `?${new URLSearchParams(q ? { ...query, q } : query)}`;
      return { key: JSON.stringify(query), text, count: counts[at], href };
    });
    const onInput = (value) => this.search(value);
    const beside = searchField({ label: "Search name and text", name: "search", value: q, onInput });
    const drop = (event) => (event.preventDefault(), this.upload([...event.dataTransfer.files]));
    const none = q ? `No file contains “${q}”.` : "No files";
    return html`<div @dragover=${(event) => event.preventDefault()} @drop=${drop}>
      ${tabs(items, JSON.stringify(chosen), { label: "Files", beside })}
      <div class="columns panel media ${selected ? "open" : ""}">
        ${total ? this.renderGrid() : html`<p class="soft">${none}</p>`}
        ${selected ? this.renderPanel(selected) : nothing}</div></div>`;
  }

  renderGrid() {
    const { items, total } = this;
    const more = button({ text: "Show more", onClick: () => ((this.pages += 1), this.reload()) });
    return html`<div class="media-list">
      <ul class="media-grid">${repeat(items, ({ uuid }) => uuid, (item) => this.renderItem(item))}</ul>
      <div class="actions">${items.length < total ? more : nothing}</div></div>`;
  }

  renderItem(item) {
    const { name, alt, width, height, size } = item;
    const lacks = isImage(item) && !alt;
    const shown = width ? `${width} × ${height}` : formatSize(size);
    const text = lacks ? html`<span class="warn small">No alternative text</span>`
      : html`<span class="soft small">${shown}</span>`;
    return html`<li><button type="button" class="media-item" @click=${() => this.select(item)}
      aria-pressed=${this.selected?.uuid === item.uuid}>
      ${this.renderPicture(item, 400)}<span class="media-name">${name}</span>${text}</button></li>`;
  }

  renderPicture(item, width, alt = "") {
    if (!isImage(item)) return html`<span class="media-picture">${icon("file-text")}</span>`;
    const shown = item.renditions.find((rendition) => rendition.width >= width) ?? item;
    return html`<img class="media-picture" src=${pathOf(shown)} alt=${alt} loading="lazy">`;
  }

  renderPanel(item) {
    const { uses, errors, saved, busy } = this;
    const { name, alt, width, height, size, created } = item;
    const used = uses?.map(({ kind, uuid, title }) => {
      const href = `/admin/${PLACES[kind] ?? `articles/${uuid}`}/`;
      return html`<div><a href=${href}>${title ?? "A deleted article"}</a></div>`;
    });
    const counter = html`<span class="good" role="status">${saved}</span>`;
    const text = field({ name: "alt", label: "Alternative text", type: "textarea", value: alt, errors,
      help: "What the picture says, in a sentence", maxlength: 1000, counter,
      onInput: (value) => this.write(value), onChange: () => this.save() });
    const markdown = `${isImage(item) ? `![${alt}]` : `[${name}]`}(${pathOf(item)})`;
    const close = { icon: "x", label: "Close", kind: "bare hang-end", onClick: () => this.select(null) };
    return html`<aside class="media-panel" aria-label=${name}>${this.renderPicture(item, 800, alt)}
      <div class="section-head"><h2>${name}</h2>${button(close)}</div>
      ${isImage(item) ? text : nothing}
      ${facts([
        ["Used in", used?.length ? used : used && "Nothing"],
        ["Size", `${width ? `${width} × ${height}, ` : ""}${formatSize(size)}`],
        ["Added", formatDay(created)],
      ])}
      <div class="actions">
        ${copyButton(markdown, { label: "Copy Markdown" })}
        ${uses && button({ icon: "trash-2", label: "Delete file", kind: "risk", busy: busy === "delete",
          onClick: () => this.remove(item) })}</div></aside>`;
  }
}

definePage(Media);
