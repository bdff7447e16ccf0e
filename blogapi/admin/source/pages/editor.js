/** The editor of an article: the field for the text, the preview and the details. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { MAIN_ACTIONS, mayRunAction } from "../actions.js";
import { badge, button, icon, iconButton, onButton, problemAlert, segmentControl } from "../components.js";
import { copyButton, menuButton, openMenu, toast } from "../dialogs.js";
import { makeAddress, COLLECTION, renderText } from "../editor/article.js";
import { ArticlePage } from "../editor/article-page.js";
import { handlePaste } from "../editor/clipboard.js";
import { loadPages, renderDetails } from "../editor/details.js";
import { keepLineBreaks, normalizeLineBreaks, TEXT_FIELDS } from "../editor/edits.js";
import { enableFileDrops } from "../editor/drops.js";
import { PreviewFollower } from "../editor/following.js";
import { asksForInsert } from "../editor/links.js";
import { openFontPopover, showFontChoice } from "../editor/letters.js";
import { openListAfterBrackets, pickLink } from "../editor/link-picker.js";
import { formatPicture, insertBlock, replaceWithBlock, runCommand, runCommandInPlace } from "../editor/markdown.js";
import { choosePictures } from "../editor/pictures.js";
import { showPreview } from "../editor/preview.js";
import { renderOthers, startPresence } from "../editor/presence.js";
import { listMenuItems, openPublishPopover } from "../editor/publish.js";
import { renderSaveState } from "../editor/save-state.js";
import { SiteFrame } from "../editor/site-frame.js";
import { loadTranslations } from "../editor/translations.js";
import { findCommand, startToolbar } from "../editor/toolbar.js";
import { WritingArea } from "../editor/writing-area.js";
import { formatCount, formatDayInSentence, formatTime } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { definePage, refs, session } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { openOnItsWay } from "../webhooks/following.js";
import { getShortcutKey } from "../shortcuts.js";

/** The fields above the text, each with the name of a text field. @type {HTMLTextAreaElement[]} */
const lines = TEXT_FIELDS.filter(({ control }) => control === "line").map(
  ({ name }) => /** @type {any} */ (refs)[name],
);
const isWide = () => matchMedia("(width >= 68rem)").matches;
// On narrower screens, the preview is closed at first.
const hasRoomForPreview = () => matchMedia("(width >= 100rem)").matches;

class Editor extends ArticlePage {
  /** @type {any} a WritingArea, once the page is shown */
  area = null;
  /** @type {import("../editor/table-bar.js").TableBar | null} once the cursor was in a table */
  tableBar = null;
  side = hasRoomForPreview() ? "preview" : "";
  previewState = "";
  /** @type {PreviewFollower | null} */
  follower = null;
  /** @type {Article[]} the translations of the article, without itself */
  translations = [];
  /** @type {Article[] | null} all pages, for the place of this one; null for an article */
  pages = null;
  isTranslating = false;
  /** @type {{username: string}[]} the other users who have the article open */
  others = [];
  /** @type {SiteFrame | null} null if the site has no preview page */
  siteFrame = null;
  /** @type {Json | null} the server's rendering of the text */
  rendered = null;

  get heading() {
    return this.edits.title || super.heading;
  }

