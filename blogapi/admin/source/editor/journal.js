/** Stores the unsaved text of each open editor in this browser. This module does not use the DOM. */

import * as storage from "../storage.js";

const KEY_PREFIX = "blogapi.journal.";
const MAX_ENTRY_AGE_MS = 30 * 24 * 3600 * 1000;

/** Return a random UUID; crypto.randomUUID() exists on https and localhost only. */
export const makeUuid = () =>
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => {
    const [random] = crypto.getRandomValues(new Uint8Array(1));
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16);
  });

/**
 * The entry of an editor: its edits, and the edits on the server (`base`, as JSON) with their ETag. place: "articles"
 * or "pages".
 *
 * @typedef {{place?: string, article: string, isNew: boolean, edits: any, base: string, etag: string | null}} Entry
 * @typedef {Entry & {key: string, user: string, time: number}} KeptEntry
 */

export class Journal {
  // Whether the last text could be stored: the storage of a browser can be full or switched off.
  isKept = true;
  #key = KEY_PREFIX + makeUuid();
  /** @type {Promise<unknown> | undefined} */
  #lock = undefined;

  /**
   * Texts are not offered to other users of the same browser.
   * @param {string} user the uuid of the user who writes
   */
  constructor(user) {
    this.user = user;
  }

  /** @param {Entry} entry */
  writeEntry(entry) {
    // An entry whose lock is held belongs to an open editor: the browser releases the lock when the editor is closed.
    // Browsers offer locks to https and localhost only; elsewhere, findEntries() returns the entries of open editors,
    // too.
    this.#lock ??= navigator.locks?.request(this.#key, () => new Promise(() => {}));
    this.isKept = storage.setItem(this.#key, { ...entry, user: this.user, time: Date.now() });
  }

  // Delete the entry of this editor, when the server has its text.
  deleteEntry() {
    storage.removeItem(this.#key);
  }

  /**
   * Return the entries of editors that were closed, latest first; with `article`, only the entries of this article.
   * @param {string | null} [article]
   */
  async findEntries(article) {
    const { held = [] } = (await navigator.locks?.query()) ?? {};
    const open = [this.#key, ...held.map(({ name }) => name)];
    return listUserEntries(this.user)
      .filter((entry) => (!article || entry.article === article) && !open.includes(entry.key))
      .sort((a, b) => b.time - a.time);
  }
}

/** Delete the entry of a closed editor. @param {{key: string}} entry */
export const deleteKeptEntry = ({ key }) => storage.removeItem(key);

/** @param {string} user @returns {KeptEntry[]} */
function listUserEntries(user) {
  const entries = storage.listKeys(KEY_PREFIX).map((key) => ({ ...storage.getItem(key), key }));
  const isFresh = (/** @type {KeptEntry} */ { time }) => Date.now() - time < MAX_ENTRY_AGE_MS;
  for (const entry of entries) if (!isFresh(entry)) deleteKeptEntry(entry);
  return entries.filter((entry) => isFresh(entry) && entry.edits && entry.user === user);
}
