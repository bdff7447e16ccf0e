/** Saves edits with one request at a time, and reports what is saved. */

const [IDLE_MS, MAX_WAIT_MS, SLOW_MS] = [1500, 10_000, 400];
const RETRY_SECONDS = [2, 5, 10, 20, 30];
// Browsers refuse requests with `keepalive` of more than 64 kB.
const MAX_KEEPALIVE = 60_000;
const MAX_SENT = 6;

/**
 * The state of the edits; "saving" only if the request takes long.
 *
 * @typedef {"saved" | "unsaved" | "saving" | "offline" | "conflict" | "refused"} State
 * @typedef {string | null} Etag
 * @typedef {{etag: Etag, keepalive: boolean, signInAgain: boolean}} SendOptions
 */

/**
 * The interface that the Saver needs from a page. send() stores edits and returns their ETag. findSentEdits()
 * returns the edits that the server has, if they are among those that were sent. showState() is called after
 * each change.
 *
 * @template T
 * @typedef {{edits: T, send: (edits: T, options: SendOptions) => Promise<Etag>, showState: (state: State) => void,
 *   findSentEdits: (sent: T[]) => Promise<{etag: Etag, edits: T} | null | undefined | false>}} SaverPage
 */

/** @template T */
export class Saver {
  /** @type {State} */
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
  #running = null;
  #since = 0;
  // The number of failed tries; with one or more, the next try is scheduled.
  #failures = 0;
  /** The edits sent since the last confirmed save, newest first; any of them may be stored. @type {T[]} */
  #sent = [];

  /** @param {SaverPage<T>} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Begin with what the server has, its ETag, and the time when it was saved (null: never).
   * @param {T} edits @param {Etag} etag @param {string | Date | null} [time]
   */
  start(edits, etag, time) {
    clearTimeout(this.timer);
    this.#accept(edits, etag, time);
    this.#set(this.isDirty ? "unsaved" : "saved");
    this.edited();
  }

  get isDirty() {
    return JSON.stringify(this.page.edits) !== this.stored;
  }

  // Call this after each edit: a changed text is saved after a pause.
  edited() {
    if (this.#failures || this.state === "conflict") return;
    const { isDirty } = this;
    const state = isDirty ? "unsaved" : "saved";
    if (state !== this.state && this.state !== "saving") this.#set(state);
    if (!isDirty) return;
    this.#since ||= Date.now();
    this.#schedule(Math.max(0, Math.min(IDLE_MS, this.#since + MAX_WAIT_MS - Date.now())));
  }

  // Save now, including text that is typed during the request; return whether everything is stored.
  async save({ signInAgain = true } = {}) {
    clearTimeout(this.timer);
    if (this.state === "conflict") return false;
    this.#running ??= this.#run(signInAgain).finally(() => (this.#running = null));
    return this.#running;
  }

  /** @param {boolean} signInAgain */
  async #run(signInAgain) {
    const slow = setTimeout(() => this.#set("saving"), SLOW_MS);
    try {
      while (this.isDirty) await this.#send(this.page.edits, signInAgain);
      this.#set("saved");
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    } finally {
      clearTimeout(slow);
    }
  }

  /** @param {T} edits @param {boolean} signInAgain */
  async #send(edits, signInAgain) {
    const keepalive = new Blob([JSON.stringify(edits)]).size <= MAX_KEEPALIVE;
    this.#sent = [edits, ...this.#sent].slice(0, MAX_SENT);
    try {
      this.#accept(edits, await this.page.send(edits, { etag: this.etag, keepalive, signInAgain }));
    } catch (error) {
      // If the response to an earlier request was lost, the server has edits that this page sent.
      const sentEdits = [...this.#sent, JSON.parse(this.stored)];
      const own = /** @type {any} */ (error).status === 412 && (await this.page.findSentEdits(sentEdits));
      if (!own) throw error;
      this.#accept(own.edits, own.etag);
    }
  }

  /** @param {T} edits @param {Etag} etag @param {string | Date | null} [time] */
  #accept(edits, etag, time = new Date()) {
    Object.assign(this, { stored: JSON.stringify(edits), etag, time });
    this.#failures = this.#since = 0;
    this.#sent = [];
  }

  /** @param {any} error */
  #fail(error) {
    const { status, retryAfter } = error;
    const isFinal = status && status !== 429 && status < 500;
    this.#failures = isFinal ? 0 : this.#failures + 1;
    this.#set(status === 412 ? "conflict" : status ? "refused" : "offline", error);
    if (isFinal) return;
    const seconds = RETRY_SECONDS[Math.min(this.#failures, RETRY_SECONDS.length) - 1];
    this.#schedule((retryAfter ?? seconds) * 1000);
  }

  /** @param {number} milliseconds */
  #schedule(milliseconds) {
    clearTimeout(this.timer);
    // If the author has put off signing in, an automatic save does not ask again.
    this.timer = setTimeout(() => this.save({ signInAgain: this.problem?.status !== 401 }), milliseconds);
  }

  /** @param {State} state */
  #set(state, problem = this.problem) {
    Object.assign(this, { state, problem: state === "saved" ? null : problem });
    this.page.showState(state);
  }
}
