// The editor of an article.

import { createRef, html, nothing, ref } from "../vendor/lit.js";
import { del, post, put } from "../api.js";
import { announce, badge, button, icon, menuButton, notice, openDialog, segments, toast } from "../components.js";
import { count, formatDay, formatDayAndTime, formatTime, parseTime, daysFromToday } from "../format.js";
import { definePage, Page, session } from "../shell.js";
import { details, loadTerms } from "../editor/details.js";
import { EMPTY, isSame, keepBreaks, showBreaks, toArticle, toCopy } from "../editor/document.js";
import { discard, Journal } from "../editor/journal.js";
import { insertBlock, picture, run } from "../editor/markdown.js";
import { choosePictures } from "../editor/pictures.js";
import { load, render, show } from "../editor/preview.js";
import { ACTIONS, openActions, openPublish } from "../editor/publish.js";
import { Saver } from "../editor/saving.js";
import { toolbar } from "../editor/toolbar.js";
import { WritingArea } from "../editor/writing-area.js";

const STATES = {
  saved: ["check"],
  unsaved: ["pen-line", "Not saved yet"],
  saving: ["refresh-cw", "Saving…"],
  offline: ["cloud-off", "Offline: kept in this browser"],
  conflict: ["triangle-alert", "Conflict: choose a version"],
  refused: ["triangle-alert", "Not saved"],
};
const KEYS = { b: "bold", i: "italic", k: "link" };
const SHORTCUTS = [["Ctrl S", "Save"], ["Ctrl B", "Bold"], ["Ctrl I", "Italic"], ["Ctrl K", "Link"], ["Ctrl P", "Go to…"]];

class Editor extends Page {
  static place = "articles";
  static bare = true;
  uuid = location.pathname.split("/")[3].replace(/^new$/, "");
  article = null;
  document = EMPTY;
  terms = { categories: [], tags: [], authors: [] };
  side = matchMedia("(width >= 68rem)").matches ? "preview" : "";
  look = "search";
  ownSeo = false;
  excerpt = "";
  rendered = null;
  kept = null;
  shownState = "saved";
  textBox = createRef();
  reading = createRef();
  saver = new Saver({
    read: () => this.document,
    send: (document, options) => this.send(document, options),
    isOwn: (documents) => this.isOwn(documents),
    changed: (state) => this.showState(state),
  });

  get heading() {
    return this.document.title || "New article";
  }

  get path() {
    return `blog/articles/${this.uuid}/`;
  }

  get site() {
    return session().site;
  }

  async load() {
    const [terms, loaded] = await Promise.all([loadTerms(), this.uuid ? load(this.uuid) : null]);
    this.terms = terms;
    if (loaded) this.take(loaded);
    else this.saver.start(this.document, null);
  }

  // Show this version of the article, which the server has.
  take({ article, document, etag, saved }) {
    Object.assign(this, { article, document, savedAt: saved });
    if (this.area) this.area.text = showBreaks(document.content);
    this.saver.start(document, etag);
    this.schedulePreview(0);
  }

  updated() {
    super.updated();
    if (this.state === "ready" && !this.area) this.begin();
  }

  begin() {
    this.area = new WritingArea(this.textBox.value, {
      text: showBreaks(this.document.content),
      markdown: this.document.content_type === "markdown",
      changed: (text) => this.change({ content: keepBreaks(this.document.content, text) }),
      receive: (files) => this.insertPictures(files),
    });
    this.journal = new Journal(session().user.uuid);
    [this.kept] = this.journal.find(this.uuid || "new", (document) => isSame(document, this.document));
    addEventListener("pagehide", () => this.leave());
    addEventListener("online", () => this.saver.save());
    addEventListener("beforeunload", (event) => this.saver.isDirty && !this.journal.keeps && event.preventDefault());
    document.addEventListener("visibilitychange", () => this.lookAgain());
    document.addEventListener("keydown", (event) => this.shortcut(event), { capture: true });
    this.schedulePreview(0);
    if (!this.uuid) this.querySelector("#title").focus();
    if (this.kept) this.requestUpdate();
  }

  // Change fields of the document; an equal value is no change.
  change(fields) {
    const document = { ...this.document, ...fields };
    if (JSON.stringify(document) === JSON.stringify(this.document)) return;
    this.set({ document, errors: {} });
    this.journal.write(this.uuid || "new", document, this.saver.etag);
    this.saver.edited();
    this.schedulePreview();
  }

  async send(document, options) {
    if (!this.uuid) return this.create(document, options);
    const { data, etag } = await put(`${this.path}working-copy/`, toCopy(document), options);
    this.article = { ...this.article, working_copy: data };
    this.wrote = true;
    return { etag };
  }

