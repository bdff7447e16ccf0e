/** The media library: pictures and files, their texts and uses, upload, and deletion with undo. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { button, confirmRisk, copyButton, emptyState, facts, field, icon, searchField, tabs,
  toast } from "../components.js";
import { Saver } from "../editor/saving.js";
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

/** A button that lets the user choose files, and passes them to use(). */
function fileButton({ text, icon: name, kind = "", multiple = false, busy, use }) {
  const change = ({ target }) => {
    use([...target.files]);
    // The same file can be chosen again.
    target.value = "";
  };
  return html`<label class="button upload ${kind}">${icon(name)} ${text}
    <input type="file" class="sr-only" ?multiple=${multiple} ?disabled=${busy} @change=${change}></label>`;
}

class Media extends Page {
  pages = 1;
  // The panel: its file, what uses it, its alternative text as typed (`document`), and the Saver of the text.
  panel = null;

  get filters() { return Object.fromEntries(new URLSearchParams(location.search)); }

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

  /** Close the panel and open it with another file, if there is one. */
  async select(item) {
    const { saver } = this.panel ?? {};
    // A text that could not be saved stays in sight once.
    const isKnown = saver?.problem;
    if (saver && !(await saver.save()) && !isKnown) return undefined;
    this.wanted = item;
    if (!item) return this.set({ panel: null });
    const path = `${LIBRARY}${item.uuid}/`;
    const failed = ({ message }) => this.set({ problem: message });
    const answers = await Promise.all([get(path), get(`${path}uses/`)]).catch(failed);
    if (!answers || this.wanted !== item) return undefined;
    const [{ data: file, etag }, { data: uses }] = answers;
    const panel = {
      file,
      uses,
      document: file.alt,
      send: async (alt, options) => {
        const answer = await patch(path, { alt }, options);
        this.reload();
        return answer.etag;
      },
      // Somebody else can have changed the name or the caption only.
      findOwn: async (texts) => {
        const now = await get(path);
        return texts.includes(now.data.alt) && { etag: now.etag, document: now.data.alt };
      },
      showState: () => this.requestUpdate(),
    };
    panel.saver = new Saver(panel);
    panel.saver.start(file.alt, etag);
    addEventListener("pagehide", () => panel.saver.save({ signInAgain: false }));
    return this.set({ panel });
  }

  async upload(files) {
    const [sent, problems] = [[], []];
    await this.act("upload", async () => {
      for (const [at, file] of files.entries()) {
        this.set({ step: `Uploading ${at + 1} of ${files.length}…` });
        await post(LIBRARY, undefined, { file, query: { name: file.name } }).then(
          ({ data }) => sent.push(data),
          ({ message }) => problems.push(`${file.name} was not uploaded: ${message}`));
      }
    });
    if (problems.length) problems.push(`${sent.length} of ${count(files.length, "file")} uploaded.`);
    this.set({ step: "", problem: problems.join(" ") });
    if (!sent.length) return;
    await this.reload();
    // Ask for the alternative text at once.
    await this.select(sent[0]);
    await this.updateComplete;
    document.getElementById("field-alt")?.focus();
  }

  /** Put another file in the place of that of the panel: its text stays, and its uses show the new one. */
  replace({ file: { uuid }, saver }, file) {
    return this.act("replace", async () => {
      await saver.save();
      const options = { file, query: { name: file.name }, etag: saver.etag };
      const { data } = await put(`${LIBRARY}${uuid}/content/`, undefined, options);
      await this.reload();
      await this.select(data);
      announce("Replaced");
    });
  }

  async remove({ file: { uuid, name, caption, url }, document: alt, uses }) {
    // If the same file is uploaded again, it gets the same address.
    const answer = await fetch(pathOf({ url })).catch(() => null);
    const file = answer?.ok && (await answer.blob());
    const consequences = [
      uses.length && `It is used in ${count(uses.length, "place")}, which will have a gap.`,
      !file && "The server cannot read it now, so that you cannot undo this.",
    ].filter(Boolean);
    const question = { title: `Delete ${name}?`, text: consequences.join(" "), action: "Delete file" };
    if (consequences.length && !(await confirmRisk(question))) return;
    const work = () => del(`${LIBRARY}${uuid}/`, { query: { force: uses.length > 0 } });
    if (!(await this.actAndReload("delete", work))) return;
    this.set({ panel: null });
    const send = () => post(LIBRARY, undefined, { file, query: { name, alt, caption } });
    toast(`${name} deleted`, file ? { undo: () => this.actAndReload("undo", send) } : {});
  }

