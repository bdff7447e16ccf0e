/** A page that edits an article: how the text is loaded, kept, saved and published. */

import { runAction } from "../actions.js";
import { ApiError, del, get, post } from "../api.js";
import { announce, toast } from "../dialogs.js";
import { formatTime } from "../format.js";
import { Page, session } from "../shell.js";
import * as articles from "./article.js";
import { loadTerms } from "./details.js";
import { EMPTY, isSame } from "./edits.js";
import { discardEntry, Journal, newUuid } from "./journal.js";
import { describeState, explainRefusal, isTrouble } from "./save-state.js";
import { Saver } from "./saving.js";
import { noteLeftItem } from "../pages/lists.js";

// A long text is stored in this browser with a delay, because storing it at each key would take too long.
const [LONG_TEXT, KEEP_MS] = [50_000, 200];
/** @param {unknown} left @param {unknown} right */
const isEqual = (left, right) => left === right || JSON.stringify(left) === JSON.stringify(right);

/** "Marit’s 3 changes have joined your text." @param {string} person "" for the user @param {number} number */
function describeJoined(person, number) {
  const [changes, verb] = number === 1 ? ["change", "has"] : [`${number} changes`, "have"];
  const whose = person ? `${person}’s ${changes}` : `${number === 1 ? "A change" : changes} of yours in another tab`;
  return `${whose} ${verb} joined your text.`;
}

/**
 * Open the page editor if the article is a page, or the article editor if the page is an article. Links in the
 * reports of imports do not say which of the two an item is.
 * @param {{status: number}} error why the article was not loaded @returns {Promise<Loaded>}
 */
