// The editor of an article.

import { createRef, html, nothing, ref } from "../vendor/lit.js";
import { ApiError, del, post, put } from "../api.js";
import { announce, badge, button, facts, icon, notice, openDialog, segments, toast } from "../components.js";
import { count, daysFromToday, formatDay, formatDayAndTime, formatTime, parseTime } from "../format.js";
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
  saved: ["check", ""],
  unsaved: ["pen-line", "Not saved yet"],
  saving: ["refresh-cw", "Saving…"],
  offline: ["cloud-off", "Offline: kept in this browser"],
  conflict: ["triangle-alert", "Conflict: choose a version"],
  refused: ["triangle-alert", "Not saved"],
};
const TROUBLES = Object.keys(STATES).slice(3);
const KEYS = { b: "bold", i: "italic", k: "link" };
const SHORTCUTS = { S: "Save", B: "Bold", I: "Italic", K: "Link", P: "Go to…" };
const isWide = () => matchMedia("(width >= 68rem)").matches;

class Editor extends Page {
  static place = "articles";
  static bare = true;
  uuid = location.pathname.split("/")[3].replace(/^new$/, "");
  article = null;
  document = EMPTY;
  side = isWide() ? "preview" : "";
  look = "search";
  excerpt = "";
  shownState = "saved";
  textBox = createRef();
  reading = createRef();
  saver = new Saver({
    read: () => this.document,
    send: (document, options) => (this.uuid ? this.send(document, options) : this.create(document, options)),
    isOwn: (documents) => this.isOwn(documents),
    changed: (state) => this.showState(state),
  });

  get heading() { return this.document.title || "New article"; }
  get path() { return `blog/articles/${this.uuid}/`; }
  get plainWords() { return this.area?.isPlain ? "Coloured text field" : "Plain text field"; }

  async load() {
    const article = this.uuid ? load(this.uuid) : { document: EMPTY };
    const [terms, loaded] = await Promise.all([loadTerms(), article]);
    this.terms = terms;
    this.take(loaded);
  }

  // Show this document; `etag` is the state of the article that the server has.
  take({ article = null, document, etag = null, saved }, stored = document) {
    Object.assign(this, { article, document, savedAt: saved });
    if (this.area) this.area.text = showBreaks(document.content);
    this.saver.start(stored, etag);
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
    const isKept = () => !this.saver.isDirty || this.journal.keeps;
    addEventListener("beforeunload", (event) => isKept() || event.preventDefault());
    document.addEventListener("visibilitychange", () => this.changeVisibility());
    document.addEventListener("keydown", (event) => this.press(event), { capture: true });
    if (!this.uuid) this.querySelector("#title").focus();
    this.requestUpdate();
  }

  change(fields) {
    const document = { ...this.document, ...fields };
    if (JSON.stringify(document) === JSON.stringify(this.document)) return;
    this.set({ document, errors: {} });
    this.journal.write(this.uuid || "new", document, this.saver.etag);
    this.saver.edited();
    this.schedulePreview();
  }

  async send(document, options) {
    const { data, etag } = await put(`${this.path}working-copy/`, toCopy(document), options);
    Object.assign(this, { article: { ...this.article, working_copy: data }, savedAt: new Date() });
    this.hasWritten = true;
    return { etag };
  }

  // The first save makes the draft; a retry repeats the same request.
  async create(document, options) {
    this.creation ??= { stored: document, once: crypto.getRandomValues(new Uint32Array(4)).join("-") };
    const { stored, once } = this.creation;
    try {
      const more = { ...options, etag: null, once };
      const { data, etag } = await post("blog/articles/", toArticle(stored), more);
      this.journal.clear("new");
      Object.assign(this, { uuid: data.uuid, article: data, savedAt: new Date() });
      history.replaceState(null, "", `/admin/articles/${data.uuid}/`);
      return { etag, stored };
    } catch (error) {
      // A refusal for the login or the rate says nothing of an earlier request whose answer was lost.
      const isRefused = error.status >= 400 && error.status < 500 && ![401, 429].includes(error.status);
      if (isRefused) this.creation = null;
      throw error;
    }
  }

