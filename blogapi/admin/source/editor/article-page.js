/** The base class of the editor: it loads, keeps, saves and publishes the text. */

import { runAction } from "../actions.js";
import { ApiError, del, get, post } from "../api.js";
import { announceText, toast } from "../dialogs.js";
import { formatTime } from "../format.js";
import { Page, getSession } from "../shell.js";
import * as articles from "./article.js";
import { loadTermsAndFields } from "./details.js";
import { EMPTY_EDITS, hasSameContent } from "./edits.js";
import { deleteKeptEntry, Journal, makeUuid } from "./journal.js";
import { describeSaveState, rethrowWithReason, isProblemState } from "./save-state.js";
import { Saver } from "./saving.js";
import { storeLeftItem } from "../pages/items.js";

// A long text is stored in this browser with a delay, because storing it at each key would take too long.
const [LONG_TEXT_LENGTH, KEEP_DELAY_MS] = [50_000, 200];
/** @param {unknown} left @param {unknown} right */
const isEqual = (left, right) => left === right || JSON.stringify(left) === JSON.stringify(right);

/** Return "Marit’s 3 changes have joined your text." @param {string} person "" for the user @param {number} number */
function describeMergedChanges(person, number) {
  const [changes, verb] = number === 1 ? ["change", "has"] : [`${number} changes`, "have"];
  const whose = person ? `${person}’s ${changes}` : `${number === 1 ? "A change" : changes} of yours in another tab`;
  return `${whose} ${verb} joined your text.`;
}

/**
 * Open the page editor if the item is a page, or the article editor if it is an article: links in the reports of
 * imports do not distinguish between the two. Throw the error if the item is neither.
 * @param {{status: number}} error why the article was not loaded @returns {Promise<LoadedArticle>}
 */
async function openOtherEditor(error) {
  const [, , , uuid] = location.pathname.split("/");
  const other = articles.isPage ? "articles" : "pages";
  if (error.status !== 404) throw error;
  await get(`blog/${other}/${uuid}/`, { query: { fields: "uuid" } }).catch((found) => {
    throw found.code === "deleted" ? found : error;
  });
  location.replace(`/admin/${other}/${uuid}/`);
  return new Promise(() => {});
}

/**
 * A function that maps an offset in the former text to the offset in the new text.
 * @typedef {(offset: number) => number} OffsetMap
 */

/**
 * The version that the server has, saved by another user.
 * @typedef {Awaited<ReturnType<typeof articles.loadArticle>>} TheirVersion
 */

/**
 * @typedef {import("../actions.js").ActionOptions} ActionOptions
 * @typedef {{data: any, etag: string | null, undo?: null}} UndoResult
 * @typedef {(options: ActionOptions) => ReturnType<typeof runAction> | Promise<UndoResult>} SendAction
 */

/**
 * The editor of an article or a page, without its elements. A subclass has showEdits(mapOffset), which shows `edits`
 * after they were replaced, and showOnItsWay(), which shows the address of a published or scheduled article, and since
 * when readers see it.
 */
export class ArticlePage extends Page {
  /** The article as the server has it; null until a new article is saved. @type {any} */
  article = null;
  // The edited fields of the article.
  edits = EMPTY_EDITS;
  /** @type {Saver<Edits>} */
  saver = new Saver(/** @type {any} */ (this));
  /** @type {Journal | null} */
  journal = null;
  /** The terms that can be chosen. @type {any} */
  terms = null;
  uuid = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  keepTimer = undefined;
  /**
   * Undoes the last change of the status or the last publication of edits.
   * @type {(() => unknown) | null | undefined}
   */
  undo = null;
  /**
   * The error because of which a saved text cannot be edited any more; null if it can, or if the Saver has the error.
   * @type {any}
   */
  refusal = null;

