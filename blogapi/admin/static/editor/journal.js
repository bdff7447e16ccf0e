// Keeps texts that are not saved yet in this browser: one entry per article and tab. No imports, no DOM.

const PREFIX = "blogapi.journal.";
const MAX_AGE = 30 * 24 * 3600 * 1000;

export class Journal {
  // Whether the last text could be kept: the storage of a browser can be full or switched off.
  keeps = true;
  #timer = 0;
  #pending = null;

  // `user` is the uuid of the user who writes: others in the same browser are not offered the text.
  constructor(user) {
    this.user = user;
    this.tab = Math.random().toString(36).slice(2);
  }

  // Keep this document soon; `etag` is the state of the article that it is based on.
  write(article, document, etag) {
    this.#pending = { article, document, etag, user: this.user, time: Date.now() };
    this.#timer ||= setTimeout(() => this.flush(), 300);
  }

  // Keep the latest document now.
  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const entry = this.#pending;
    this.#pending = null;
    const keep = () => localStorage.setItem(this.#key(entry.article), JSON.stringify(entry)) ?? true;
    if (entry) this.keeps = attempt(keep);
  }

  // Forget the text of this tab, because it is saved.
  clear(article) {
    this.#pending = null;
    attempt(() => localStorage.removeItem(this.#key(article)));
  }

  // Return the entries of this article that `isSaved` does not know, latest first, and forget the others.
  find(article, isSaved) {
    const entries = listEntries().filter((entry) => entry.article === article && entry.user === this.user);
    entries.filter((entry) => isSaved(entry.document)).forEach(discard);
    return entries.filter((entry) => !isSaved(entry.document)).sort((a, b) => b.time - a.time);
  }

  #key(article) {
    return `${PREFIX}${article}.${this.tab}`;
  }
}

// Forget an entry.
export function discard(entry) {
  attempt(() => localStorage.removeItem(entry.key));
}

// Return {article, title, changed, words} of each text that is kept; `article` is a uuid or "new".
export function keptTexts() {
  return listEntries().map(({ article, document, time }) => ({
    article,
    title: document.title,
    changed: new Date(time),
    words: document.content.split(/\s+/).filter(Boolean).length,
  }));
}

function listEntries() {
  const keys = attempt(() => Object.keys(localStorage)) || [];
  const entries = keys.filter((key) => key.startsWith(PREFIX)).map((key) => ({ ...read(key), key }));
  entries.filter((entry) => !(Date.now() - entry.time < MAX_AGE)).forEach(discard);
  return entries.filter((entry) => Date.now() - entry.time < MAX_AGE);
}

function read(key) {
  return attempt(() => JSON.parse(localStorage.getItem(key)));
}

function attempt(action) {
  try {
    return action();
  } catch {
    return false;
  }
}
