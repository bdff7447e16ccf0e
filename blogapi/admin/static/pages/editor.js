/** The editor of an article: the field for the text, the preview and the details. */

import { html, nothing } from "../vendor/lit.js";
import { badge, button, icon, menuButton, notice, openMenu, segments } from "../components.js";
import { renderText } from "../editor/article.js";
import { ArticlePage } from "../editor/article-page.js";
import { details } from "../editor/details.js";
import { keepBreaks, showBreaks } from "../editor/document.js";
import { insertBlock, picture, run } from "../editor/markdown.js";
import { choosePictures } from "../editor/pictures.js";
import { show } from "../editor/preview.js";
import { ACTIONS, menuItems, openPublish } from "../editor/publish.js";
import { saveState } from "../editor/save-state.js";
import { findCommand, shortcuts, startToolbar, toolbar } from "../editor/toolbar.js";
import { WritingArea } from "../editor/writing-area.js";
import { count, formatDayAndTime, formatTime } from "../format.js";
import { definePage } from "../shell.js";
import { letterOf } from "../shortcuts.js";

const isWide = () => matchMedia("(width >= 68rem)").matches;

class Editor extends ArticlePage {
  side = isWide() ? "preview" : "";
  look = "search";

  get heading() { return this.document.title || "New article"; }
  get excerpt() { return this.rendered?.excerpt ?? ""; }

  updated() {
    super.updated();
    if (this.state !== "ready" || this.area) return;
    this.area = new WritingArea(this.querySelector(".text"), {
      text: showBreaks(this.document.content),
      markdown: this.document.content_type === "markdown",
      changed: (text) => this.change({ content: keepBreaks(this.document.content, text) }),
      receive: (files) => this.insertPictures(files),
    });
    startToolbar(this.document.content_type, (name) => this.command(name));
    document.addEventListener("keydown", (event) => this.press(event), { capture: true });
    if (!this.article) this.querySelector("#title").focus();
    this.shown();
    this.begin();
  }

  shown() {
    this.area?.setText(showBreaks(this.document.content));
    this.schedulePreview(0);
  }

  change(fields) {
    super.change(fields);
    this.schedulePreview();
  }

