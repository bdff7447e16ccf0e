// Keeps texts that are not saved yet in this browser: one entry per article and tab. No imports, no DOM.

const PREFIX = "blogapi.journal.";
const MAX_AGE = 30 * 24 * 3600 * 1000;

export class Journal {
  // Whether the last text could be kept: the storage of a browser can be full or switched off.
  keeps = true;
  #tab = Math.random().toString(36).slice(2);

  // `user` is the uuid of the user who writes: the text is not offered to other users of the same browser.
  constructor(user) {
    this.user = user;
  }

  // Keep this document soon; `etag` is the state of the article that it is based on.
  write(article, document, etag) {
    this.pending = { article, document, etag, user: this.user, time: Date.now() };
    this.timer ??= setTimeout(() => this.flush(), 300);
  }

  // Keep the latest document now.
  flush() {
    const { pending: entry } = this;
    this.#stop();
    const keep = () => localStorage.setItem(this.#key(entry.article), JSON.stringify(entry));
    if (entry) this.keeps = attempt(keep) !== false;
  }

  // Delete the text of this tab, because it is saved.
  clear(article) {
    this.#stop();
    discard({ key: this.#key(article) });
  }

  // Return the entries of this article that are not saved, latest first, and delete the others.
  find(article, isSaved) {
    const entries = list().filter((entry) => entry.article === article && entry.user === this.user);
    for (const entry of entries) if (isSaved(entry.document)) discard(entry);
    return entries.filter((entry) => !isSaved(entry.document)).sort((a, b) => b.time - a.time);
  }

  #stop() {
    clearTimeout(this.timer);
    this.timer = this.pending = null;
  }

  #key(article) { return `${PREFIX}${article}.${this.#tab}`; }
}

// Delete an entry.
export const discard = ({ key }) => attempt(() => localStorage.removeItem(key));

// Return {article, title, changed, words} of each text of this user; `article` is a uuid or "new".
export function keptTexts(of) {
  const own = list().filter(({ user }) => user === of);
  return own.map(({ article, document: { title, content }, time }) => {
    return { article, title, changed: new Date(time), words: content.split(/\s+/).filter(Boolean).length };
  });
}

function list() {
  const keys = (attempt(() => Object.keys(localStorage)) || []).filter((key) => key.startsWith(PREFIX));
  const entries = keys.map((key) => ({ ...attempt(() => JSON.parse(localStorage.getItem(key))), key }));
  for (const entry of entries) if (!isFresh(entry)) discard(entry);
  return entries.filter(isFresh);
}

const isFresh = ({ time }) => Date.now() - time < MAX_AGE;

function attempt(action) {
  try {
    return action();
  } catch {
    return false;
  }
}
