/** The page that shows the pictures without an alternative text one by one, with a field for the text. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get, patch } from "../api.js";
import { button, checkbox, emptyState, field, largePicture, pageHead, progressBar, thumbnail } from "../components.js";
import { formatCount, formatNumber } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { hasRole, mayChangeFile } from "../roles.js";
import { definePage, Page } from "../shell.js";

const LIBRARY_ADDRESS = "/admin/media/";
const MAX_LENGTH = 1000;
const SECONDS_PER_PICTURE = 20;
const MAX_THUMBNAILS = 12;
const ALT_FIELD = { name: "alt", label: "Alternative text", type: "textarea", maxlength: MAX_LENGTH };

/** @typedef {{alt: string, decorative: boolean}} EnteredText what the author has entered for a picture */

/** Return "none skipped" or "2 skipped". @param {number} number @param {string} done */
const formatDoneCount = (number, done) => `${number || "none"} ${done}`;

class AltTexts extends Page {
  /** The pictures that had no text when the page was opened. @type {Media[]} */
  pictures = [];
  at = 0;
  /** @type {Map<string, EnteredText>} the entered texts that are not saved, by the uuid of the picture */
  enteredTexts = new Map();
  /** @type {Set<string>} */
  written = new Set();
  /** @type {Set<string>} */
  skipped = new Set();
  /** @type {Media | undefined} the picture whose field got the focus */
  focused = undefined;
  /** @type {string | null} the ETag of the picture */
  etag = null;
  /** @type {{uuid: string, kind: string, title: string | null}[]} the items that use the picture */
  uses = [];

  get picture() {
    return this.pictures[this.at];
  }

  /** @returns {EnteredText} */
  get enteredText() {
    const { uuid, alt = "", decorative = false } = this.picture ?? {};
    return this.enteredTexts.get(uuid) ?? { alt, decorative };
  }

  /** Whether the author has entered a text, or has marked a picture as decorative, without saving it. */
  get isDirty() {
    return this.pictures.some(({ uuid, alt, decorative }) => {
      const entered = this.enteredTexts.get(uuid);
      return entered && (entered.alt.trim() !== alt || entered.decorative !== decorative);
    });
  }

  async loadData() {
    const { data } = await get("blog/media/", { query: { alt: "missing" } });
    // Authors see the pictures of others in their articles, and may not change them.
    this.pictures = data.filter(mayChangeFile);
    const wanted = new URLSearchParams(location.search).get("file");
    const at = this.pictures.findIndex(({ uuid }) => uuid === wanted);
    await this.showPicture(Math.max(0, at));
  }

  /** Load a picture from the library, and show it. @param {number} at */
  async showPicture(at) {
    const known = this.pictures[at];
    if (known) {
      const path = `blog/media/${known.uuid}/`;
      const [{ data, etag }, { data: uses }] = await Promise.all([get(path), get(`${path}uses/`)]);
      this.pictures[at] = data;
      Object.assign(this, { etag, uses: uses.filter(isTitledUse) });
    }
    this.setFields({ at });
  }

  updated() {
    super.updated();
    const input = document.getElementById("field-alt");
    if (!input || this.focused === this.picture) return;
    this.focused = this.picture;
    input.focus();
  }

  /** @param {Partial<EnteredText>} changes */
  enterText(changes) {
    this.enteredTexts.set(this.picture.uuid, { ...this.enteredText, ...changes });
    this.requestUpdate();
  }

  /** Save the text, if there is one, and show the next picture. */
  async saveAndShowNext() {
    const { alt, decorative } = this.enteredText;
    if (!alt.trim() && !decorative) return this.skipPicture();
    const { uuid } = this.picture;
    const sent = this.enteredTexts.get(uuid);
    await this.runTask("save", async () => {
      const body = decorative ? { decorative } : { alt: alt.trim(), decorative };
      const { data } = await patch(`blog/media/${uuid}/`, body, { etag: this.etag }).catch(async (error) => {
        // If another user has changed the picture, load it again; the entered text stays.
        if (error.status === 412) await this.showPicture(this.at);
        throw error;
      });
      this.pictures[this.at] = data;
      // Keep what the author has typed during the request.
      if (this.enteredTexts.get(uuid) === sent) this.enteredTexts.delete(uuid);
      this.written.add(uuid);
      this.skipped.delete(uuid);
      await this.showPicture(this.at + 1);
    });
  }

  skipPicture() {
    const { uuid } = this.picture;
    if (!this.written.has(uuid)) this.skipped.add(uuid);
    return this.runTask("show", () => this.showPicture(this.at + 1));
  }

  showPrevious() {
    return this.runTask("show", () => this.showPicture(this.at - 1));
  }

  renderHead() {
    return pageHead(this.heading, button("Leave", null, { icon: "x", kind: "bare", href: LIBRARY_ADDRESS }));
  }