  async loadData() {
    const [, , , uuid] = location.pathname.split("/");
    this.uuid = uuid === "new" ? makeUuid() : uuid;
    const { lastLoad } = this;
    const loading = uuid === "new" ? { edits: EMPTY_EDITS } : articles.loadArticle(uuid).catch(openOtherEditor);
    const [terms, loaded] = await Promise.all([loadTermsAndFields(), loading]);
    this.terms = terms;
    // A later load may have finished, and the author may have changed its text.
    if (lastLoad === this.lastLoad) this.startWithEdits(loaded);
  }

  // Other users may have created terms since the page was loaded.
  async refreshTerms() {
    this.terms = await loadTermsAndFields().catch(() => this.terms);
  }

  /**
   * Show the loaded edits, and start saving changes of them. base: the edits on the server.
   * @param {LoadedArticle} loaded @param {Edits} [base] @param {OffsetMap | null} [mapOffset]
   */
  startWithEdits(loaded, base = loaded.edits, mapOffset = null) {
    const { article = null, edits, etag = null, saved = null } = loaded;
    Object.assign(this, { article, edits, refusal: null });
    this.saver.setStoredEdits(base, etag, saved);
    this.showEdits(mapOffset);
  }

  // Keep the text in this browser until it is saved, and offer a text that was kept but not saved, for example because
  // the computer stopped.
  async startJournal() {
    const journal = new Journal(getSession().user.uuid);
    this.journal = journal;
    addEventListener("pagehide", () => {
      this.keepWaitingText();
      this.storeVersion();
    });
    addEventListener("online", () => this.saver.saveEdits());
    addEventListener("beforeunload", (event) => {
      this.keepWaitingText();
      if (this.saver.isDirty && !journal.isKept) event.preventDefault();
    });
    document.addEventListener("visibilitychange", () => this.handleVisibilityChange());
    const { article, edits: stored } = this;
    for (const entry of await journal.findEntries(article && this.uuid)) {
      if ((entry.place ?? "articles") !== articles.COLLECTION) continue;
      // The entry of a new article can belong to an article that the last request of its editor has created.
      /** @type {(error: {status: number}) => Partial<LoadedArticle> | null} */
      const nullIfDeleted = ({ status }) => (status === 404 ? null : {});
      const loaded = article
        ? { article, edits: stored }
        : await articles.loadArticle(entry.article).catch(nullIfDeleted);
      // The editor of a new article does not offer the kept texts of existing articles.
      if (loaded && !article && !entry.isNew) continue;
      // If the article was deleted, its text on the server is in the entry.
      if (hasSameContent(entry.edits, loaded?.edits ?? JSON.parse(entry.base), loaded?.article)) deleteKeptEntry(entry);
      else this.offered ??= entry;
    }
    this.requestUpdate();
  }

  /** @param {Json} fields */
  changeEdits(fields) {
    const edits = { ...this.edits, ...fields };
    if (Object.keys(fields).every((name) => isEqual(edits[name], this.edits[name]))) return;
    this.setFields({ edits, errors: {} });
    this.keepText();
    this.saver.handleEdit();
  }

  keepText() {
    if (this.edits.content.length < LONG_TEXT_LENGTH) this.keepTextNow();
    else this.keepTimer ??= setTimeout(() => this.keepTextNow(), KEEP_DELAY_MS);
  }

  keepTextNow() {
    clearTimeout(this.keepTimer);
    this.keepTimer = undefined;
    const { uuid, article, edits, saver } = this;
    const { stored: base, etag } = saver;
    if (saver.isDirty)
      this.journal?.writeEntry({ place: articles.COLLECTION, article: uuid, isNew: !article, edits, base, etag });
  }

  keepWaitingText() {
    if (this.keepTimer) this.keepTextNow();
  }

  async useKeptText() {
    // First save text that was typed in the meantime. If it is in the same article, the next save is then a conflict.
    if (!(await this.saver.saveEdits())) return;
    const { article: uuid, isNew, edits, base, etag } = this.offered;
    const article = uuid === this.uuid ? this.article : null;
    // The storage of the browser may have no room for two copies of the text.
    this.deleteKeptText();
    if (!article && !isNew) return this.startNewArticle(edits);
    this.uuid = uuid;
    this.startWithEdits({ article, edits, etag }, JSON.parse(base));
  }