  // After a 412: return which of these documents the server has, with its ETag, or nothing.
  async isOwn(documents) {
    this.theirs = await load(this.uuid);
    const document = documents.find((sent) => isSame(sent, this.theirs.document));
    return document && { etag: this.theirs.etag, document };
  }

  showState(state) {
    clearTimeout(this.stateTimer);
    if (state === "saving") {
      this.stateTimer = setTimeout(() => this.set({ shownState: state }), 400);
      return;
    }
    if (state === "saved") this.journal?.clear(this.uuid || "new");
    if (TROUBLES.includes(state)) {
      // The document can be one that was never typed here: a merged one.
      this.journal.write(this.uuid || "new", this.document, this.saver.etag);
      this.journal.flush();
    }
    const former = this.lastState;
    this.set({ shownState: state, lastState: state });
    const isOver = state === "saved" && TROUBLES.includes(former);
    if (isOver || (TROUBLES.includes(state) && state !== former)) announce(this.stateWords);
    if (state === "saved" && former === "offline") this.schedulePreview(0);
    if (state === "refused") this.set({ errors: this.saver.problem.errors });
    if (state === "conflict" && former !== "conflict") this.decide();
  }

  get stateWords() {
    const { shownState: state, savedAt } = this;
    if (state === "saved" && !savedAt) return "";
    const format = daysFromToday(savedAt ?? new Date()) ? formatDay : formatTime;
    if (state === "saved") return innerWidth < 400 ? "Saved" : `Saved ${format(savedAt)}`;
    if (state === "offline" && !this.journal.keeps) return "Offline: not kept, copy your text";
    if (state !== "refused") return STATES[state][1];
    const { status, detail, errors } = this.saver.problem;
    const reason = Object.values(errors).flat().join(" ") || detail;
    return `Not saved: ${status === 401 ? "your login has ended" : reason}`;
  }

  // Ask which version the article gets; both stay in the history. `stored` is the document of the server.
  async decide(theirs = this.theirs, given = null, stored = theirs.document) {
    const { openConflict } = await import("../editor/conflict.js");
    const mine = given ?? this.document;
    const { username: myName } = session().user;
    const person = theirs.user?.username ?? "Somebody";
    const [theirTime, myTime] = [parseTime(theirs.saved), new Date()];
    const names = Object.fromEntries(Object.values(this.terms).flat().map(({ uuid, name }) => [uuid, name]));
    const question = { mine, theirs: theirs.document, person, theirTime, myName, myTime, names };
    const { choice, fields } = await openConflict(question);
    if (choice === "later") return false;
    const keep = (name, time, body) =>
      post(`${this.path}revisions/`, { name: `${name}, ${formatTime(time)}`, ...body });
    await this.act("decide", async () => {
      if (choice !== "theirs" && theirs.user) await keep(person, theirTime, {});
      if (choice !== "mine") await keep(myName, myTime, toCopy(mine));
      this.take({ ...theirs, document: fields }, stored);
      await this.saver.save();
    });
    if (this.problem) toast(this.problem);
    await this.updateComplete;
    this.area.focus();
    return true;
  }

  // Save the text, and publish it with this request body. Return whether that was done.
  async publish(body, words) {
    let failure;
    const isDone = await this.act("publish", async () => {
      const isSaved = (await this.saver.save()) && this.uuid;
      if (!isSaved) throw new ApiError(409, { detail: this.stateWords || "There is no text yet." });
      const sent = this.document;
      const query = { fields: "uuid,title,slug,status,published_at,last_updated,category,url,working_copy" };
      const options = { etag: this.saver.etag, query };
      const request = post(`${this.path}working-copy/publish/`, body, options);
      const answer = await request.catch((error) => Promise.reject((failure = error)));
      this.article = { ...this.article, ...answer.data };
      this.savedAt = new Date();
      this.saver.start(sent, answer.etag);
      this.hasWritten = false;
      if (words) toast(words);
      return true;
    });
    if (failure?.code === "article_changed") {
      // Somebody changed the article itself. With both ETags, the next save is based on the new version. With
      // EMPTY as the stored document, the save is sent in any case.
      const theirs = await load(this.uuid, { asPublished: true });
      theirs.etag = `${this.saver.etag}, ${theirs.etag}`;
      await this.decide(theirs, null, EMPTY);
    }
    return isDone;
  }