  updated() {
    super.updated();
    if (this.state !== "ready" || this.area) return;
    this.area = new WritingArea(refs.text, {
      text: normalizeLineBreaks(this.edits.content),
      markdown: this.edits.content_type === "markdown",
      changed: (text) => this.writeText(text),
      receive: (files) => this.insertPictures(files),
      paste: (data) => handlePaste(this, data),
      changeInput: (text, from) => this.tableBar?.changeInput(text, from) ?? text,
    });
    document.addEventListener("selectionchange", () => this.followTable());
    const getField = () => this.area.field;
    this.follower = new PreviewFollower({ writing: refs.writing, reading: refs.reading, getField });
    enableFileDrops(this, refs.editor);
    startToolbar(this.edits.content_type, (name) => this.runTool(name));
    document.addEventListener("keydown", (event) => this.handleKey(event), { capture: true });
    const text = { focus: () => this.area.field.focus() };
    for (const [n, line] of lines.entries()) this.followLine(line, lines[n + 1] ?? text);
    showFontChoice();
    refs.letters.onclick = () => openFontPopover(refs.letters, this.area.field);
    refs.plain.onclick = () => this.plainToggle.action();
    refs.inTab.onclick = () => void this.saver.save();
    refs.hideRest.onclick = () => this.setAlone(true);
    refs.showRest.onclick = () => this.setAlone(false);
    refs.closeDetails.onclick = () => this.closeDetails();
    refs.discardKept.onclick = () => this.dropKeptText();
    refs.useKept.onclick = () => this.useKeptText();
    refs.restore.onclick = () => this.restore();
    refs.saveAsNew.onclick = () => this.saveAsNew(this.edits);
    const { siteFrame: host } = refs;
    if (host) {
      const frame = new SiteFrame(host, host.dataset.origin ?? "", () => this.requestUpdate());
      this.siteFrame = frame;
      refs.inDesign.onclick = () => this.toggleDesign(frame);
    }
    if (!this.article) lines[0].focus();
    this.showEdits();
    loadTranslations(this).catch(() => {});
    loadPages(this).catch(() => {});
    this.startKeeping();
    startPresence(this);
  }

  /** @param {string} text */
  writeText(text) {
    const former = normalizeLineBreaks(this.edits.content);
    this.change({ content: keepLineBreaks(this.edits.content, text) });
    if (this.edits.content_type === "markdown") openListAfterBrackets(this, former, text);
    if (this.edits.content_type === "markdown") this.followSlash(former, text);
  }

  /**
   * Open the list of what can be inserted if the last change has typed "/".
   * @param {string} former @param {string} text
   */
  async followSlash(former, text) {
    const { field } = this.area;
    const { from } = field.getSelection();
    if (!field.rectangleAt || !asksForInsert(former, text, from)) return;
    const { InsertList } = await import("../editor/insert.js");
    new InsertList(this, from - 1);
  }

  /** Load the code for tables when the cursor comes into a line that may belong to a table. */
  async followTable() {
    const { field, options } = this.area;
    if (this.tableBar) return this.tableBar.update();
    const text = field.getText();
    const start = text.slice(0, field.getSelection().from).lastIndexOf("\n") + 1;
    if (!options.markdown || !field.contentDOM || text[start] !== "|") return;
    const { TableBar } = await import("../editor/table-bar.js");
    this.tableBar ??= new TableBar(this);
  }

  /**
   * Take the text of the title or another line; Enter moves the focus to `next`.
   * @param {HTMLTextAreaElement} line @param {{focus: () => void}} next
   */
  followLine(line, next) {
    const writeLine = (/** @type {string} */ text) => this.change({ [line.name]: text });
    const { onInput, onkeydown } = makeOneLineHandlers(writeLine, () => next.focus());
    line.addEventListener("input", () => onInput(line.value));
    line.addEventListener("keydown", onkeydown);
  }

  /** @param {import("../editor/article-page.js").OffsetMap | null} [mapOffset] */
  showEdits(mapOffset = null) {
    this.area?.setText(normalizeLineBreaks(this.edits.content), mapOffset);
    this.schedulePreview(0);
  }

  /** @param {Json} fields */
  change(fields) {
    super.change(fields);
    this.schedulePreview();
  }