  /** Use a new uuid, because the deleted article can be restored under its uuid. @param {Edits} edits */
  startNewArticle(edits) {
    this.uuid = makeUuid();
    this.startWithEdits({ edits }, EMPTY_EDITS);
    this.area.field.focus();
  }

  deleteKeptText() {
    deleteKeptEntry(this.offered);
    this.setFields({ offered: null });
    this.area.field.focus();
  }

  /** @param {Edits} edits @param {import("./saving.js").SendOptions} options */
  async sendEdits(edits, options) {
    const isNew = !this.article;
    const write = isNew ? articles.createArticle : articles.saveWorkingCopy;
    const { data, etag } = await write(this.uuid, edits, options).catch(rethrowWithReason);
    this.hasWritten = !isNew;
    // The edits were written to the scheduled article, so none are unpublished.
    const isTaken = data.not_live?.length === 0;
    const fields = isTaken ? { working_copy: null, last_updated: data.last_updated } : { working_copy: data };
    this.updateArticle(isNew ? data : fields);
    return etag;
  }

  /** Update fields of the article after the server has stored the text. @param {Json} fields */
  updateArticle(fields) {
    this.article = { ...this.article, ...fields };
    history.replaceState(null, "", articles.makeEditorAddress(this.uuid));
  }

  /**
   * After a 412, return the sent edits that the server has stored, with their ETag; null if the server has edits that
   * this page did not send.
   * @param {Edits[]} sentEdits
   */
  async findSentEdits(sentEdits) {
    const theirs = await articles.loadArticle(this.uuid);
    const { article, edits, etag } = theirs;
    this.theirs = theirs;
    // Only this page knows the uuid of a new article, so an unchanged article was created by its request.
    const isNew = !this.article && !article.working_copy && article.created === article.last_updated;
    const own = isNew ? edits : sentEdits.find((sent) => hasSameContent(sent, edits, article));
    if (own) this.updateArticle(article);
    return own ? { etag, edits: own } : null;
  }

  /** @param {import("./saving.js").SaveState} state */
  showSaveState(state) {
    this.requestUpdate();
    if (state === "saving") return;
    if (state === "saved") this.journal?.deleteEntry();
    else this.keepText();
    if (state === "refused") this.errors = this.saver.problem.errors;
    const former = this.lastState;
    this.lastState = state;
    if (state === former) return;
    const isOver = state === "saved" && former !== undefined && isProblemState(former);
    // Most conflicts are merged without a question.
    if ((isProblemState(state) && state !== "conflict") || isOver) announceText(describeSaveState(this));
    if (isOver) this.showEdits();
    if (state === "conflict") this.mergeWithTheirs();
  }

