/** The page of the editor: the field for the text, the preview and the details. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { MAIN_ACTIONS, mayRunAction } from "../actions.js";
import { badge, button, icon, iconButton, withButton, problemAlert, segmentControl } from "../components.js";
import { copyButton, menuButton, openMenu, toast } from "../dialogs.js";
import { makeEditorAddress, COLLECTION, requestRendering } from "../editor/article.js";
import { ArticlePage } from "../editor/article-page.js";
import { handlePaste } from "../editor/clipboard.js";
import { loadPages, renderDetails } from "../editor/details.js";
import { restoreLineBreaks, normalizeLineBreaks, TEXT_FIELDS } from "../editor/edits.js";
import { enableFileDrops } from "../editor/file-drops.js";
import { PreviewFollower } from "../editor/preview-follower.js";
import { hasTypedSlash } from "../editor/links.js";
import { openFontPopover, applyFontChoice } from "../editor/font-choice.js";
import { openPickerAfterBrackets, chooseLink } from "../editor/link-picker.js";
import { formatPicture, insertBlock, replaceWithBlock, runCommand, runCommandInPlace } from "../editor/markdown.js";
import { choosePictures } from "../editor/pictures.js";
import { showPreview } from "../editor/preview.js";
import { renderPresence, startPresenceReports } from "../editor/presence.js";
import { listEditorActions, openPublishPopover } from "../editor/publish.js";
import { renderSaveState } from "../editor/save-state.js";
import { SiteFrame } from "../editor/site-frame.js";
import { loadTranslations } from "../editor/translations.js";
import { findCommand, startToolbar } from "../editor/toolbar.js";
import { WritingArea } from "../editor/writing-area.js";
import { formatCount, formatDayInSentence, formatTime } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { definePage, refs, getSession } from "../shell.js";
import { STATUSES } from "../statuses.js";
import { openOnItsWay } from "../webhooks/on-its-way.js";
import { getShortcutKey } from "../shortcuts.js";

/**
 * The text areas above the text, such as the title, each with the name of its text field.
 * @type {HTMLTextAreaElement[]}
 */
const lineFields = TEXT_FIELDS.filter(({ control }) => control === "line").map(
  ({ name }) => /** @type {any} */ (refs)[name],
);
const isWideScreen = () => matchMedia("(width >= 68rem)").matches;
// Whether the preview is open at first.
const hasRoomForPreview = () => matchMedia("(width >= 100rem)").matches;

