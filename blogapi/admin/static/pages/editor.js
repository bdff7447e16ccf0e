/** The editor of an article: the field for the text, the preview and the details. */

import { html, nothing, render } from "../vendor/lit.js";
import { MAIN_ACTIONS, mayRun } from "../actions.js";
import { badge, button, icon, iconButton, problem, segments } from "../components.js";
import { copyButton, menuButton, openMenu, toast } from "../dialogs.js";
import { addressOf, PLACE, renderText } from "../editor/article.js";
import { ArticlePage } from "../editor/article-page.js";
import { takePaste } from "../editor/clipboard.js";
import { details, loadAbove } from "../editor/details.js";
import { keepBreaks, showBreaks } from "../editor/edits.js";
import { takeDrops } from "../editor/drops.js";
import { Find } from "../editor/find.js";
import { PreviewFollower } from "../editor/following.js";
import { followTyping, pickLink } from "../editor/link-picker.js";
import { insertBlock, picture, run } from "../editor/markdown.js";
import { choosePictures } from "../editor/pictures.js";
import { show } from "../editor/preview.js";
import { renderOthers, startPresence } from "../editor/presence.js";
import { menuItems, openPublish } from "../editor/publish.js";
import { saveState } from "../editor/save-state.js";
import { SiteFrame } from "../editor/site-frame.js";
import { loadTranslations } from "../editor/translations.js";
import { findCommand, startToolbar } from "../editor/toolbar.js";
import { WritingArea } from "../editor/writing-area.js";
import { count, formatDayAndTime, formatTime } from "../format.js";
import { oneLine } from "../forms.js";
import { content, definePage, session } from "../shell.js";
import { openOnItsWay } from "../webhooks/following.js";
import { letterOf } from "../shortcuts.js";

const [editor] = content;
const find = (selector) => editor.querySelector(selector);
// The fields above the text.
const lines = [...editor.querySelectorAll(".line")];
// "today, 14:32", for the middle of a sentence.
const dayInSentence = (time) => formatDayAndTime(time).replace(/^(?:To|Yester)day/, (name) => name.toLowerCase());
const isWide = () => matchMedia("(width >= 68rem)").matches;

class Editor extends ArticlePage {
  /** @type {any} */
  area = null;
  /** @type {any} */
  finder = null;
  side = isWide() ? "preview" : "";
  previewState = "";
  /** @type {PreviewFollower | null} */
  follower = null;
  /** @type {any[]} the translations of the article, without itself */
  translations = [];
  /** The title of the page above a page. */
  above = "";
  isTranslating = false;
  // The other users who have the article open.
  /** @type {{username: string}[]} */
  others = [];
  /**
   * Null if the site has no page for previews.
   * @type {SiteFrame | null}
   */
  siteFrame = null;

  get heading() {
    return this.edits.title || super.heading;
  }

  updated() {
    super.updated();
    if (this.state !== "ready" || this.area) return;
    this.area = new WritingArea(find(".text"), {
      text: showBreaks(this.edits.content),
      markdown: this.edits.content_type === "markdown",
      changed: (text) => this.writeText(text),
      receive: (files) => this.insertPictures(files),
      paste: (data) => takePaste(this, data),
    });
    this.finder = new Find(find(".find-row"), find(".writing-pane .tool-row"), this.area);
    const getField = () => this.area.field;
    this.follower = new PreviewFollower({ writing: find(".writing"), reading: find(".reading"), getField });
    takeDrops(this, editor);
    startToolbar(this.edits.content_type, (name) => this.command(name));
    document.addEventListener("keydown", (event) => this.press(event), { capture: true });
    const text = { focus: () => this.area.field.focus() };
    for (const [n, line] of lines.entries()) this.followLine(line, lines[n + 1] ?? text);
    const listen = (selector, click) => find(selector).addEventListener("click", click);
    listen(".plain", () => this.plain.action());
    listen(".in-a-tab", () => this.saver.save());
    listen(".hide-rest", () => this.setAlone(true));
    listen(".show-rest", () => this.setAlone(false));
    listen(".close", () => this.closeDetails());
    listen(".discard", () => this.dropKept());
    listen(".use", () => this.useKept());
    listen(".restore", () => this.restore());
    listen(".as-new", () => this.saveAsNew(this.edits));
    const frame = find(".site-frame");
    if (frame) {
      this.siteFrame = new SiteFrame(frame, frame.dataset.origin, () => this.requestUpdate());
      listen(".in-design", () => this.toggleDesign(this.siteFrame));
    }
    if (!this.article) find("#title").focus();
    this.shown();
    loadTranslations(this).catch(() => {});
    loadAbove(this).catch(() => {});
    this.begin();
    startPresence(this);
  }

