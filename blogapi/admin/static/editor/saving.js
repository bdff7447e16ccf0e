// Saves a document with one request at a time, and reports what is saved.

const [IDLE_MS, MAX_WAIT_MS, SLOW_MS] = [1500, 10_000, 400];
const RETRY_SECONDS = [2, 5, 10, 20, 30];
// Browsers refuse requests with `keepalive` of more than 64 kB.
const MAX_KEEPALIVE = 60_000;

export class Saver {
  // One of: saved, unsaved, saving (if it takes long), offline, conflict, refused. `problem` is the error of
  // the last three.
  state = "saved";
  #running = null;
  #again = false;
  #since = 0;
  // The number of failed tries; with one or more, the next try is scheduled.
  #failures = 0;
  #unsure = [];

  // `read()` returns the document. `send(document, {etag, keepalive, signInAgain})` stores it and returns its
  // new `etag`. After a 412, `isOwn(documents)` returns {etag, document} if the server has one of these, that
  // this page sent. `changed(state)` is called after each change.
  constructor(callbacks) {
    Object.assign(this, callbacks);
  }

  // Begin with the document that the server has, its ETag, and the time when it was saved (null: never).
  start(document, etag, time) {
    this.#accept(document, etag, time);
    clearTimeout(this.timer);
    this.#set(this.isDirty ? "unsaved" : "saved");
    this.edited();
  }

  get isDirty() { return JSON.stringify(this.read()) !== this.stored; }

  // Call this after each edit: a changed document is saved after a pause.
  edited() {
    if (this.#failures || this.state === "conflict") return;
    const state = this.isDirty ? "unsaved" : "saved";
    if (state !== this.state && this.state !== "saving") this.#set(state);
    if (!this.isDirty) return;
    this.#since ||= Date.now();
    this.#schedule(Math.max(0, Math.min(IDLE_MS, this.#since + MAX_WAIT_MS - Date.now())));
  }

  // Save now, and return whether the document is stored. Calls during a save wait for it and join the next.
  save({ signInAgain = true } = {}) {
    clearTimeout(this.timer);
    this.#again = true;
    if (!this.#running) {
      const slow = setTimeout(() => this.#set("saving"), SLOW_MS);
      this.#running = this.#run(signInAgain).finally(() => {
        clearTimeout(slow);
        this.#running = null;
        if (this.state === "unsaved") this.edited();
      });
    }
    return this.#running;
  }

  async #run(signInAgain) {
    while (this.#again && this.state !== "conflict" && this.isDirty) {
      this.#again = false;
      const document = this.read();
      try {
        await this.#try(document, signInAgain);
      } catch (error) {
        this.#fail(error, document);
        return false;
      }
    }
    if (this.state !== "conflict") this.#set(this.isDirty ? "unsaved" : "saved");
    return this.state === "saved";
  }

  async #try(document, signInAgain) {
    const keepalive = new Blob([JSON.stringify(document)]).size <= MAX_KEEPALIVE;
    try {
      const { etag } = await this.send(document, { etag: this.etag, keepalive, signInAgain });
      this.#accept(document, etag);
    } catch (error) {
      // If the response to an earlier request was lost, the server has a document that this page sent.
      const sent = [document, ...this.#unsure, JSON.parse(this.stored)];
      const own = error.status === 412 && (await this.isOwn(sent));
      if (!own) throw error;
      this.#accept(own.document, own.etag);
      this.#again = true;
    }
  }

  #accept(document, etag, time = new Date()) {
    Object.assign(this, { stored: JSON.stringify(document), etag, time });
    this.#failures = this.#since = 0;
    this.#unsure = [];
  }

  #fail(error, document) {
    const { status, retryAfter } = error;
    const isFinal = status && status !== 429 && status < 500;
    this.#failures = isFinal ? 0 : this.#failures + 1;
    this.#set(status === 412 ? "conflict" : status ? "refused" : "offline", error);
    if (isFinal) return;
    this.#unsure = [document, ...this.#unsure].slice(0, 5);
    const seconds = RETRY_SECONDS[Math.min(this.#failures, RETRY_SECONDS.length) - 1];
    this.#schedule((retryAfter ?? seconds) * 1000);
  }

  #schedule(milliseconds) {
    clearTimeout(this.timer);
    // If the author has put off signing in, an automatic save does not ask again.
    this.timer = setTimeout(() => this.save({ signInAgain: this.problem?.status !== 401 }), milliseconds);
  }

  #set(state, problem = this.problem) {
    Object.assign(this, { state, problem: state === "saved" ? null : problem });
    this.changed(state);
  }
}