async function openOtherKind(error) {
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
 * Returns the offset in the new text for an offset in the former text.
 * @typedef {(offset: number) => number} OffsetMap
 */

/**
 * The version of another user that the server has now.
 * @typedef {Awaited<ReturnType<typeof articles.loadArticle>>} Theirs
 */

/**
 * @typedef {import("../actions.js").Options} ActionOptions
 * @typedef {{data: any, etag: string | null, undo?: null}} Undone
 * @typedef {(options: ActionOptions) => ReturnType<typeof runAction> | Promise<Undone>} SendAction
 */

/**
 * The editor of an article or a page. A subclass has showEdits(mapOffset), which shows `edits` again after they were
 * replaced, and showOnItsWay(), which shows the address of a published or scheduled article, and since when readers see
 * it.
 */
export class ArticlePage extends Page {
  /** The article as the server has it; null until a new article is saved. @type {any} */
  article = null;
  // The article with the edits.
  edits = EMPTY;
  /** @type {Saver<Edits>} */
  saver = new Saver(/** @type {any} */ (this));
  /** @type {Journal | null} */
  journal = null;
  /** The terms that can be chosen. @type {any} */
  terms = null;
  uuid = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  keepTimer = undefined;
  /** Undoes the last publication or other change of the status. @type {(() => unknown) | null | undefined} */
  undo = null;
  /** Why the saved text can no longer be changed; null if it can, or if the Saver has the reason. @type {any} */
  refusal = null;

  async load() {
    const [, , , uuid] = location.pathname.split("/");
    this.uuid = uuid === "new" ? newUuid() : uuid;
    const loading = uuid === "new" ? { edits: EMPTY } : articles.loadArticle(uuid).catch(openOtherKind);
    const [terms, loaded] = await Promise.all([loadTerms(), loading]);
    this.terms = terms;
    this.startFrom(loaded);
  }

  // Other users may have created terms since the page was loaded.
  async refreshTerms() {
    this.terms = await loadTerms().catch(() => this.terms);
  }

  /**
   * Start with these edits. base: what the server has.
   * @param {Loaded} loaded @param {Edits} [base] @param {OffsetMap | null} [mapOffset]
   */
  startFrom(loaded, base = loaded.edits, mapOffset = null) {
    const { article = null, edits, etag = null, saved = null } = loaded;
    Object.assign(this, { article, edits, refusal: null });
    this.saver.start(base, etag, saved);
    this.showEdits(mapOffset);
  }

  // Keep each text in this browser until it is saved, and offer a kept text that was not saved because the browser or
  // the computer stopped.
  async startKeeping() {
    const journal = new Journal(session().user.uuid);
    this.journal = journal;
    addEventListener("pagehide", () => {
      this.keepWaitingText();
      this.storeVersion();
    });
    addEventListener("online", () => this.saver.save());
    addEventListener("beforeunload", (event) => {
      this.keepWaitingText();
      if (this.saver.isDirty && !journal.keeps) event.preventDefault();
    });
    document.addEventListener("visibilitychange", () => this.changeVisibility());
    const { article, edits: stored } = this;
    for (const entry of await journal.findEntries(article && this.uuid)) {
      if ((entry.place ?? "articles") !== articles.COLLECTION) continue;
      // The last request of an editor may have created the article.
      /** @type {(error: {status: number}) => Partial<Loaded> | null} */
      const nullIfDeleted = ({ status }) => (status === 404 ? null : {});
      const loaded = article
        ? { article, edits: stored }
        : await articles.loadArticle(entry.article).catch(nullIfDeleted);
      // The kept texts of an existing article are offered in the editor of this article.
      if (loaded && !article && !entry.isNew) continue;
      // For an article that was deleted, the entry says which text the server had.
      if (isSame(entry.edits, loaded?.edits ?? JSON.parse(entry.base), loaded?.article)) discardEntry(entry);
      else this.offered ??= entry;
    }
    this.requestUpdate();
  }

  /** @param {Json} fields */
  change(fields) {
    const edits = { ...this.edits, ...fields };
    if (Object.keys(fields).every((name) => isEqual(edits[name], this.edits[name]))) return;
    this.set({ edits, errors: {} });
    this.keepText();
    this.saver.edited();
  }

  keepText() {
    if (this.edits.content.length < LONG_TEXT) this.keepTextNow();
    else this.keepTimer ??= setTimeout(() => this.keepTextNow(), KEEP_MS);
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
    // Text that was typed in the meantime is saved first. In the same article, the next save is then a
    // conflict.
    if (!(await this.saver.save())) return;
    const { article: uuid, isNew, edits, base, etag } = this.offered;
    const article = uuid === this.uuid ? this.article : null;
    // The storage of the browser may have no room for two copies of the text.
    this.dropKeptText();
    if (!article && !isNew) return this.saveAsNew(edits);
    this.uuid = uuid;
    this.startFrom({ article, edits, etag }, JSON.parse(base));
  }

  /** Use a new uuid, because the deleted article can be restored under its uuid. @param {Edits} edits */
  saveAsNew(edits) {
    this.uuid = newUuid();
    this.startFrom({ edits }, EMPTY);
    this.area.field.focus();
  }

  dropKeptText() {
    discardEntry(this.offered);
    this.set({ offered: null });
    this.area.field.focus();
  }

  /** @param {Edits} edits @param {import("./saving.js").SendOptions} options */
  async send(edits, options) {
    const isNew = !this.article;
    const write = isNew ? articles.createArticle : articles.saveCopy;
    const { data, etag } = await write(this.uuid, edits, options).catch(explainRefusal);
    this.hasWritten = !isNew;
    // The edits were written to the scheduled article, so none are unpublished.
    const isTaken = data.not_live?.length === 0;
    const fields = isTaken ? { working_copy: null, last_updated: data.last_updated } : { working_copy: data };
    this.setStored(isNew ? data : fields);
    return etag;
  }

  /** The server has stored the text, and these fields of the article are new. @param {Json} fields */
  setStored(fields) {
    this.article = { ...this.article, ...fields };
    history.replaceState(null, "", articles.makeAddress(this.uuid));
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
    // Nobody else knows the uuid of a new article: if the article is unchanged, this text has created it.
    const isNew = !this.article && !article.working_copy && article.created === article.last_updated;
    const own = isNew ? edits : sentEdits.find((sent) => isSame(sent, edits, article));
    if (own) this.setStored(article);
    return own ? { etag, edits: own } : null;
  }

  /** @param {import("./saving.js").State} state */
  showState(state) {
    this.requestUpdate();
    if (state === "saving") return;
    if (state === "saved") this.journal?.deleteEntry();
    else this.keepText();
    if (state === "refused") this.errors = this.saver.problem.errors;
    const former = this.lastState;
    this.lastState = state;
    if (state === former) return;
    const isOver = state === "saved" && former !== undefined && isTrouble(former);
    // Most conflicts are merged without a question.
    if ((isTrouble(state) && state !== "conflict") || isOver) announce(describeState(this));
    if (isOver) this.showEdits();
    if (state === "conflict") this.mergeWithTheirs();
  }

  /**
   * Merge this text with the text that another user has saved. base: the text on the server; before: the version before
   * both texts (null: unknown). The author is asked only about the parts that both have changed.
   * @param {any} theirs @param {Edits} base @param {Edits | null} before
   */
  async mergeWithTheirs(theirs = this.theirs, base = theirs.edits, before = JSON.parse(this.saver.stored)) {
    const imports = Promise.all([import("./merge.js"), import("../../static/vendor/diff3.js"), this.refreshTerms()]);
    const [merging, diff3] = await imports.catch(() => []);
    if (!merging || !diff3) return toast("The blog does not answer, so the texts could not be joined. Try again.");
    const { edits: mine } = this;
    const merged = merging.mergeEdits({ base: before, mine, theirs: theirs.edits, article: theirs.article }, diff3);
    const author = theirs.user ?? theirs.article.editor;
    const isSelf = author?.uuid === session().user.uuid;
    const person = isSelf ? "" : (author?.username ?? "Somebody");
    if (!merged.isClean) {
      announce(describeState(this));
      return this.askForMerge(theirs, base, merged, person);
    }
    /** @type {(loaded: Loaded, base: Edits, regions: import("./merge.js").Region[]) => Promise<boolean>} */
    const startFromAndSave = (loaded, base, regions) => {
      this.startFrom(loaded, base, merging.makeOffsetMap(regions));
      return this.saver.save();
    };
    const undoMerge = async () => {
      const { edits: current, article } = this;
      const versions = { base: merged.edits, mine: current, theirs: mine, article };
      const { edits, regions } = merging.mergeEdits(versions, diff3);
      const { etag, stored } = this.saver;
      await this.act("join", () => articles.addVersion(this.uuid, nameVersion(person, theirs.saved), theirs.edits));
      await startFromAndSave({ edits, article, etag }, JSON.parse(stored), regions);
    };
    if (merged.changes.theirs) toast(describeJoined(person, merged.changes.theirs), { undo: undoMerge });
    await startFromAndSave({ ...theirs, edits: merged.edits }, base, merged.regions);
  }

  /**
   * Ask the author about the conflicts between the two texts; both stay in the history.
   * @param {Theirs} theirs @param {Edits} base @param {import("./merge.js").Merged} merged @param {string} person
   */
  async askForMerge(theirs, base, merged, person) {
    const { edits: mine, uuid } = this;
    /** @type {Term[]} */
    const terms = Object.values(this.terms).flat();
    const names = Object.fromEntries(terms.map(({ uuid, name }) => [uuid, name]));
    const { openMergeDialog } = await import("./merge-dialog.js");
    const edits = await openMergeDialog({ merged, mine, person, names });
    if (!edits) return;
    await this.act("join", async () => {
      if (theirs.user) await articles.addVersion(uuid, nameVersion(person, theirs.saved));
      await articles.addVersion(uuid, nameVersion("", new Date()), mine);
      this.startFrom({ ...theirs, edits }, base);
      await this.saver.save();
    });
    if (this.problem) toast(this.problem);
    await this.updateComplete;
    this.area.field.focus();
  }

  // Save the text; throw an error if it is not saved.
  async ensureSaved() {
    const isSaved = (await this.saver.save()) && this.article;
    if (!isSaved) throw new ApiError(409, { detail: describeState(this) || "There is no text yet." });
  }

  /**
   * Save the text, and run an action of actions.js. at: the publication time. Return whether the action was done.
   * @param {import("../actions.js").Action} action @param {Date | null} [at]
   */
  async publish(action, at = null) {
    /** @type {Theirs | null} */
    let theirs = null;
    /** @type {SendAction} */
    const sendAction = (options) => runAction(articles.getPath(this.uuid), action, { ...options, at });
    const isDone = await this.act("publish", () =>
      this.runSaved(sendAction).catch(async (error) => {
        if (error.status === 404) await this.stopSaving(error);
        if (error.code !== "article_changed") throw error;
        theirs = await articles.loadArticle(this.uuid, { asPublished: true });
      }),
    );
    if (theirs) {
      // Somebody changed the article itself. With both ETags, the next save is based on the new version. With
      // EMPTY as the stored text, the save is always sent.
      const changed = /** @type {Theirs} */ (theirs);
      const etag = `${this.saver.etag}, ${changed.etag}`;
      await this.mergeWithTheirs({ ...changed, etag }, EMPTY, await articles.loadBaseVersion(this.uuid));
    }
    if (isDone && action.takesEdits) setTimeout(() => this.showOnItsWay());
    else if (isDone) toast(`${action.done[0].toUpperCase()}${action.done.slice(1)}`, { undo: this.undo });
    return isDone;
  }

  /**
   * Save the text, and send a request that changes the article or its status. Return true.
   * @param {SendAction} send
   */
  async runSaved(send) {
    await this.ensureSaved();
    const { edits: sent, saver } = this;
    const { data, etag, undo } = await send({ etag: saver.etag, ...articles.WHOLE });
    this.setStored(data);
    saver.start(sent, etag);
    this.hasWritten = Boolean(data.working_copy);
    const runUndo = async () => {
      await this.act("publish", () => this.runSaved(/** @type {SendAction} */ (undo)));
      toast(this.problem || "As before");
    };
    this.undo = undo && runUndo;
    return true;
  }

  /**
   * Move the edits to the history and replace them with `restored`, by default the article.
   * @param {Edits} [restored]
   */
  async discard(restored) {
    const { edits } = this;
    await this.act("discard", async () => {
      await this.ensureSaved();
      if (this.article.status === "scheduled" && !this.article.working_copy) {
        return toast("Nothing waits: the scheduled text has your edits, and the history the former one.");
      }
      if (this.article.working_copy) await del(articles.getCopyPath(this.uuid), { etag: this.saver.etag });
      const loaded = await articles.loadArticle(this.uuid);
      this.startFrom({ ...loaded, edits: restored ?? loaded.edits }, loaded.edits);
      if (restored) toast("The edits are back.");
      else toast("The edits are discarded; the history has them.", { undo: () => this.discard(edits) });
    });
  }

  // Save when the page becomes hidden or is closed. When the page is visible again, load the text that was saved
  // elsewhere.
  async changeVisibility() {
    const { saver, uuid } = this;
    const { etag } = saver;
    this.keepWaitingText();
    if (document.visibilityState === "hidden") return saver.save({ signInAgain: false });
    const stopIfDeleted = async (/** @type {any} */ error) => {
      if (error.status === 404) await this.stopSaving(error);
    };
    const loaded = this.article && (await articles.loadArticle(uuid).catch(stopIfDeleted));
    if (loaded && this.refusal) this.set({ refusal: null });
    if (!loaded || loaded.etag === etag) return;
    await this.refreshTerms();
    const isUntouched = saver.state === "saved" && saver.etag === etag && !this.busy;
    if (isUntouched) this.startFrom(loaded);
  }

  /** The article was deleted or hidden. A text with changes is refused, and kept in this browser. @param {any} error */
  async stopSaving(error) {
    if (!this.saver.isDirty) this.set({ refusal: await explainRefusal(error).catch((explained) => explained) });
    else await this.saver.save();
  }

  /** Restore the deleted article, and merge its text with this one. */
  async restore() {
    await this.act("restore", async () => {
      const { data } = await post(`${articles.getPath(this.uuid)}restore/`);
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
    const options = { ...articles.WHOLE, etag, keepalive: true, signInAgain: false };
    noteLeftItem(this.uuid);
    post(`${articles.getCopyPath(this.uuid)}publish/`, { status: "draft" }, options).catch(() => {});
  }
}

/** The name of a version in the history. @param {string} person "" for the user @param {any} time */
const nameVersion = (person, time) => `${person || session().user.username}, ${formatTime(time)}`;