  // The preview shows the address that the article gets if it is published at this time; null: now.
  /** @param {number} [wait] @param {Date | null} [time] */
  schedulePreview(wait = 400, time = null) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(time), wait);
  }

  /** @param {Date | null} time */
  async renderPreview(time) {
    const { edits, article, terms, previewTimer } = this;
    try {
      const rendered = await renderText(edits, this.uuid, time, { signInAgain: false });
      if (edits !== this.edits || previewTimer !== this.previewTimer) return;
      const uuid = edits.category ?? article?.category?.uuid;
      const category = terms.categories.find((/** @type {Term} */ term) => term.uuid === uuid)?.name;
      showPreview(refs.readingSheet, { ...edits, category, text: rendered.html });
      this.follower?.setPreview(refs.readingSheet.shadowRoot, normalizeLineBreaks(edits.content));
      this.set({ rendered, previewState: `Rendered by this server, ${formatTime(new Date())}` });
    } catch (error) {
      this.set({ previewState: `Not refreshed: ${/** @type {Error} */ (error).message}` });
    }
  }

  /** Show or hide the site's preview page, with the saved text. @param {SiteFrame} frame */
  async toggleDesign(frame) {
    if (frame.isShown) frame.hide();
    else {
      const showFrame = () => this.ensureSaved().then(() => frame.show(this.uuid, this.saver.etag));
      await showFrame().catch((error) => (frame.hide(), toast(error.message)));
    }
    this.requestUpdate();
  }

  /** @param {import("../editor/saving.js").State} state */
  showState(state) {
    super.showState(state);
    if (state === "saved") this.siteFrame?.showSaved(this.saver.etag);
  }

  /** Make the change that a command returns. @param {(input: TextInput) => Change} command */
  applyCommand(command) {
    const { field } = this.area;
    field.edit(command({ text: field.getText(), ...field.getSelection() }));
    field.focus();
  }

  /**
   * @param {string} name of a button of the toolbar, or of an item of the menu "Insert"
   * @param {TextRange} [range] that goes: what was typed to choose the command
   */
  runTool(name, range) {
    if (name === "insert") this.openInsert();
    else if (name === "picture" || name === "gallery")
      this.insertPictures([], { isGallery: name === "gallery", range });
    else if (name === "link") pickLink(this);
    else this.applyCommand((input) => (range ? runCommandInPlace(name, input.text, range) : runCommand(name, input)));
  }

  async openInsert() {
    const { listInsertItems } = await import("../editor/insert.js");
    openMenu(refs.insert, listInsertItems(this), "Insert");
  }

  /** @param {File[]} [files] @param {{isGallery?: boolean, range?: TextRange}} [options] range: goes */
  async insertPictures(files, { isGallery = false, range } = {}) {
    const { content_type: format } = this.edits;
    const { field } = this.area;
    const { from, to } = range ?? field.getSelection();
    const canJoin = format === "markdown";
    const pictures = await choosePictures({ files, canJoin, isGallery, action: "Insert" });
    const isJoined = canJoin && pictures.isGallery;
    const block = pictures.map((chosen) => formatPicture(chosen, format)).join(isJoined ? "\n" : "\n\n");
    // When the focus comes back from the dialog, the browser can move the selection.
    field.select(from, to);
    if (!block) return range && field.select(to);
    this.applyCommand((input) => (range ? replaceWithBlock(input, block) : insertBlock(input, block)));
  }

  /** @param {any} event a KeyboardEvent */
  handleKey(event) {
    const { target } = event;
    const letter = getShortcutKey(event);
    const isInBlock = target.closest(".block") !== null;
    const isInText = refs.text.contains(target) && !isInBlock;
    const isAlone = refs.editor.hasAttribute("data-alone") && !event.defaultPrevented;
    if (event.key === "Escape" && isAlone && (isInText || lines.includes(target))) return this.setAlone(false);
    if (this.handleFindKey(event, letter)) return event.preventDefault();
    const name = isInText && this.edits.content_type === "markdown" && findCommand(letter);
    if (!name && letter !== "S") return;
    event.preventDefault();
    event.stopPropagation();
    if (name) this.runTool(name);
    else this.saver.save();
  }

  // Ctrl F, Ctrl H and F3; the plain text area leaves them to the browser.
  /** @param {any} event a KeyboardEvent @param {string} letter */
  handleFindKey(event, letter) {
    const isStep = event.key === "F3" && !event.ctrlKey && !event.altKey && !event.metaKey;
    const { search } = this.area.field;
    if (!search || event.target.closest("dialog") || !(isStep || /^[FH]$/.test(letter))) return false;
    if (!isStep) this.openFind(letter === "H");
    else if (event.shiftKey) search.previous();
    else search.next();
    if (isStep && !refs.findRow.contains(document.activeElement)) this.area.field.focus();
    return true;
  }

  // On a phone, show the text in place of the preview or the details.
  async revealText() {
    if (!isWide()) this.set({ side: "" });
    await this.updateComplete;
  }

  /** @param {boolean} isReplacing */
  async openFind(isReplacing) {
    await this.revealText();
    this.area.field.search.open(isReplacing);
  }

  /** @param {number} from @param {number} to */
  async showText(from, to) {
    await this.revealText();
    this.area.field.select(from, to);
    this.area.field.focus();
  }

  /** Show the text alone, with the save state; Escape shows everything again. @param {boolean} isAlone */
  setAlone(isAlone) {
    refs.editor.toggleAttribute("data-alone", isAlone);
    if (isAlone) this.formerSide = this.side;
    this.set({ side: isAlone ? "" : this.formerSide });
    this.area.field.focus();
  }

  // Show the details, and move the focus there: in the tab order, they are far from their button.
  async openDetails() {
    this.set({ side: "details" });
    await this.updateComplete;
    refs.closeDetails.focus();
  }

  /** Show the details with the field for a new translation. */
  async startTranslation() {
    this.set({ isTranslating: true });
    await this.openDetails();
    const add = /** @type {HTMLElement} */ (refs.details.querySelector("[data-ref=addTranslation]"));
    add.scrollIntoView({ block: "center" });
    add.click();
  }

  /** Show the address of the published or scheduled article, and who sees it, below the main button. */
  showOnItsWay() {
    openOnItsWay(/** @type {HTMLElement} */ (refs.bar.querySelector(".split > .main")), this);
  }

  showTranslations() {
    return loadTranslations(this);
  }

  async closeDetails() {
    this.set({ side: "" });
    await this.updateComplete;
    // On a phone, the focus in the text opens the keyboard.
    (isWide() ? this.area.field : refs.main).focus();
  }

  // The switch between the plain text area and CodeMirror.
  get plainToggle() {
    const { area } = this;
    const changeTextField = async () => {
      await area.choosePlain(!area.isPlain);
      this.requestUpdate();
    };
    return { label: area?.isPlain ? "Coloured text field" : "Plain text field", icon: "type", action: changeTextField };
  }

  // Show the state in the elements that the document already has.
  fillElements() {
    const { article, edits, offered, rendered, saver } = this;
    refs.editor.dataset.side = this.side || "none";
    refs.main.inert = this.busy === "join";
    refs.heading.textContent = this.heading;
    for (const line of lines) line.value = edits[line.name];
    // Browsers choose the dictionary for spelling by the language.
    refs.writingSheet.lang = refs.readingSheet.lang = edits.language || session().site.language;
    render(badge({ ...article, status: article?.status ?? "draft" }), refs.phoneStatus);
    refs.kept.hidden = !offered;
    if (offered)
      refs.keptTitle.textContent = offered.edits.title ? `“${offered.edits.title}”` : "a text without a title";
    if (offered) refs.keptTime.textContent = formatDayInSentence(new Date(offered.time));
    const reasons = article?.working_copy?.not_live?.join(" ");
    refs.notLive.hidden = !reasons;
    refs.notLiveReasons.textContent = reasons ?? "";
    const refusal = saver.problem?.loss ? saver.problem : this.refusal;
    const loss = refusal?.loss;
    refs.gone.hidden = !loss;
    if (loss) refs.goneReason.textContent = loss.sentence;
    refs.goneKept.textContent =
      refusal === this.refusal ? "Your text was saved before." : "Your text is kept in this browser.";
    refs.saveAsNew.hidden = Boolean(loss?.isReader);
    refs.restore.hidden = refusal?.code !== "deleted";
    refs.restore.disabled = this.busy === "restore";
    refs.wordCount.textContent = rendered ? formatCount(rendered.word_count, "word") : "";
    refs.minutes.textContent = rendered?.word_count ? `${rendered.reading_minutes} min to read` : "";
    refs.plain.textContent = this.plainToggle.label;
    const { siteFrame: frame } = this;
    refs.inTab.href = (frame?.isShown && frame.url) || makeAddress(this.uuid, "preview/");
    refs.inTab.hidden = !article;
    refs.previewState.textContent = frame?.isShown ? "Shows what is saved" : this.previewState;
    if (!frame) return;
    refs.inDesign.ariaPressed = String(frame.isShown);
    refs.reading.hidden = frame.isShown;
    frame.host.hidden = !frame.isShown;
    refs.siteFrameNotice.hidden = !frame.reason;
    refs.siteFrameReason.textContent = frame.reason;
  }

  renderPage() {
    this.fillElements();
    render(copyButton(this.edits.content, { label: "Copy my text", kind: "bare" }), refs.goneCopy);
    render(this.renderBar(), refs.bar);
    render([problemAlert(this.problem), renderDetails(this)], refs.details);
    return refs.editor;
  }

  /** The button that shows a pane at the side. @param {string} name @param {string} text @param {string} icon */
  renderToggle(name, text, icon) {
    const isShown = this.side === name;
    const toggleSide = () =>
      name === "details" && !isShown ? this.openDetails() : this.set({ side: isShown ? "" : name });
    return button(text, toggleSide, { icon, kind: "bare wide-only", pressed: isShown });
  }

  renderBar() {
    const { article, side } = this;
    const status = article?.status ?? "draft";
    const history = article && { icon: "history", href: makeAddress(this.uuid, "history/") };
    const showDetails = { label: "Details", icon: "panel-right", action: () => this.openDetails() };
    const isReadable = STATUSES[/** @type {Status} */ (status)].readable;
    const showPopover = (/** @type {HTMLElement} */ anchor) => openOnItsWay(anchor, this);
    const findText = { label: "Find", icon: "search", action: () => this.openFind(false) };
    const alone = { label: "The text alone", icon: "maximize-2", action: () => this.setAlone(true) };
    const listEditorMenuItems = () => [
      this.area?.field.search && findText,
      alone,
      showDetails,
      history && { label: "History", ...history },
      isReadable && { label: "On its way to readers", icon: "send", action: showPopover },
      this.plainToggle,
      ...listMenuItems(this),
    ];
    const openPopover = onButton((anchor) => openPublishPopover(anchor, this));
    const openMore = onButton((anchor) => openMenu(anchor, listMenuItems(this), "More actions"));
    /** @type {import("../actions.js").Action} */
    const mainAction = MAIN_ACTIONS[/** @type {Status} */ (status)];
    const isOffered = mayRunAction(mainAction, { status });
    const main = button(mainAction.name, openPopover, { kind: "main", popup: "dialog" });
    const more = { kind: `${isOffered ? "main" : "bare"} wide-only`, popup: "menu" };
    const moreButton = iconButton("chevron-down", "More actions", openMore, more);
    const note = html`<span class="soft small wide-only">An editor publishes it</span>${moreButton}`;
    const onChange = (/** @type {string} */ pane) => this.set({ side: pane });
    const panes = { label: "Show", name: "pane", items: { Write: "", Preview: "preview" }, value: side, onChange };
    return html`<a class="button bare icon-only" href="/admin/${COLLECTION}/" aria-label="Back to the ${COLLECTION}"
        >${icon("arrow-left")}</a>
      ${isReadable ? statusButton(badge(article), onButton(showPopover)) : badge({ ...article, status })}
      ${renderSaveState(this)} ${renderOthers(this.others)}
      ${this.renderToggle("preview", "Preview", "columns-2")}
      ${history ? button("History", null, { kind: "bare wide-only", ...history }) : nothing}
      ${this.renderToggle("details", "Details", "panel-right")}
      <span class="phone-only">${menuButton("More", listEditorMenuItems)}</span>
      ${isOffered ? html`<span class="split">${main} ${moreButton}</span>` : note}
      <div class="phone-only phone-tabs">${segmentControl(panes)}</div>`;
  }
}

/** @param {Renderable} words @param {(event: ButtonEvent) => unknown} onClick */
const statusButton = (words, onClick) => html`<button type="button" class="button bare status-button"
  aria-haspopup="dialog" @click=${onClick}>${words}${icon("chevron-down")}</button>`;

definePage(Editor);