  // The first save makes the draft; a retry repeats the same request.
  async create(document, options) {
    this.creation ??= { document, once: crypto.getRandomValues(new Uint32Array(4)).join("-") };
    const { document: stored, once } = this.creation;
    try {
      const { data, etag } = await post("blog/articles/", toArticle(stored), { ...options, etag: null, once });
      this.journal.clear("new");
      Object.assign(this, { uuid: data.uuid, article: { ...data, working_copy: null } });
      history.replaceState(null, "", `/admin/articles/${data.uuid}/${location.search}`);
      return { etag, stored };
    } catch (error) {
      if (error.status >= 400 && error.status < 500) this.creation = null;
      throw error;
    }
  }

  // After a 412: does the server have what this page itself has sent?
  async isOwn(documents) {
    this.theirs = await load(this.uuid);
    const own = documents.find((document) => isSame(document, this.theirs.document));
    return own && { etag: this.theirs.etag, document: own };
  }

  showState(state) {
    clearTimeout(this.stateTimer);
    const former = this.shownState;
    const draw = () => this.set({ shownState: state });
    if (state === "saving") {
      this.stateTimer = setTimeout(draw, 400);
      return;
    }
    if (state === "saved" && this.uuid) {
      if (this.journal) this.savedAt = new Date();
      this.journal?.clear(this.uuid);
    }
    const problems = ["offline", "conflict", "refused"];
    if (problems.includes(state) || (state === "saved" && problems.includes(former))) announce(this.stateWords(state));
    if (state === "saved" && former === "offline") this.schedulePreview(0);
    draw();
    if (state === "refused" && this.saver.problem.status === 422) this.set({ errors: this.saver.problem.errors });
    if (state === "conflict" && former !== "conflict") this.decide();
  }

  stateWords(state) {
    const { problem } = this.saver;
    if (state === "saved") {
      if (!this.savedAt) return "";
      return `Saved ${daysFromToday(this.savedAt) ? formatDay(this.savedAt) : formatTime(this.savedAt)}`;
    }
    if (state === "offline" && !this.journal.keeps) return "Offline: not kept, copy your text";
    if (state === "refused") return `Not saved: ${problem.status === 401 ? "your login has ended" : problem.detail}`;
    return STATES[state][1];
  }

  // Ask which version the article gets; both stay in the history. `base` is what the server has now.
  async decide(theirs = this.theirs, mine = this.document, base = theirs.document) {
    const { username } = session().user;
    const [person, theirTime, myTime] = [theirs.user?.username ?? "Somebody", parseTime(theirs.saved), new Date()];
    const names = Object.fromEntries(Object.values(this.terms).flat().map(({ uuid, name }) => [uuid, name]));
    const question = { mine, theirs: theirs.document, person, theirTime, myName: username, myTime, names };
    const { openConflict } = await import("../editor/conflict.js");
    const { choice, fields } = await openConflict(question);
    if (choice === "later") return false;
    const keep = (name, time, body) => post(`${this.path}revisions/`, { name: `${name}, ${formatTime(time)}`, ...body });
    await this.act("decide", async () => {
      if (choice !== "theirs" && theirs.user) await keep(person, theirTime, {});
      if (choice !== "mine") await keep(username, myTime, toCopy(mine));
      this.take({ ...theirs, document: fields });
      this.saver.start(base, theirs.etag);
      await this.saver.save();
    });
    if (this.problem) toast(this.problem);
    return true;
  }

  // Store the text, and then make it the article with this status. Returns whether that was done.
  async publish(body, words) {
    let isChanged = false;
    const done = await this.act("publish", async () => {
      if (!(await this.saver.save()) || !this.uuid) {
        this.set({ problem: this.uuid ? this.stateWords(this.saver.state) : "There is nothing to publish yet." });
        return false;
      }
      const sent = this.document;
      const query = { fields: "uuid,title,slug,status,published_at,last_updated,category,url,working_copy" };
      try {
        const { data, etag } = await post(`${this.path}working-copy/publish/`, body, { etag: this.saver.etag, query });
        this.article = { ...this.article, ...data };
        this.saver.start(sent, etag);
      } catch (error) {
        isChanged = error.code === "article_changed";
        if (!isChanged) throw error;
        return false;
      }
      this.wrote = false;
      if (words) toast(words);
      return true;
    });
    if (isChanged) {
      // Somebody changed the article itself. With both ETags the next save is based on that version.
      const theirs = await load(this.uuid, { asPublished: true });
      await this.decide({ ...theirs, etag: `${this.saver.etag}, ${theirs.etag}` }, this.document, this.document);
    }
    return done === true;
  }

  async discard() {
    await this.act("discard", async () => {
      await del(`${this.path}working-copy/`, { etag: this.saver.etag });
      this.take(await load(this.uuid));
      toast("The article is as it was published.");
    });
  }