  /**
   * Merge this text with the text that another user has saved. base: the text on the server; before: the version on
   * which both texts are based (null: unknown). The author decides only about the parts that both have changed.
   * @param {any} theirs @param {Edits} base @param {Edits | null} before
   */
  async mergeWithTheirs(theirs = this.theirs, base = theirs.edits, before = JSON.parse(this.saver.stored)) {
    const imports = Promise.all([import("./merge.js"), import("../../static/vendor/diff3.js"), this.refreshTerms()]);
    const [merging, diff3] = await imports.catch(() => []);
    if (!merging || !diff3) return toast("The blog does not answer, so the texts could not be joined. Try again.");
    const { edits: mine } = this;
    const merged = merging.mergeEdits({ base: before, mine, theirs: theirs.edits, article: theirs.article }, diff3);
    const author = theirs.user ?? theirs.article.editor;
    const isSelf = author?.uuid === getSession().user.uuid;
    const person = isSelf ? "" : (author?.username ?? "Somebody");
    if (!merged.isClean) {
      announceText(describeSaveState(this));
      return this.askAboutConflicts(theirs, base, merged, person);
    }
    /** @type {(loaded: LoadedArticle, base: Edits, regions: import("./merge.js").Region[]) => Promise<boolean>} */
    const startAndSave = (loaded, base, regions) => {
      this.startWithEdits(loaded, base, merging.makeOffsetMap(regions));
      return this.saver.saveEdits();
    };
    const undoMerge = async () => {
      const { edits: current, article } = this;
      const versions = { base: merged.edits, mine: current, theirs: mine, article };
      const { edits, regions } = merging.mergeEdits(versions, diff3);
      const { etag, stored } = this.saver;
      await this.runTask("join", () => articles.addVersion(this.uuid, nameVersion(person, theirs.saved), theirs.edits));
      await startAndSave({ edits, article, etag }, JSON.parse(stored), regions);
    };
    if (merged.changes.theirs) toast(describeMergedChanges(person, merged.changes.theirs), { undo: undoMerge });
    await startAndSave({ ...theirs, edits: merged.edits }, base, merged.regions);
  }

  /**
   * Ask the author about the conflicts between the two texts, and add both texts to the history.
   * @param {TheirVersion} theirs @param {Edits} base @param {import("./merge.js").Merged} merged @param {string} person
   */
  async askAboutConflicts(theirs, base, merged, person) {
    const { edits: mine, uuid } = this;
    /** @type {Term[]} */
    const terms = Object.values(this.terms).flat();
    const names = Object.fromEntries(terms.map(({ uuid, name }) => [uuid, name]));
    const { openMergeDialog } = await import("./merge-dialog.js");
    const edits = await openMergeDialog({ merged, mine, person, names });
    if (!edits) return;
    await this.runTask("join", async () => {
      if (theirs.user) await articles.addVersion(uuid, nameVersion(person, theirs.saved));
      await articles.addVersion(uuid, nameVersion("", new Date()), mine);
      this.startWithEdits({ ...theirs, edits }, base);
      await this.saver.saveEdits();
    });
    if (this.problem) toast(this.problem);
    await this.updateComplete;
    this.area.field.focus();
  }

  // Save the text; throw an error if it is not saved.
  async ensureSaved() {
    const isSaved = (await this.saver.saveEdits()) && this.article;
    if (!isSaved) throw new ApiError(409, { detail: describeSaveState(this) || "There is no text yet." });
  }

  /**
   * Save the text, and run an action of actions.js. at: the publication time. Return whether the action has succeeded.
   * @param {import("../actions.js").Action} action @param {Date | null} [at]
   */
  async runAction(action, at = null) {
    /** @type {TheirVersion | null} */
    let theirs = null;
    /** @type {SendAction} */
    const sendAction = (options) => runAction(articles.getItemPath(this.uuid), action, { ...options, at });
    const isDone = await this.runTask("publish", () =>
      this.saveAndSend(sendAction).catch(async (error) => {
        if (error.status === 404) await this.stopEditing(error);
        if (error.code !== "article_changed") throw error;
        theirs = await articles.loadArticle(this.uuid, { asPublished: true });
      }),
    );
    if (theirs) {
      // Another user has changed the article itself. With both ETags, the next save is based on the new version; with
      // EMPTY_EDITS as the stored text, the save is always sent.
      const changed = /** @type {TheirVersion} */ (theirs);
      const etag = `${this.saver.etag}, ${changed.etag}`;
      await this.mergeWithTheirs({ ...changed, etag }, EMPTY_EDITS, await articles.loadBaseVersion(this.uuid));
    }
    if (isDone && action.publishesEdits) setTimeout(() => this.showOnItsWay());
    else if (isDone) toast(`${action.done[0].toUpperCase()}${action.done.slice(1)}`, { undo: this.undo });
    return isDone;
  }