  renderPage() {
    const { pictures, at, picture, written, skipped } = this;
    const done = `${formatDoneCount(written.size, "written")}, ${formatDoneCount(skipped.size, "skipped")}`;
    const library = button("Go to the library", null, { href: LIBRARY_ADDRESS });
    const none = { title: "No picture lacks a text", text: "Every picture has an alternative text." };
    if (!pictures.length) return emptyState({ ...none, actions: library });
    if (!picture) {
      const back = button("Back", () => this.showPrevious(), { kind: "bare" });
      const text = `Of ${formatCount(pictures.length, "picture")}: ${done}.`;
      return emptyState({ title: "That was the last one", text, actions: html`${library} ${back}` });
    }
    const number = `${formatNumber(at + 1)} of ${formatNumber(pictures.length)}`;
    const minutes = Math.max(1, Math.round(((pictures.length - at) * SECONDS_PER_PICTURE) / 60));
    return html`<p class="alt-count" role="status"><strong>${number}</strong> <span class="soft">${done}</span>
        <span class="soft end">About ${formatCount(minutes, "minute")}</span></p>
      ${progressBar({ value: at, max: pictures.length, label: "Pictures" })}
      <div class="columns panel alt-texts">${largePicture(picture)}
        <div class="alt-form"><h2>${picture.name}</h2>${this.renderUses()} ${this.renderForm()}</div></div>
      ${this.renderStrip()}`;
  }

  /** Render the thumbnails of the neighbouring pictures; a click on a thumbnail shows its picture. */
  renderStrip() {
    const { pictures, at } = this;
    const from = Math.max(0, Math.min(at - 2, pictures.length - MAX_THUMBNAILS));
    const renderPictureLink = (/** @type {Media} */ file, /** @type {number} */ n) =>
      html`<button type="button" aria-label=${file.name} aria-current=${from + n === at ? "true" : nothing}
        @click=${() => this.runTask("show", () => this.showPicture(from + n))}>${thumbnail(file.url, "4rem")}</button>`;
    return html`<div class="alt-strip" role="group" aria-label="Pictures">
      ${pictures.slice(from, from + MAX_THUMBNAILS).map(renderPictureLink)}</div>`;
  }

  renderUses() {
    const renderUseLink = (/** @type {AltTexts["uses"][0]} */ { uuid, kind, title }) =>
      html`<a href="/admin/${kind}s/${uuid}/" target="_blank">${title}</a>`;
    const [first, ...more] = this.uses;
    if (!first) return html`<p class="soft">Not used yet</p>`;
    const others = more.length ? ` and ${formatCount(more.length, "other place")}` : "";
    // Authors may not open the articles of others.
    return html`<p class="soft">Used in ${hasRole("editor") ? renderUseLink(first) : first.title}${others}</p>`;
  }

  renderForm() {
    const { at, busy, enteredText, errors } = this;
    const { alt, decorative } = enteredText;
    const text = makeOneLineHandlers(
      (alt) => this.enterText(alt.trim() ? { alt, decorative: false } : { alt }),
      () => this.saveAndShowNext(),
    );
    /** @param {KeyboardEvent} event */
    const handleKey = (event) => {
      if (event.key !== "Enter" || !event.ctrlKey) return text.onkeydown(event);
      event.preventDefault();
      this.skipPicture();
    };
    const help = "What the picture shows, in a sentence";
    const counter = `${alt.length} of ${MAX_LENGTH}`;
    const setDecorative = (/** @type {boolean} */ decorative) =>
      this.enterText(decorative ? { alt: "", decorative } : { decorative });
    const label = "Decorative: it says nothing that the text does not";
    const main = { kind: "main", busy: busy === "save", busyText: "Saving…" };
    return html`${field({ ...ALT_FIELD, ...text, onkeydown: handleKey, value: alt, errors, help, counter })}
      ${checkbox({ id: "decorative", label, value: decorative, onChange: setDecorative })}
      <div class="actions">
        ${button("Save and next", () => this.saveAndShowNext(), main)}
        ${button("Skip", () => this.skipPicture(), { kind: "bare" })}
        ${at ? button("Back", () => this.showPrevious(), { kind: "bare end" }) : nothing}</div>
      <p class="help"><kbd>Enter</kbd> saves and goes on, <kbd>Ctrl Enter</kbd> skips. Each text is saved at once: you
        can leave at any time.</p>`;
  }
}

/** Return whether the use is an article or a page with a title. @param {{kind: string, title: string | null}} use */
const isTitledUse = ({ kind, title }) => title !== null && (kind === "article" || kind === "page");

const page = definePage(AltTexts);
addEventListener("beforeunload", (event) => page.isDirty && event.preventDefault());
