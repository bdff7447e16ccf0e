/** Saves edits with one request at a time, and reports the state of the edits. */

const [IDLE_MS, MAX_WAIT_MS, SLOW_MS] = [1500, 10_000, 400];
const RETRY_SECONDS = [2, 5, 10, 20, 30];
// Browsers refuse requests with `keepalive` of more than 64 kB.
const MAX_KEEPALIVE_BYTES = 60_000;
const MAX_SENT_EDITS = 6;

/**
 * The state of the edits; it is "saving" only if a request takes longer than SLOW_MS.
 *
 * @typedef {"saved" | "unsaved" | "saving" | "offline" | "conflict" | "refused"} SaveState
 * @typedef {string | null} Etag
 * @typedef {{etag: Etag, keepalive: boolean, signInAgain: boolean}} SendOptions
 */

/**
 * The interface that the Saver needs from a page. sendEdits() stores edits and returns their ETag. findSentEdits()
 * returns the edits on the server if the page has sent them. showSaveState() is called after each change of the state.
 *
 * @template T
 * @typedef {{edits: T, sendEdits: (edits: T, options: SendOptions) => Promise<Etag>,
 *   showSaveState: (state: SaveState) => void,
 *   findSentEdits: (sent: T[]) => Promise<{etag: Etag, edits: T} | null | undefined | false>}} SaverPage
 */

/** @template T */
export class Saver {
  /** @type {SaveState} */
  state = "saved";
  /** The error of the states offline, conflict and refused. @type {any} */
  problem = null;
  /** The text on the server as JSON, its ETag, and when it was saved; null: never. @type {string} */
  stored = "";
  /** @type {Etag} */
  etag = null;
  /** @type {string | Date | null} */
  time = null;
  /** @type {Promise<boolean> | null} */
  #pendingSave = null;
  #unsavedSince = 0;
  // The number of failed attempts; after a failure, the next attempt is scheduled.
  #failures = 0;
  /**
   * The edits that were sent since the last confirmed save, newest first; the server may have any of them.
   * @type {T[]}
   */
  #sentEdits = [];

  /** @param {SaverPage<T>} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Start with the edits on the server, their ETag, and the time when they were saved (null: never).
   * @param {T} edits @param {Etag} etag @param {string | Date | null} [time]
   */
  setStoredEdits(edits, etag, time) {
    clearTimeout(this.timer);
    this.#acceptEdits(edits, etag, time);
    this.#setState(this.isDirty ? "unsaved" : "saved");
    this.handleEdit();
  }

  get isDirty() {
    return JSON.stringify(this.page.edits) !== this.stored;
  }

  // Schedule a save; the page calls this after each edit.
  handleEdit() {
    if (this.#failures || this.state === "conflict") return;
    const { isDirty } = this;
    const state = isDirty ? "unsaved" : "saved";
    if (state !== this.state && this.state !== "saving") this.#setState(state);
    if (!isDirty) return;
    this.#unsavedSince ||= Date.now();
    this.#scheduleSave(Math.max(0, Math.min(IDLE_MS, this.#unsavedSince + MAX_WAIT_MS - Date.now())));
  }

  // Save now, including edits made during the request; return whether all edits are stored.
  async saveEdits({ signInAgain = true } = {}) {
    clearTimeout(this.timer);
    if (this.state === "conflict") return false;
    this.#pendingSave ??= this.#sendUntilSaved(signInAgain).finally(() => (this.#pendingSave = null));
    return this.#pendingSave;
  }

  /** @param {boolean} signInAgain */
  async #sendUntilSaved(signInAgain) {
    const slow = setTimeout(() => this.#setState("saving"), SLOW_MS);
    try {
      while (this.isDirty) await this.#sendEdits(this.page.edits, signInAgain);
      // Nothing is sent if the author has undone the edits since a failure.
      this.#failures = this.#unsavedSince = 0;
      this.#setState("saved");
      return true;
    } catch (error) {
      this.#handleError(error);
      return false;
    } finally {
      clearTimeout(slow);
    }
  }

  /** @param {T} edits @param {boolean} signInAgain */
  async #sendEdits(edits, signInAgain) {
    const keepalive = new Blob([JSON.stringify(edits)]).size <= MAX_KEEPALIVE_BYTES;
    this.#sentEdits = [edits, ...this.#sentEdits].slice(0, MAX_SENT_EDITS);
    try {
      this.#acceptEdits(edits, await this.page.sendEdits(edits, { etag: this.etag, keepalive, signInAgain }));
    } catch (error) {
      // If the response to an earlier request was lost, the new ETag on the server belongs to edits of this page.
      const sentEdits = [...this.#sentEdits, JSON.parse(this.stored)];
      const own = /** @type {any} */ (error).status === 412 && (await this.page.findSentEdits(sentEdits));
      if (!own) throw error;
      this.#acceptEdits(own.edits, own.etag);
    }
  }

  /** @param {T} edits @param {Etag} etag @param {string | Date | null} [time] */
  #acceptEdits(edits, etag, time = new Date()) {
    Object.assign(this, { stored: JSON.stringify(edits), etag, time });
    this.#failures = this.#unsavedSince = 0;
    this.#sentEdits = [];
  }

  /** @param {any} error */
  #handleError(error) {
    const { status, retryAfter } = error;
    const isFinal = status && status !== 429 && status < 500;
    this.#failures = isFinal ? 0 : this.#failures + 1;
    this.#setState(status === 412 ? "conflict" : status ? "refused" : "offline", error);
    if (isFinal) return;
    const seconds = RETRY_SECONDS[Math.min(this.#failures, RETRY_SECONDS.length) - 1];
    this.#scheduleSave((retryAfter ?? seconds) * 1000);
  }

  /** @param {number} milliseconds */
  #scheduleSave(milliseconds) {
    clearTimeout(this.timer);
    // An automatic save does not ask an author again who has closed the sign-in dialog.
    this.timer = setTimeout(() => this.saveEdits({ signInAgain: this.problem?.status !== 401 }), milliseconds);
  }

  /** @param {SaveState} state */
  #setState(state, problem = this.problem) {
    Object.assign(this, { state, problem: state === "saved" ? null : problem });
    this.page.showSaveState(state);
  }
}