class Editor extends ArticlePage {
  /** @type {any} the WritingArea; null until the page is shown */
  area = null;
  /** @type {import("../editor/table-bar.js").TableBar | null} null until the cursor is in a table */
  tableBar = null;
  side = hasRoomForPreview() ? "preview" : "";
  previewState = "";
  /** @type {PreviewFollower | null} */
  follower = null;
  /** @type {Article[]} the other translations of the article */
  translations = [];
  /** @type {Article[] | null} all pages of the blog, for the place of this page; null for an article */
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
      onChange: (text) => this.writeText(text),
      onPictures: (files) => this.insertPictures(files),
      onPaste: (data) => handlePaste(this, data),
      changeInput: (text, from) => this.tableBar?.changeInput(text, from) ?? text,
    });
    document.addEventListener("selectionchange", () => this.updateTableBar());
    const getField = () => this.area.field;
    this.follower = new PreviewFollower({ writing: refs.writing, reading: refs.reading, getField });
    enableFileDrops(this, refs.editor);
    startToolbar(this.edits.content_type, (name) => this.runTool(name));
    document.addEventListener("keydown", (event) => this.handleKey(event), { capture: true });
    const text = { focus: () => this.area.field.focus() };
    for (const [n, line] of lineFields.entries()) this.connectLineField(line, lineFields[n + 1] ?? text);
    applyFontChoice();
    refs.letters.onclick = () => openFontPopover(refs.letters, this.area.field);
    refs.plain.onclick = () => this.plainToggle.action();
    refs.inTab.onclick = () => void this.saver.saveEdits();
    refs.hideRest.onclick = () => this.showTextAlone(true);
    refs.showRest.onclick = () => this.showTextAlone(false);
    refs.closeDetails.onclick = () => this.closeDetails();
    refs.discardKept.onclick = () => this.deleteKeptText();
    refs.useKept.onclick = () => this.useKeptText();
    refs.restore.onclick = () => this.restoreArticle();
    refs.saveAsNew.onclick = () => this.startNewArticle(this.edits);
    const { siteFrame: host } = refs;
    if (host) {
      const frame = new SiteFrame(host, host.dataset.origin ?? "", () => this.requestUpdate());
      this.siteFrame = frame;
      refs.inDesign.onclick = () => this.toggleSiteFrame(frame);
    }
    if (!this.article) lineFields[0].focus();
    this.showEdits();
    loadTranslations(this).catch(() => {});
    loadPages(this).catch(() => {});
    this.startJournal();
    startPresenceReports(this);
  }

  /** @param {string} text */
  writeText(text) {
    const former = normalizeLineBreaks(this.edits.content);
    this.changeEdits({ content: restoreLineBreaks(this.edits.content, text) });
    if (this.edits.content_type === "markdown") openPickerAfterBrackets(this, former, text);
    if (this.edits.content_type === "markdown") this.openInsertListAfterSlash(former, text);
  }

  /**
   * Open the list of blocks if the last change has typed "/" on an empty line.
   * @param {string} former @param {string} text
   */
  async openInsertListAfterSlash(former, text) {
    const { field } = this.area;
    const { from } = field.getSelection();
    if (!field.getRectangleAt || !hasTypedSlash(former, text, from)) return;
    const { InsertList } = await import("../editor/insert-list.js");
    new InsertList(this, from - 1);
  }

  /** Update the bar for tables; its code is loaded when the cursor is in a line that may belong to a table. */
  async updateTableBar() {
    const { field, options } = this.area;
    if (this.tableBar) return this.tableBar.updateBar();
    const text = field.getText();
    const start = text.slice(0, field.getSelection().from).lastIndexOf("\n") + 1;
    if (!options.markdown || !field.contentDOM || text[start] !== "|") return;
    const { TableBar } = await import("../editor/table-bar.js");
    this.tableBar ??= new TableBar(this);
  }

  /**
   * Store the text of a field above the text in the edits; Enter moves the focus to `next`.
   * @param {HTMLTextAreaElement} line @param {{focus: () => void}} next
   */
  connectLineField(line, next) {
    const writeLine = (/** @type {string} */ text) => this.changeEdits({ [line.name]: text });
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
  changeEdits(fields) {
    super.changeEdits(fields);
    this.schedulePreview();
  }

  // Render the preview after a pause. time: the publication time for the address of the article; null: now.
  /** @param {number} [wait] @param {Date | null} [time] */
  schedulePreview(wait = 400, time = null) {
    clearTimeout(this.previewTimer);
    this.previewTimer = setTimeout(() => this.renderPreview(time), wait);
  }

  /** @param {Date | null} time */
  async renderPreview(time) {
    const { edits, article, terms, previewTimer } = this;
    try {
      const rendered = await requestRendering(edits, this.uuid, time, { signInAgain: false });
      if (edits !== this.edits || previewTimer !== this.previewTimer) return;
      const uuid = edits.category ?? article?.category?.uuid;
      const category = terms.categories.find((/** @type {Term} */ term) => term.uuid === uuid)?.name;
      showPreview(refs.readingSheet, { ...edits, category, text: rendered.html });
      this.follower?.setPreview(refs.readingSheet.shadowRoot, normalizeLineBreaks(edits.content));
      this.setFields({ rendered, previewState: `Rendered by this server, ${formatTime(new Date())}` });
    } catch (error) {
      this.setFields({ previewState: `Not refreshed: ${/** @type {Error} */ (error).message}` });
    }
  }

  /** Show or hide the site's preview page, with the saved text. @param {SiteFrame} frame */
  async toggleSiteFrame(frame) {
    if (frame.isShown) frame.hideFrame();
    else {
      const showFrame = () => this.ensureSaved().then(() => frame.showArticle(this.uuid, this.saver.etag));
      await showFrame().catch((error) => (frame.hideFrame(), toast(error.message)));
    }
    this.requestUpdate();
  }

  /** @param {import("../editor/saving.js").SaveState} state */
  showSaveState(state) {
    super.showSaveState(state);
    if (state === "saved") this.siteFrame?.showSavedText(this.saver.etag);
  }

  /** Make the change that a command returns. @param {(input: TextInput) => Change} command */
  applyCommand(command) {
    const { field } = this.area;
    field.applyChange(command({ text: field.getText(), ...field.getSelection() }));
    field.focus();
  }

  /**
   * Run a command. name: of a button of the toolbar, or of an item of the menu "Insert"; range: the typed text that
   * chose the command, which the command replaces.
   * @param {string} name @param {TextRange} [range]
   */
  runTool(name, range) {
    if (name === "insert") this.openInsertMenu();
    else if (name === "picture" || name === "gallery")
      this.insertPictures([], { isGallery: name === "gallery", range });
    else if (name === "link") chooseLink(this);
    else this.applyCommand((input) => (range ? runCommandInPlace(name, input.text, range) : runCommand(name, input)));
  }

  async openInsertMenu() {
    const { listInsertItems } = await import("../editor/insert-list.js");
    openMenu(refs.insert, listInsertItems(this), "Insert");
  }

  /** @param {File[]} [files] @param {{isGallery?: boolean, range?: TextRange}} [options] range: see runTool() */
  async insertPictures(files, { isGallery = false, range } = {}) {
    const { content_type: format } = this.edits;
    const { field } = this.area;
    const replaced = { ...(range ?? field.getSelection()) };
    this.area.range = replaced;
    const canJoin = format === "markdown";
    const pictures = await choosePictures({ files, canJoin, isGallery, action: "Insert" });
    const isJoined = canJoin && pictures.isGallery;
    const block = pictures.map((chosen) => formatPicture(chosen, format)).join(isJoined ? "\n" : "\n\n");
    // When the focus comes back from the dialog, the browser can move the selection.
    field.selectRange(replaced.from, replaced.to);
    if (!block) return range && field.selectRange(replaced.to);
    this.applyCommand((input) => (range ? replaceWithBlock(input, block) : insertBlock(input, block)));
  }

  /** @param {any} event a KeyboardEvent */
  handleKey(event) {
    const { target } = event;
    const letter = getShortcutKey(event);
    const isInBlock = target.closest(".block") !== null;
    const isInText = refs.text.contains(target) && !isInBlock;
    const isAlone = refs.editor.hasAttribute("data-alone") && !event.defaultPrevented;
    if (event.key === "Escape" && isAlone && (isInText || lineFields.includes(target)))
      return this.showTextAlone(false);
    if (this.handleFindKey(event, letter)) return event.preventDefault();
    const name = isInText && this.edits.content_type === "markdown" && findCommand(letter);
    if (!name && letter !== "S") return;
    event.preventDefault();
    event.stopPropagation();
    if (name) this.runTool(name);
    else this.saver.saveEdits();
  }

  // Handle Ctrl F, Ctrl H and F3, which the plain text area leaves to the browser; return whether the key was handled.
  /** @param {any} event a KeyboardEvent @param {string} letter */
  handleFindKey(event, letter) {
    const isStep = event.key === "F3" && !event.ctrlKey && !event.altKey && !event.metaKey;
    const { search } = this.area.field;
    if (!search || event.target.closest("dialog") || !(isStep || /^[FH]$/.test(letter))) return false;
    if (!isStep) this.openFindPanel(letter === "H");
    else if (event.shiftKey) search.previous();
    else search.next();
    if (isStep && !refs.findRow.contains(document.activeElement)) this.area.field.focus();
    return true;
  }

  // On a narrow screen, show the text in place of the preview or the details.
  async revealText() {
    if (!isWideScreen()) this.setFields({ side: "" });
    await this.updateComplete;
  }

  /** @param {boolean} isReplacing */
  async openFindPanel(isReplacing) {
    await this.revealText();
    this.area.field.search.open(isReplacing);
  }

  /** @param {number} from @param {number} to */
  async showTextRange(from, to) {
    await this.revealText();
    this.area.field.selectRange(from, to);
    this.area.field.focus();
  }

  /**
   * Show only the text and the save state, until Escape is pressed; or show everything again.
   * @param {boolean} isAlone
   */
  showTextAlone(isAlone) {
    refs.editor.toggleAttribute("data-alone", isAlone);
    if (isAlone) this.formerSide = this.side;
    this.setFields({ side: isAlone ? "" : this.formerSide });
    this.area.field.focus();
  }

  // Show the details, and move the focus to them, because they are far from their button in the tab order.
  async openDetails() {
    this.setFields({ side: "details" });
    await this.updateComplete;
    refs.closeDetails.focus();
  }

  /** Show the details, and open the popover for a new translation. */
  async startTranslation() {
    this.setFields({ isTranslating: true });
    await this.openDetails();
    const add = /** @type {HTMLElement} */ (refs.details.querySelector("[data-ref=addTranslation]"));
    add.scrollIntoView({ block: "center" });
    add.click();
  }

  /** Open the popover "On its way to readers" below the main button. */
  showOnItsWay() {
    openOnItsWay(/** @type {HTMLElement} */ (refs.bar.querySelector(".split > .main")), this);
  }

  showTranslations() {
    return loadTranslations(this);
  }

  async closeDetails() {
    this.setFields({ side: "" });
    await this.updateComplete;
    // On a phone, the focus in the text opens the keyboard.
    (isWideScreen() ? this.area.field : refs.main).focus();
  }

  // Return the menu item that switches between the plain text area and CodeMirror.
  get plainToggle() {
    const { area } = this;
    const changeTextField = async () => {
      await area.setPlain(!area.isPlain);
      this.requestUpdate();
    };
    return { label: area?.isPlain ? "Coloured text field" : "Plain text field", icon: "type", action: changeTextField };
  }

  // Show the state of the editor in the elements of the HTML template.
  updateElements() {
    const { article, edits, offered, rendered, saver } = this;
    refs.editor.dataset.side = this.side || "none";
    // The text is replaced at the end of these tasks.
    refs.main.inert = this.busy === "join" || this.busy === "discard";
    refs.heading.textContent = this.heading;
    for (const line of lineFields) line.value = edits[line.name];
    // Browsers check the spelling by the language of the element.
    refs.writingSheet.lang = refs.readingSheet.lang = edits.language || getSession().site.language;
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
    refs.inTab.href = (frame?.isShown && frame.url) || makeEditorAddress(this.uuid, "preview/");
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
    this.updateElements();
    render(copyButton(this.edits.content, { label: "Copy my text", kind: "bare" }), refs.goneCopy);
    render(this.renderBar(), refs.bar);
    render([problemAlert(this.problem), renderDetails(this)], refs.details);
    return refs.editor;
  }

  /**
   * Render the button that shows or hides a pane at the side.
   * @param {string} name @param {string} text @param {string} icon
   */
  renderToggle(name, text, icon) {
    const isShown = this.side === name;
    const toggleSide = () =>
      name === "details" && !isShown ? this.openDetails() : this.setFields({ side: isShown ? "" : name });
    return button(text, toggleSide, { icon, kind: "bare wide-only", pressed: isShown });
  }

  renderBar() {
    const { article, side } = this;
    const status = article?.status ?? "draft";
    const history = article && { icon: "history", href: makeEditorAddress(this.uuid, "history/") };
    const showDetails = { label: "Details", icon: "panel-right", action: () => this.openDetails() };
    const isReadable = STATUSES[/** @type {Status} */ (status)].readable;
    const showPopover = (/** @type {HTMLElement} */ anchor) => openOnItsWay(anchor, this);
    const findText = { label: "Find", icon: "search", action: () => this.openFindPanel(false) };
    const alone = { label: "The text alone", icon: "maximize-2", action: () => this.showTextAlone(true) };
    const listEditorMenuItems = () => [
      this.area?.field.search && findText,
      alone,
      showDetails,
      history && { label: "History", ...history },
      isReadable && { label: "On its way to readers", icon: "send", action: showPopover },
      this.plainToggle,
      ...listEditorActions(this),
    ];
    const openPopover = withButton((anchor) => openPublishPopover(anchor, this));
    const openMore = withButton((anchor) => openMenu(anchor, listEditorActions(this), "More actions"));
    /** @type {import("../actions.js").Action} */
    const mainAction = MAIN_ACTIONS[/** @type {Status} */ (status)];
    const isOffered = mayRunAction(mainAction, { status });
    const main = button(mainAction.name, openPopover, { kind: "main", popup: "dialog" });
    const more = { kind: `${isOffered ? "main" : "bare"} wide-only`, popup: "menu" };
    const moreButton = iconButton("chevron-down", "More actions", openMore, more);
    const note = html`<span class="soft small wide-only">An editor publishes it</span>${moreButton}`;
    const onChange = (/** @type {string} */ pane) => this.setFields({ side: pane });
    const panes = { label: "Show", name: "pane", items: { Write: "", Preview: "preview" }, value: side, onChange };
    return html`<a class="button bare icon-only" href="/admin/${COLLECTION}/" aria-label="Back to the ${COLLECTION}"
        >${icon("arrow-left")}</a>
      ${isReadable ? statusButton(badge(article), withButton(showPopover)) : badge({ ...article, status })}
      ${renderSaveState(this)} ${renderPresence(this.others)}
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