  /**
   * Save the text, and call send(), which changes the article or its status. Return true.
   * @param {SendAction} send
   */
  async saveAndSend(send) {
    await this.ensureSaved();
    const { edits: sent, saver } = this;
    const { data, etag, undo } = await send({ etag: saver.etag, ...articles.WHOLE_ARTICLE_QUERY });
    this.updateArticle(data);
    saver.setStoredEdits(sent, etag);
    this.hasWritten = Boolean(data.working_copy);
    const runUndo = async () => {
      const isDone = await this.runTask("publish", () => this.saveAndSend(/** @type {SendAction} */ (undo)));
      toast(isDone ? "As before" : this.problem || "Nothing was undone.");
    };
    this.undo = undo && runUndo;
    return true;
  }

  /**
   * Move the edits to the history, and replace them with `restored`, by default with the text of the article.
   * @param {Edits} [restored]
   */
  async discardEdits(restored) {
    const { edits } = this;
    await this.runTask("discard", async () => {
      await this.ensureSaved();
      if (this.article.status === "scheduled" && !this.article.working_copy) {
        return toast("No edits can be discarded: the scheduled text has them, and the history has the former text.");
      }
      if (this.article.working_copy) await del(articles.getCopyPath(this.uuid), { etag: this.saver.etag });
      const loaded = await articles.loadArticle(this.uuid);
      this.startWithEdits({ ...loaded, edits: restored ?? loaded.edits }, loaded.edits);
      if (restored) toast("The edits are back.");
      else toast("The edits are discarded; the history has them.", { undo: () => this.discardEdits(edits) });
    });
    await this.updateComplete;
    this.area.field.focus();
  }

  // Save the text when the page becomes hidden or is closed. When it is visible again, load a text that was saved on
  // another page.
  async handleVisibilityChange() {
    const { saver, uuid } = this;
    const { etag } = saver;
    this.keepWaitingText();
    if (document.visibilityState === "hidden") return saver.saveEdits({ signInAgain: false });
    const stopIfDeleted = async (/** @type {any} */ error) => {
      if (error.status === 404) await this.stopEditing(error);
    };
    const loaded = this.article && (await articles.loadArticle(uuid).catch(stopIfDeleted));
    if (loaded && this.refusal) this.setFields({ refusal: null });
    if (!loaded || loaded.etag === etag) return;
    await this.refreshTerms();
    const isUntouched = saver.state === "saved" && saver.etag === etag && !this.busy;
    if (isUntouched) this.startWithEdits(loaded);
  }

  /** Show that the article was deleted or hidden; unsaved changes are kept in this browser. @param {any} error */
  async stopEditing(error) {
    if (!this.saver.isDirty)
      this.setFields({ refusal: await rethrowWithReason(error).catch((explained) => explained) });
    else await this.saver.saveEdits();
  }

  /** Restore the deleted article, and merge its text with this one. */
  async restoreArticle() {
    await this.runTask("restore", async () => {
      const { data } = await post(`${articles.getItemPath(this.uuid)}restore/`);
      if (data.notes.length) toast(data.notes.join(" "));
      const loaded = await articles.loadArticle(this.uuid);
      await this.mergeWithTheirs(loaded, loaded.edits, JSON.parse(this.saver.stored));
    });
    if (this.problem) toast(this.problem);
  }

  // Store the working copy of a draft as one version.
  storeVersion() {
    const { state, etag } = this.saver;
    if (!this.hasWritten || this.article?.status !== "draft" || state !== "saved") return;
    const options = { ...articles.WHOLE_ARTICLE_QUERY, etag, keepalive: true, signInAgain: false };
    storeLeftItem(this.uuid);
    post(`${articles.getCopyPath(this.uuid)}publish/`, { status: "draft" }, options).catch(() => {});
  }
}

/** Return the name of a version: its author and its time. @param {string} person "" for the user @param {any} time */
const nameVersion = (person, time) => `${person || getSession().user.username}, ${formatTime(time)}`;