  schedulePreview(wait = 400) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(), wait);
  }

  async renderPreview() {
    const { document, article, terms } = this;
    try {
      const rendered = await renderText(document, article?.uuid ?? null, { signInAgain: false });
      if (document !== this.document) return;
      const uuid = document.category ?? article?.category.uuid;
      const category = terms.categories.find((term) => term.uuid === uuid)?.name;
      show(this.querySelector(".reading .sheet"), { ...document, category, text: rendered.html });
      this.set({ rendered, previewState: `Rendered by this server, ${formatTime(new Date())}` });
    } catch (error) {
      this.set({ previewState: `Not refreshed: ${error.detail ?? error}` });
    }
  }

  // Make the change that command({text, from, to}) returns.
  edit(command) {
    this.area.edit(command({ text: this.area.getText(), ...this.area.getSelection() }));
    this.area.focus();
  }

  command(name) {
    if (name === "picture") this.insertPictures();
    else this.edit((input) => run(name, input));
  }

  async insertPictures(files) {
    const { content_type: format } = this.document;
    const pictures = await choosePictures({ files });
    const block = pictures.map((chosen) => picture(chosen, format)).join("\n\n");
    if (block) this.edit((input) => insertBlock(input, block));
  }

  press(event) {
    const letter = letterOf(event);
    const isInText = this.document.content_type === "markdown" && this.area.parent.contains(event.target);
    const name = isInText && findCommand(letter);
    if (!name && letter !== "S") return;
    event.preventDefault();
    event.stopPropagation();
    if (name) this.command(name);
    else this.saver.save();
  }

  async showText(from, to) {
    if (!isWide()) this.set({ side: "" });
    await this.updateComplete;
    this.area.select(from, to);
    this.area.focus();
  }

  // The switch between the plain text area and CodeMirror.
  get plain() {
    const { area } = this;
    const action = () => (area.choosePlain(!area.isPlain), this.requestUpdate());
    return { label: area?.isPlain ? "Coloured text field" : "Plain text field", icon: "type", action };
  }

  renderPage() {
    const { side } = this;
    const pane = (name, label, content, isHidden = false) =>
      html`<section class="pane ${name}-pane" aria-label=${label} ?hidden=${isHidden}>${content}</section>`;
    return html`<div class="editor" data-side=${side || "none"}>${this.renderBar()}
      <main class="editor-panes" ?inert=${this.busy === "decide"}><h1 class="sr-only">${this.heading}</h1>
        ${pane("writing", "Writing", this.renderWriting())}
        ${pane("reading", "Preview", this.renderReading(), side === "details")}
        ${pane("details", "Details", this.renderDetails(), side !== "details")}</main></div>`;
  }

  renderBar() {
    const { article, side } = this;
    const status = article?.status ?? "draft";
    const history = article && { icon: "history", href: `/admin/articles/${this.uuid}/history/` };
    const toggle = (name, text, icon) => button({ text, icon, kind: "bare wide-only", pressed: side === name,
      onClick: () => this.set({ side: side === name ? "" : name }) });
    const menu = () => [
      { label: "Details", icon: "panel-right", action: () => this.set({ side: "details" }) },
      history && { label: "History", ...history }, this.plain, ...menuItems(this)];
    const panes = [{ value: "", label: "Write" }, { value: "preview", label: "Preview" }];
    return html`<header class="editor-bar">
      <a class="button bare icon-only" href="/admin/articles/" aria-label="Back to the articles"
        >${icon("arrow-left")}</a>
      ${badge({ ...article, status })} ${saveState(this)} ${toggle("preview", "Preview", "columns-2")}
      ${history ? button({ text: "History", kind: "bare wide-only", ...history }) : nothing}
      ${toggle("details", "Details", "panel-right")}
      <span class="phone-only">${menuButton("More", menu)}</span>
      <span class="split">
        ${button({ text: ACTIONS[status].name, kind: "main", popup: "dialog",
          onClick: ({ currentTarget }) => openPublish(currentTarget, this) })}
        ${button({ icon: "chevron-down", label: "More actions", kind: "main wide-only", popup: "menu",
          onClick: ({ currentTarget }) => openMenu(currentTarget, menuItems(this), "More actions") })}</span>
      <div class="phone-only phone-tabs">${segments({ label: "Show", name: "pane", items: panes,
        value: side === "preview" ? side : "", onChange: (value) => this.set({ side: value }) })}</div>
    </header>`;
  }

  renderWriting() {
    const { document, rendered, plain } = this;
    const line = (name, label, next) => html`<textarea id=${name} class="line-${name}" rows="1" dir="auto"
      aria-label=${label} placeholder=${label} .value=${document[name]}
      @keydown=${(event) => event.key === "Enter" && !event.isComposing && (event.preventDefault(), next())}
      @input=${({ target }) => this.change({ [name]: target.value.replace(/\s*\n\s*/g, " ") })}></textarea>`;
    return html`<div class="tool-row">${toolbar}</div>
      <div class="writing"><div class="sheet">${this.kept ? this.renderKept() : nothing}
        ${line("title", "Title", () => this.querySelector("#subtitle").focus())}
        ${line("subtitle", "Subtitle", () => this.area.focus())}
        <div class="text"></div></div></div>
      <div class="status-line">${rendered ? html`<span>${count(rendered.word_count, "word")}</span>
        <span>${rendered.reading_minutes} min to read</span>` : nothing}
        <span class="end"><button type="button" @click=${plain.action}>${plain.label}</button>
        <button type="button" popovertarget="shortcuts">Shortcuts</button></span></div>${shortcuts}`;
  }

  renderKept() {
    return notice({
      icon: "history",
      title: "This browser has kept a text that was not saved.",
      text: `From ${formatDayAndTime(new Date(this.kept.time))}`,
      action: html`${button({ text: "Discard it", kind: "bare", onClick: () => this.dropKept() })}
        ${button({ text: "Use it", onClick: () => this.useKept() })}`,
    });
  }

  renderReading() {
    const address = `/admin/articles/${this.uuid}/preview/`;
    return html`<div class="tool-row"><p>As readers will see it</p>${this.article
        ? html`<a href=${address} target="_blank" @click=${() => this.saver.save()}>Open in a tab</a>`
        : nothing}</div>
      <div class="reading" tabindex="0"><div class="sheet"></div></div>
      <div class="status-line"><span>${this.previewState ?? ""}</span></div>`;
  }

  renderDetails() {
    const close = () => this.set({ side: "" });
    return html`<div class="tool-row"><h2>Details</h2>
      ${button({ icon: "x", label: "Close the details", kind: "bare", onClick: close })}</div>
      <div class="details">${this.renderProblem()}${details(this)}</div>`;
  }
}

definePage(Editor);