  writeText(text) {
    const former = showBreaks(this.edits.content);
    this.change({ content: keepBreaks(this.edits.content, text) });
    this.finder?.changed();
    if (this.edits.content_type === "markdown") followTyping(this, former, text);
  }

  // Take the text of the title or another line; Enter moves the focus to `next`.
  followLine(line, next) {
    const write = (text) => this.change({ [line.name]: text });
    const { onInput, onkeydown } = oneLine(write, () => next.focus());
    line.addEventListener("input", () => onInput(line.value));
    line.addEventListener("keydown", onkeydown);
  }

  shown(place = null) {
    this.area?.setText(showBreaks(this.edits.content), place);
    this.schedulePreview(0);
  }

  change(fields) {
    super.change(fields);
    this.schedulePreview();
  }

  // The address is the one that the article gets if it is published at this time; null: now.
  schedulePreview(wait = 400, time = null) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(time), wait);
  }

  async renderPreview(time) {
    const { edits, article, terms, previewTimer } = this;
    try {
      const rendered = await renderText(edits, this.uuid, time, { signInAgain: false });
      if (edits !== this.edits || previewTimer !== this.previewTimer) return;
      const uuid = edits.category ?? article?.category?.uuid;
      const category = terms.categories.find((term) => term.uuid === uuid)?.name;
      const sheet = find(".reading .sheet");
      show(sheet, { ...edits, category, text: rendered.html });
      this.follower?.shown(sheet.shadowRoot, showBreaks(edits.content));
      this.set({ rendered, previewState: `Rendered by this server, ${formatTime(new Date())}` });
    } catch (error) {
      this.set({ previewState: `Not refreshed: ${/** @type {Error} */ (error).message}` });
    }
  }

  // The site's page shows the text that is saved.
  async toggleDesign(frame) {
    if (frame.isShown) frame.hide();
    else {
      const show = () => this.store().then(() => frame.show(this.uuid, this.saver.etag));
      await show().catch((error) => (frame.hide(), toast(error.message)));
    }
    this.requestUpdate();
  }

  showState(state) {
    super.showState(state);
    if (state === "saved") this.siteFrame?.saved(this.saver.etag);
  }

  // Make the change that command({text, from, to}) returns.
  edit(command) {
    this.area.field.edit(command({ text: this.area.field.getText(), ...this.area.field.getSelection() }));
    this.area.field.focus();
  }

  command(name) {
    if (name === "picture") this.insertPictures();
    else if (name === "link") pickLink(this);
    else this.edit((input) => run(name, input));
  }

  async insertPictures(files) {
    const { content_type: format } = this.edits;
    const { field } = this.area;
    const { from, to } = field.getSelection();
    const pictures = await choosePictures({ files });
    const block = pictures.map((chosen) => picture(chosen, format)).join("\n\n");
    if (!block) return;
    // When the focus comes back from the dialog, the browser can move the selection.
    field.select(from, to);
    this.edit((input) => insertBlock(input, block));
  }

  press(event) {
    const letter = letterOf(event);
    const isAlone = editor.hasAttribute("data-alone") && !event.defaultPrevented;
    if (event.key === "Escape" && isAlone && event.target.closest(".text, .line") && !event.target.closest(".block")) {
      return this.setAlone(false);
    }
    if (this.pressFind(event, letter)) return event.preventDefault();
    const isInText =
      this.edits.content_type === "markdown" &&
      this.area.parent.contains(event.target) &&
      !event.target.closest(".block");
    const name = isInText && findCommand(letter);
    if (!name && letter !== "S") return;
    event.preventDefault();
    event.stopPropagation();
    if (name) this.command(name);
    else this.saver.save();
  }

  // Ctrl F, Ctrl H and F3; the plain text area leaves them to the browser.
  pressFind(event, letter) {
    const isStep = event.key === "F3" && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!this.finder.search || event.target.closest("dialog") || !(isStep || /^[FH]$/.test(letter))) return false;
    if (isStep) this.finder.go(event.shiftKey ? "previous" : "next");
    else this.openFind(letter === "H");
    return true;
  }

  async openFind(isReplacing) {
    if (!isWide()) this.set({ side: "" });
    await this.updateComplete;
    this.finder.open(isReplacing);
  }

  async showText(from, to) {
    if (!isWide()) this.set({ side: "" });
    await this.updateComplete;
    this.area.field.select(from, to);
    this.area.field.focus();
  }

  // Show the text alone, with the save state; Escape shows everything again.
  setAlone(isAlone) {
    editor.toggleAttribute("data-alone", isAlone);
    if (isAlone) this.formerSide = this.side;
    this.set({ side: isAlone ? "" : this.formerSide });
    this.area.field.focus();
  }

  // The details are far from their button in the order of Tab.
  async openDetails() {
    this.set({ side: "details" });
    await this.updateComplete;
    find(".details-pane .close").focus();
  }

  /** Show the details with the field for a new translation. */
  async startTranslation() {
    this.set({ isTranslating: true });
    await this.openDetails();
    find("#add-translation").click();
  }

  showTranslations() {
    return loadTranslations(this);
  }

  async closeDetails() {
    this.set({ side: "" });
    await this.updateComplete;
    // On a phone, the focus in the text opens the keyboard.
    (isWide() ? this.area.field : find("main")).focus();
  }

  // The switch between the plain text area and CodeMirror.
  get plain() {
    const { area } = this;
    const action = async () => {
      await area.choosePlain(!area.isPlain);
      this.finder.draw();
      this.requestUpdate();
    };
    return { label: area?.isPlain ? "Coloured text field" : "Plain text field", icon: "type", action };
  }

  // Show the state in the elements that the document already has.
  fill() {
    const { article, edits, offered, rendered, saver } = this;
    const set = (selector, values) => Object.assign(find(selector), values);
    editor.dataset.side = this.side || "none";
    set("main", { inert: this.busy === "decide" });
    set("h1", { textContent: this.heading });
    for (const line of lines) line.value = edits[line.name];
    // Browsers choose the dictionary for spelling by the language.
    const lang = edits.language || session().site.language;
    for (const selector of [".writing .sheet", ".reading .sheet"]) set(selector, { lang });
    render(badge({ ...article, status: article?.status ?? "draft" }), find(".phone-status"));
    set(".kept", { hidden: !offered });
    set(".kept-time", { textContent: offered ? dayInSentence(new Date(offered.time)) : "" });
    const reasons = article?.working_copy?.not_live?.join(" ");
    set(".not-live", { hidden: !reasons });
    set(".not-live .reasons", { textContent: reasons ?? "" });
    const loss = saver.problem?.loss;
    set(".gone", { hidden: !loss });
    if (loss) set(".gone p", { textContent: loss.sentence });
    set(".as-new", { hidden: loss?.isReader });
    set(".restore", { hidden: saver.problem?.code !== "deleted", disabled: this.busy === "restore" });
    set(".word-count", { textContent: rendered ? count(rendered.word_count, "word") : "" });
    set(".minutes", { textContent: rendered?.word_count ? `${rendered.reading_minutes} min to read` : "" });
    set(".plain", { textContent: this.plain.label });
    const { siteFrame: frame } = this;
    const ownPage = addressOf(this.uuid, "preview/");
    set(".in-a-tab", { href: (frame?.isShown && frame.url) || ownPage, hidden: !article });
    set(".preview-state", { textContent: frame?.isShown ? "Shows what is saved" : this.previewState });
    if (!frame) return;
    set(".in-design", { ariaPressed: String(frame.isShown) });
    set(".reading", { hidden: frame.isShown });
    set(".site-frame", { hidden: !frame.isShown });
    set(".site-frame .notice", { hidden: !frame.reason });
    set(".site-frame .reason", { textContent: frame.reason });
  }

  renderPage() {
    this.fill();
    render(copyButton(this.edits.content, { label: "Copy my text", kind: "bare" }), find(".gone .copy"));
    render(this.renderBar(), find(".editor-bar"));
    render([problem(this.problem), details(this)], find(".details"));
    return editor;
  }

  renderToggle(name, text, icon) {
    const isShown = this.side === name;
    const toggle = () =>
      name === "details" && !isShown ? this.openDetails() : this.set({ side: isShown ? "" : name });
    return button(text, toggle, { icon, kind: "bare wide-only", pressed: isShown });
  }

  renderBar() {
    const { article, side } = this;
    const status = article?.status ?? "draft";
    const history = article && { icon: "history", href: addressOf(this.uuid, "history/") };
    const showDetails = { label: "Details", icon: "panel-right", action: () => this.openDetails() };
    const isPublic = status === "published";
    const onItsWay = ({ currentTarget }) => openOnItsWay(currentTarget, article);
    const phoneButton = () => find(".editor-bar .phone-only button");
    const onPhone = {
      label: "On its way to readers",
      icon: "send",
      action: () => openOnItsWay(phoneButton(), article),
    };
    const findText = { label: "Find", icon: "search", action: () => this.openFind(false) };
    const alone = { label: "The text alone", icon: "maximize-2", action: () => this.setAlone(true) };
    const own = [
      this.finder?.search && findText,
      alone,
      showDetails,
      history && { label: "History", ...history },
      isPublic && onPhone,
      this.plain,
    ];
    const menu = () => [...own, ...menuItems(this)];
    const publish = ({ currentTarget }) => openPublish(currentTarget, this);
    const openMore = ({ currentTarget }) => openMenu(currentTarget, menuItems(this), "More actions");
    const isOffered = mayRun(MAIN_ACTIONS[status], { status });
    const main = button(MAIN_ACTIONS[status].name, publish, { kind: "main", popup: "dialog" });
    const more = { kind: `${isOffered ? "main" : "bare"} wide-only`, popup: "menu" };
    const moreButton = iconButton("chevron-down", "More actions", openMore, more);
    const note = html`<span class="soft small wide-only">An editor publishes it</span>${moreButton}`;
    const onChange = (pane) => this.set({ side: pane });
    const panes = { label: "Show", name: "pane", items: { Write: "", Preview: "preview" }, value: side, onChange };
    return html`<a class="button bare icon-only" href="/admin/${PLACE}/" aria-label="Back to the ${PLACE}"
        >${icon("arrow-left")}</a>
      ${isPublic ? statusButton(badge(article), onItsWay) : badge({ ...article, status })}
      ${saveState(this)} ${renderOthers(this.others)}
      ${this.renderToggle("preview", "Preview", "columns-2")}
      ${history ? button("History", null, { kind: "bare wide-only", ...history }) : nothing}
      ${this.renderToggle("details", "Details", "panel-right")}
      <span class="phone-only">${menuButton("More", menu)}</span>
      ${isOffered ? html`<span class="split">${main} ${moreButton}</span>` : note}
      <div class="phone-only phone-tabs">${segments(panes)}</div>`;
  }
}

const statusButton = (words, onClick) => html`<button type="button" class="button bare status-button"
  aria-haspopup="dialog" @click=${onClick}>${words}${icon("chevron-down")}</button>`;

definePage(Editor);