  renderMain() {
    return fileButton({ text: this.step || "Upload", icon: "upload", kind: "main", multiple: true,
      busy: this.busy === "upload", use: (files) => this.upload(files) });
  }

  renderPage() {
    const { counts, filters, panel, total } = this;
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
      <div class="columns panel media ${panel ? "open" : ""}">
        ${total ? this.renderGrid() : html`<p class="soft">${none}</p>`}
        ${panel ? this.renderPanel(panel) : nothing}</div></div>`;
  }

  renderGrid() {
    const { items, total } = this;
    const more = button({ text: "Show more", onClick: () => ((this.pages += 1), this.reload()) });
    return html`<div class="media-list">
      <ul class="media-grid">${repeat(items, ({ uuid }) => uuid, (item) => this.renderItem(item))}</ul>
      <div class="actions">${items.length < total ? more : nothing}</div></div>`;
  }

  renderItem(item) {
    const { uuid, name, alt, width, height, size } = item;
    const shown = width ? `${width} × ${height}` : formatSize(size);
    const text = isImage(item) && !alt ? html`<span class="warn small">No alternative text</span>`
      : html`<span class="soft small">${shown}</span>`;
    return html`<li><button type="button" class="media-item" @click=${() => this.select(item)}
      aria-pressed=${this.panel?.file.uuid === uuid}>
      ${renderPicture(item, 400)}<span class="media-name">${name}</span>${text}</button></li>`;
  }

  renderPanel(panel) {
    const { file, uses, document: alt, saver } = panel;
    const { name, width, height, size, created, user } = file;
    const links = uses.map(({ kind, uuid, title }) => html`<div>
      <a href="/admin/${PLACES[kind] ?? `articles/${uuid}`}/">${title ?? "A deleted article"}</a></div>`);
    const reason = saver.state === "conflict"
      ? "Somebody else changed it. Close the file and open it again." : saver.problem?.message;
    const saved = saver.state === "saved" && alt ? "Saved" : "";
    const counter = html`<span class="good" role="status">${saved}</span>`;
    const text = field({ name: "alt", label: "Alternative text", type: "textarea", value: alt, counter,
      help: "What the picture says, in a sentence", maxlength: 1000, errors: { alt: reason },
      onInput: (value) => ((panel.document = value), saver.edited(), this.requestUpdate()),
      onChange: () => saver.save() });
    const markdown = `${isImage(file) ? `![${alt}]` : `[${name}]`}(${pathOf(file)})`;
    const close = { icon: "x", label: "Close", kind: "bare hang-end", onClick: () => this.select(null) };
    return html`<aside class="media-panel" aria-label=${name}>${renderPicture(file, 800, alt)}
      <div class="section-head"><h2>${name}</h2>${button(close)}</div>
      ${isImage(file) ? text : nothing}
      ${facts([
        ["Used in", links.length ? links : "Nothing"],
        ["Size", `${width ? `${width} × ${height}, ` : ""}${formatSize(size)}`],
        ["Added", `${formatDay(created)}${user ? ` by ${user.username}` : ""}`],
      ])}
      <div class="actions">${copyButton(markdown, { label: "Copy Markdown" })}
        ${fileButton({ text: "Replace", icon: "replace", busy: this.busy === "replace",
          use: ([chosen]) => this.replace(panel, chosen) })}
        ${button({ icon: "trash-2", label: "Delete file", kind: "risk", busy: this.busy === "delete",
          onClick: () => this.remove(panel) })}</div></aside>`;
  }
}

function renderPicture(item, width, alt = "") {
  if (!isImage(item)) return html`<span class="media-picture">${icon("file-text")}</span>`;
  const shown = item.renditions.find((rendition) => rendition.width >= width) ?? item;
  return html`<img class="media-picture" src=${pathOf(shown)} alt=${alt} loading="lazy">`;
}

definePage(Media);
