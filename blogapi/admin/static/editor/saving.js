// Saves a document with one request at a time, and reports what is saved.

const [IDLE_MS, MAX_WAIT_MS] = [1500, 10_000];
const RETRY_SECONDS = [2, 5, 10, 20, 30];
// Browsers refuse requests with `keepalive` of more than 64 kB.
const MAX_KEEPALIVE = 60_000;

export class Saver {
  // One of: saved, unsaved, saving, offline, conflict, refused. `problem` is the error of the last three.
  state = "saved";
  #running = null;
  #again = false;
  #since = 0;
  #failures = 0;
  #unsure = [];

  // `read()` returns the document. `send(document, {etag, keepalive, signInAgain})` stores it and returns the
  // new `etag`, and `stored` if that is another document. After a 412, `isOwn(documents)` returns
  // {etag, document} if the server has one of these, which this page sent. `changed(state)` is called after
  // each change.
  constructor(callbacks) {
    Object.assign(this, callbacks);
  }

  // Begin with the document that the server has, and its ETag.
  start(document, etag) {
    this.#accept(document, etag);
    clearTimeout(this.timer);
    this.#set(this.isDirty ? "unsaved" : "saved");
    this.edited();
  }

  get isDirty() { return JSON.stringify(this.read()) !== this.stored; }
  get isBusy() { return this.#running !== null; }
  get #isShort() { return new Blob([JSON.stringify(this.read())]).size <= MAX_KEEPALIVE; }

  // Call this after each edit: a changed document is saved after a pause.
  edited() {
    const state = this.isDirty ? "unsaved" : "saved";
    if (state !== this.state && ["saved", "unsaved", "refused"].includes(this.state)) this.#set(state);
    if (!this.isDirty || this.state === "conflict" || this.state === "offline") return;
    this.#since ||= Date.now();
    this.#schedule(Math.max(0, Math.min(IDLE_MS, this.#since + MAX_WAIT_MS - Date.now())));
  }

  // Save now, and return whether the document is stored. Calls during a save wait for it and join the next.
  save({ signInAgain = true } = {}) {
    clearTimeout(this.timer);
    this.#again = true;
    this.#running ??= this.#run(signInAgain).finally(() => {
      this.#running = null;
      if (this.state === "unsaved") this.edited();
    });
    return this.#running;
  }

  // Send what is not saved with a request that outlives the page, if it is short enough.
  leave() {
    if (this.state !== "conflict" && this.isDirty && this.#isShort) this.save({ signInAgain: false });
  }

  async #run(signInAgain) {
    while (this.#again && this.state !== "conflict" && this.isDirty) {
      this.#again = false;
      const document = this.read();
      this.#set("saving");
      try {
        const options = { etag: this.etag, keepalive: this.#isShort, signInAgain };
        const { etag, stored = document } = await this.send(document, options);
        this.#accept(stored, etag);
      } catch (error) {
        if (!(await this.#recover(error, document))) return false;
      }
    }
    if (this.state !== "conflict") this.#set(this.isDirty ? "unsaved" : "saved");
    return this.state === "saved";
  }

  #accept(document, etag) {
    this.stored = JSON.stringify(document);
    this.etag = etag;
    this.#failures = this.#since = 0;
    this.#unsure = [];
  }

  async #recover(error, sent) {
    try {
      // If the response to an earlier request was lost, the server has a document that this page sent.
      const documents = [sent, ...this.#unsure, JSON.parse(this.stored)];
      const own = error.status === 412 && (await this.isOwn(documents));
      if (own) {
        this.#accept(own.document, own.etag);
        this.#again = true;
        return true;
      }
    } catch (other) {
      error = other;
    }
    this.#set(error.status === 412 ? "conflict" : error.status ? "refused" : "offline", error);
    if (error.status && error.status !== 429 && error.status < 500) return false;
    this.#unsure = [sent, ...this.#unsure].slice(0, 5);
    const seconds = RETRY_SECONDS[Math.min(this.#failures, RETRY_SECONDS.length - 1)];
    this.#failures += 1;
    this.#schedule((error.retryAfter ?? seconds) * 1000);
    return false;
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
