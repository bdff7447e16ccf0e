// Saves a document, one request at a time, and says truthfully what is saved.

const IDLE = 1500;
const LONGEST = 10_000;
const RETRY = [2, 5, 10, 20, 30];
// Browsers refuse requests with `keepalive` of more than 64 kB, the requests under way included.
const MAX_KEEPALIVE = 60_000;

export class Saver {
  // `state` is one of: saved, unsaved, saving, offline, conflict, refused. `problem` is the last error.
  state = "saved";
  problem = null;
  etag = null;
  stored = "";
  #running = null;
  #again = false;
  #timer = 0;
  #since = 0;
  #failures = 0;
  #signedOut = false;
  #unsure = [];

  // `read` returns the document. `send(document, {etag, keepalive, signInAgain})` stores it and returns the
  // new `etag`, and the document that was stored if it is another one (the creation that a retry repeats).
  // `isOwn(documents)` answers a 412: {etag, document} if the server has one of these, which this page sent.
  // `changed` is called after each change of the state.
  constructor({ read, send, isOwn, changed }) {
    Object.assign(this, { read, send, isOwn, changed });
  }

  // Take this document with this ETag as what the server has.
  start(document, etag) {
    this.stored = JSON.stringify(document);
    this.etag = etag;
    this.#failures = 0;
    clearTimeout(this.#timer);
    this.#set(this.isDirty ? "unsaved" : "saved");
    if (this.isDirty) this.edited();
  }

  get isDirty() {
    return JSON.stringify(this.read()) !== this.stored;
  }

  get isBusy() {
    return this.#running !== null;
  }

  // Note that the document may have changed; it is saved after a pause.
  edited() {
    if (!this.isDirty) {
      if (["unsaved", "refused"].includes(this.state)) this.#set("saved");
      return;
    }
    if (this.state === "saved" || this.state === "refused") this.#set("unsaved");
    if (this.state !== "conflict" && this.state !== "offline") this.#schedule(this.#pause());
  }

  // Save now, and return whether the document is stored. Calls during a save wait for it and join the next.
  save({ signInAgain = true } = {}) {
    clearTimeout(this.#timer);
    this.#again = true;
    this.#running ??= this.#run(signInAgain).finally(() => {
      this.#running = null;
      if (this.state === "unsaved") this.edited();
    });
    return this.#running;
  }

  // Send what is not saved with a request that outlives the page, if it is short enough.
  leave() {
    if (this.isBusy || this.state === "conflict" || !this.isDirty) return;
    const document = this.read();
    if (fitsKeepalive(document)) {
      this.send(document, { etag: this.etag, keepalive: true, signInAgain: false }).catch(() => {});
    }
  }

  async #run(signInAgain) {
    while (this.#again && this.state !== "conflict" && this.isDirty) {
      this.#again = false;
      if (!(await this.#sendOnce(signInAgain))) return false;
    }
    if (this.state === "conflict") return false;
    this.#set(this.isDirty ? "unsaved" : "saved");
    return this.state === "saved";
  }

  async #sendOnce(signInAgain) {
    const document = this.read();
    const options = { etag: this.etag, keepalive: fitsKeepalive(document), signInAgain };
    this.#set("saving");
    try {
      const answer = await this.send(document, options);
      this.#accept(answer.etag, answer.stored ?? document);
      return true;
    } catch (error) {
      return await this.#fail(error, document);
    }
  }

  #accept(etag, document) {
    this.etag = etag;
    this.stored = JSON.stringify(document);
    this.#failures = this.#since = 0;
    this.#signedOut = false;
    this.#unsure = [];
  }

  async #fail(error, sent) {
    if (error.status === 412) {
      // The answer to an earlier request can be lost: then the server has what this page itself sent.
      try {
        const own = await this.isOwn([sent, ...this.#unsure, JSON.parse(this.stored)]);
        if (own) {
          this.#accept(own.etag, own.document);
          this.#again = true;
          return true;
        }
        this.#set("conflict", error);
        return false;
      } catch (other) {
        error = other;
      }
    }
    this.#signedOut = error.status === 401;
    const passes = !error.status || error.status === 429 || error.status >= 500;
    this.#set(error.status ? "refused" : "offline", error);
    if (passes) {
      this.#unsure = [sent, ...this.#unsure].slice(0, 5);
      const seconds = error.retryAfter ?? RETRY[Math.min(this.#failures, RETRY.length - 1)];
      this.#failures += 1;
      this.#schedule(seconds * 1000);
    }
    return false;
  }

  #pause() {
    this.#since ||= Date.now();
    return Math.max(0, Math.min(IDLE, this.#since + LONGEST - Date.now()));
  }

  #schedule(milliseconds) {
    clearTimeout(this.#timer);
    // A login that ended is asked for by the first save; a refused dialog is not opened again by itself.
    this.#timer = setTimeout(() => this.save({ signInAgain: !this.#signedOut }), milliseconds);
  }

  #set(state, problem = null) {
    this.state = state;
    this.problem = problem;
    this.changed(state);
  }
}

function fitsKeepalive(document) {
  return new Blob([JSON.stringify(document)]).size <= MAX_KEEPALIVE;
}