  schedulePreview(wait = Math.max(400, 4 * (this.renderTime ?? 0))) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(), wait);
  }

  async renderPreview() {
    if (this.rendering || this.state !== "ready") return this.schedulePreview();
    const { document: text } = this;
    const start = performance.now();
    this.rendering = true;
    try {
      const rendered = await render(text, this.uuid || null, { signInAgain: false });
      this.set({ rendered: { ...rendered, time: new Date() }, excerpt: rendered.excerpt });
    } catch {
      this.set({ rendered: this.rendered && { ...this.rendered, isOld: true } });
    }
    this.rendering = false;
    this.renderTime = performance.now() - start;
    const category = this.terms.categories.find(({ uuid }) => uuid === text.category)?.name ?? this.article?.category?.name;
    if (this.rendered) show(this.reading.value, { ...text, category, html: this.rendered.html });
    if (text.content !== this.document.content) this.schedulePreview();
  }

  command(name) {
    if (name === "picture") return this.insertPictures();
    const edit = run(name, { text: this.area.text, ...this.area.selection }, this.document.content_type);
    if (edit) this.area.edit(edit);
    this.area.focus();
  }

  async insertPictures(files) {
    const { selection } = this.area;
    const pictures = await choosePictures({ files });
    if (!pictures.length) return this.area.focus();
    const block = pictures.map(({ uuid, alt }) => picture(`media:${uuid}`, alt, this.document.content_type)).join("\n\n");
    this.area.edit(insertBlock({ text: this.area.text, ...selection }, block));
    this.area.focus();
  }

  shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    if (key !== "s" && !(KEYS[key] && this.textBox.value.contains(event.target))) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "s") this.saver.save();
    else this.command(KEYS[key]);
  }

  showText(from, to) {
    this.set({ side: matchMedia("(width >= 68rem)").matches ? this.side : "" });
    this.area.select(from, to);
  }

  lookAgain() {
    if (document.visibilityState === "hidden") {
      this.journal.flush();
      this.saver.save({ signInAgain: false });
    }
  }

  // Store what is not saved, and a draft's working copy as its version of this sitting.
  leave() {
    this.journal.flush();
    this.saver.leave();
    if (this.wrote && this.article.status === "draft" && this.saver.state === "saved") {
      const options = { etag: this.saver.etag, keepalive: true, signInAgain: false };
      post(`${this.path}working-copy/publish/`, { status: "draft" }, options).catch(() => {});
    }
  }

  // Save before a link of this page is followed.
  async follow(event) {
    const { href } = event.currentTarget;
    if (!this.saver.isDirty || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await Promise.race([this.saver.save(), new Promise((resolve) => setTimeout(resolve, 3000))]);
    location.href = href;
  }

  toggle(side) {
    this.set({ side: this.side === side ? "" : side });
  }

  renderPage() {
    return html`<div class="editor" data-side=${this.side || "none"}>
      ${this.renderBar()}
      <main class="editor-panes">
        <h1 class="sr-only">${this.heading}</h1>
        <section class="pane writing-pane" aria-label="Writing">${this.renderWriting()}</section>
        <section class="pane reading-pane" aria-label="Preview" ?hidden=${this.side === "details"}>${this.renderReading()}</section>
        <section class="pane details-pane" aria-label="Details" ?hidden=${this.side !== "details"}>${this.renderDetails()}</section>
      </main></div>`;
  }

  renderBar() {
    const { article, side } = this;
    const status = article?.status ?? "draft";
    const pressed = (name) => ({ kind: "bare wide-only", pressed: side === name, onClick: () => this.toggle(name) });
    const more = () => [
      { label: "Details", icon: "panel-right", action: () => this.set({ side: "details" }) },
      { label: "History", icon: "history", href: `/admin/articles/${this.uuid}/history/` },
      { label: this.plainWords, icon: "type", action: () => this.switchPlain() },
    ];
    return html`<header class="editor-bar">
      <a class="button bare icon-only" href="/admin/articles/" aria-label="Back to the articles" @click=${this.follow}>${icon("arrow-left")}</a>
      ${badge({ status, published_at: article?.published_at, working_copy: article?.working_copy })}
      ${this.renderState()}
      ${button({ text: "Preview", icon: "columns-2", ...pressed("preview") })}
      ${this.uuid ? html`<a class="button bare wide-only" href="/admin/articles/${this.uuid}/history/" @click=${this.follow}>${icon("history")}
        <span>History</span></a>` : nothing}
      ${button({ text: "Details", icon: "panel-right", ...pressed("details") })}
      <span class="phone-only">${button({ icon: "ellipsis", label: "More", kind: "bare", popup: "menu",
        onClick: ({ currentTarget }) => openActions(currentTarget, this, more()) })}</span>
      <span class="split">${button({ text: ACTIONS[status].name, kind: "main", popup: "dialog",
        onClick: ({ currentTarget }) => openPublish(currentTarget, this) })}
        ${button({ icon: "chevron-down", label: "More actions", kind: "main wide-only", popup: "menu",
          onClick: ({ currentTarget }) => openActions(currentTarget, this) })}</span>
      <div class="phone-only phone-tabs">${segments({ label: "Show", name: "pane", value: side === "preview" ? "preview" : "",
        items: [{ value: "", label: "Write" }, { value: "preview", label: "Preview" }], onChange: (value) => this.set({ side: value }) })}</div>
    </header>`;
  }

  renderState() {
    const words = this.stateWords(this.shownState);
    if (!words) return html`<span class="save-state"></span>`;
    const inner = html`${icon(STATES[this.shownState][0])}<span>${words}</span>`;
    return this.shownState === "conflict"
      ? html`<button type="button" class="save-state" @click=${() => this.decide()}>${inner}</button>`
      : html`<span class="save-state">${inner}</span>`;
  }

  renderWriting() {
    const line = (name, label, next) => html`<textarea id=${name} class="line-${name}" rows="1" dir="auto" aria-label=${label}
      placeholder=${label} .value=${this.document[name]} @keydown=${(event) => event.key === "Enter" && !event.isComposing && next(event)}
      @input=${({ target }) => this.change({ [name]: target.value.replace(/\s*\n\s*/g, " ") })}></textarea>`;
    const go = (focus) => (event) => (event.preventDefault(), focus());
    return html`<div class="tool-row">${toolbar(this.document.content_type, (name) => this.command(name))}</div>
      <div class="writing"><div class="sheet">
        ${this.kept ? this.renderKept() : nothing}
        ${line("title", "Title", go(() => this.querySelector("#subtitle").focus()))}
        ${line("subtitle", "Subtitle", go(() => this.area.focus()))}
        <div class="text" ${ref(this.textBox)}></div></div></div>
      <div class="status-line">${this.rendered ? html`<span>${count(this.rendered.word_count, "word")}</span>
        <span>${this.rendered.reading_minutes} min to read</span>` : nothing}
        <span class="end"><button type="button" @click=${() => this.switchPlain()}>${this.plainWords}</button>
        <button type="button" @click=${() => this.showShortcuts()}>Shortcuts</button></span></div>`;
  }

  get plainWords() {
    return this.area?.isPlain ? "Coloured text field" : "Plain text field";
  }

  switchPlain() {
    this.area.isPlain = !this.area.isPlain;
    this.requestUpdate();
  }

  showShortcuts() {
    openDialog({ title: "Shortcuts", content: (close) => html`<dl class="facts">${SHORTCUTS.map(([keys, words]) => html`
      <dt><kbd>${keys}</kbd></dt><dd>${words}</dd>`)}</dl>
      <div class="dialog-buttons">${button({ text: "Close", onClick: () => close() })}</div>` });
  }

  // A text that was not saved, because the browser or the machine stopped.
  renderKept() {
    const { document, etag, time } = this.kept;
    const end = () => {
      discard(this.kept);
      this.set({ kept: null });
    };
    const use = async () => {
      // The article was saved elsewhere since then.
      if (this.uuid && etag !== this.saver.etag) return (await this.decide(await load(this.uuid), document)) && end();
      this.change(document);
      this.area.text = showBreaks(this.document.content);
      end();
    };
    return notice({
      icon: "history",
      title: "This browser has kept a text that was not saved.",
      text: `From ${formatDayAndTime(new Date(time))}`,
      action: html`${button({ text: "Discard it", kind: "bare", onClick: end })}${button({ text: "Use it", onClick: use })}`,
    });
  }

  renderReading() {
    const { rendered } = this;
    const words = rendered?.isOld ? "Not refreshed: the blog does not answer" : `Rendered by this server, ${formatTime(rendered?.time ?? new Date())}`;
    return html`<div class="tool-row"><p>As readers will see it</p>
      ${this.uuid ? html`<a href="/admin/articles/${this.uuid}/preview/" target="_blank" @click=${() => this.saver.save()}>Open in a tab</a>` : nothing}</div>
      <div class="reading" tabindex="0"><div class="sheet" ${ref(this.reading)}></div></div>
      <div class="status-line"><span>${rendered ? words : ""}</span></div>`;
  }

  renderDetails() {
    return html`<div class="tool-row"><h2>Details</h2>
      ${button({ icon: "x", label: "Close the details", kind: "bare", onClick: () => this.set({ side: "" }) })}</div>
      <div class="details">${this.renderProblem()}${details(this)}</div>`;
  }
}

definePage(Editor);