  async discard() {
    await this.act("discard", async () => {
      await this.saver.save();
      await del(`${this.path}working-copy/`, { etag: this.saver.etag });
      this.take(await load(this.uuid));
      toast("The edits are discarded.");
    });
    if (this.problem) toast(this.problem);
  }

  schedulePreview(wait = Math.max(400, 4 * (this.renderTime ?? 0))) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(), wait);
  }

  async renderPreview() {
    if (this.isRendering || !this.area) return this.schedulePreview();
    const { document: text } = this;
    const start = performance.now();
    this.isRendering = true;
    try {
      const rendered = await render(text, this.uuid || null, { signInAgain: false });
      const previewState = `Rendered by this server, ${formatTime(new Date())}`;
      this.set({ rendered, excerpt: rendered.excerpt, previewState });
      const uuid = text.category ?? this.article?.category.uuid;
      const category = this.terms.categories.find((term) => term.uuid === uuid)?.name;
      show(this.reading.value, { ...text, category, html: rendered.html });
    } catch (error) {
      this.set({ previewState: `Not refreshed: ${error.detail ?? error}` });
    }
    this.isRendering = false;
    this.renderTime = performance.now() - start;
  }

  command(name) {
    if (name === "picture") return this.insertPictures();
    this.area.edit(run(name, { text: this.area.text, ...this.area.selection }));
    this.area.focus();
  }

  async insertPictures(files) {
    const { selection } = this.area;
    const { content_type: format } = this.document;
    const pictures = await choosePictures({ files });
    const block = pictures.map((chosen) => picture(chosen, format)).join("\n\n");
    if (block) this.area.edit(insertBlock({ text: this.area.text, ...selection }, block));
    this.area.focus();
  }

  press(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    const isFormat = KEYS[key] && this.textBox.value.contains(event.target);
    if (key !== "s" && !(isFormat && this.document.content_type === "markdown")) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "s") this.saver.save();
    else this.command(KEYS[key]);
  }

  async showText(from, to) {
    if (!isWide()) this.set({ side: "" });
    await this.updateComplete;
    this.area.select(from, to);
  }

  // Save when the page becomes hidden; when it is visible again, load what was saved elsewhere.
  async changeVisibility() {
    if (document.visibilityState === "hidden") {
      this.journal.flush();
      this.saver.save({ signInAgain: false });
    } else if (this.uuid && this.saver.state === "saved" && !this.busy) {
      const loaded = await load(this.uuid).catch(() => null);
      const isNew = loaded && loaded.etag !== this.saver.etag;
      if (isNew && !this.saver.isDirty && !this.saver.isBusy) this.take(loaded);
    }
  }

  // Save what is not saved yet, and store the working copy of a draft as one version.
  leave() {
    this.journal.flush();
    this.saver.leave();
    if (!this.hasWritten || this.article.status !== "draft" || this.saver.state !== "saved") return;
    const options = { etag: this.saver.etag, keepalive: true, signInAgain: false };
    post(`${this.path}working-copy/publish/`, { status: "draft" }, options).catch(() => {});
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
    const { article, side, uuid } = this;
    const status = article?.status ?? "draft";
    const historyPath = `/admin/articles/${uuid}/history/`;
    const toggle = (name, text, icon) => button({ text, icon, kind: "bare wide-only", pressed: side === name,
      onClick: () => this.set({ side: side === name ? "" : name }) });
    const more = [
      { label: "Details", icon: "panel-right", action: () => this.set({ side: "details" }) },
      uuid && { label: "History", icon: "history", href: historyPath },
      { label: this.plainWords, icon: "type", action: () => this.switchPlain() },
    ];
    const opens = (open, ...others) => ({ currentTarget }) => open(currentTarget, this, ...others);
    const panes = [{ value: "", label: "Write" }, { value: "preview", label: "Preview" }];
    return html`<header class="editor-bar">
      <a class="button bare icon-only" href="/admin/articles/" aria-label="Back to the articles"
        >${icon("arrow-left")}</a>
      ${badge({ ...article, status })} ${this.renderState()} ${toggle("preview", "Preview", "columns-2")}
      ${uuid ? html`<a class="button bare wide-only" href=${historyPath}
        >${icon("history")}<span>History</span></a>` : nothing}
      ${toggle("details", "Details", "panel-right")}
      <span class="phone-only">${button({ icon: "ellipsis", label: "More", kind: "bare", popup: "menu",
        onClick: opens(openActions, more) })}</span>
      <span class="split">
        ${button({ text: ACTIONS[status].name, kind: "main", popup: "dialog", onClick: opens(openPublish) })}
        ${button({ icon: "chevron-down", label: "More actions", kind: "main wide-only", popup: "menu",
          onClick: opens(openActions) })}</span>
      <div class="phone-only phone-tabs">${segments({ label: "Show", name: "pane", items: panes,
        value: side === "preview" ? side : "", onChange: (value) => this.set({ side: value }) })}</div>
    </header>`;
  }

  renderState() {
    const words = this.stateWords;
    const inner = words ? html`${icon(STATES[this.shownState][0])}<span>${words}</span>` : nothing;
    return this.shownState === "conflict"
      ? html`<button type="button" class="save-state" @click=${() => this.decide()}>${inner}</button>`
      : html`<span class="save-state">${inner}</span>`;
  }

  renderWriting() {
    const { rendered } = this;
    const line = (name, label, next) => html`<textarea id=${name} class="line-${name}" rows="1" dir="auto"
      aria-label=${label} placeholder=${label} .value=${this.document[name]}
      @keydown=${(event) => event.key === "Enter" && !event.isComposing && (event.preventDefault(), next())}
      @input=${({ target }) => this.change({ [name]: target.value.replace(/\s*\n\s*/g, " ") })}></textarea>`;
    const command = (name) => this.command(name);
    return html`<div class="tool-row">${toolbar(this.document.content_type, command)}</div>
      <div class="writing"><div class="sheet">${this.kept ? this.renderKept() : nothing}
        ${line("title", "Title", () => this.querySelector("#subtitle").focus())}
        ${line("subtitle", "Subtitle", () => this.area.focus())}
        <div class="text" ${ref(this.textBox)}></div></div></div>
      <div class="status-line">${rendered ? html`<span>${count(rendered.word_count, "word")}</span>
        <span>${rendered.reading_minutes} min to read</span>` : nothing}
        <span class="end"><button type="button" @click=${() => this.switchPlain()}>${this.plainWords}</button>
        <button type="button" @click=${() => this.showShortcuts()}>Shortcuts</button></span></div>`;
  }

  switchPlain() {
    this.set({ plain: (this.area.isPlain = !this.area.isPlain) });
  }

  showShortcuts() {
    const rows = Object.entries(SHORTCUTS).map(([key, words]) => [html`<kbd>Ctrl ${key}</kbd>`, words]);
    openDialog({ title: "Shortcuts", content: () => facts(rows) });
  }

  // A text that was not saved because the browser or the computer stopped.
  renderKept() {
    const { document, etag, time } = this.kept;
    const end = () => (discard(this.kept), this.set({ kept: null }));
    const use = async () => {
      // What was typed meanwhile is not lost: it is saved first, and then the question has both texts.
      if (!(await this.saver.save())) return;
      // The article was saved elsewhere since then.
      if (this.uuid && etag !== this.saver.etag) {
        if (!(await this.decide(await load(this.uuid), document))) return;
      } else {
        this.change(document);
        this.area.text = showBreaks(document.content);
      }
      end();
    };
    return notice({
      icon: "history",
      title: "This browser has kept a text that was not saved.",
      text: `From ${formatDayAndTime(new Date(time))}`,
      action: html`${button({ text: "Discard it", kind: "bare", onClick: end })}
        ${button({ text: "Use it", onClick: use })}`,
    });
  }

  renderReading() {
    const address = `/admin/articles/${this.uuid}/preview/`;
    return html`<div class="tool-row"><p>As readers will see it</p>${this.uuid
        ? html`<a href=${address} target="_blank" @click=${() => this.saver.save()}>Open in a tab</a>`
        : nothing}</div>
      <div class="reading" tabindex="0"><div class="sheet" ${ref(this.reading)}></div></div>
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
