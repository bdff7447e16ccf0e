/** JSON values in the storage of the browser, which can be full or switched off. */

/** Return the value of a key, or undefined. @param {string} key @returns {any} */
export const getItem = (key) => attempt(() => JSON.parse(localStorage.getItem(key) ?? "null")) ?? undefined;

/**
 * Store the value of a key; return whether that was possible.
 * @param {string} key @param {unknown} value @returns {boolean}
 */
export const setItem = (key, value) => attempt(() => localStorage.setItem(key, JSON.stringify(value)) ?? true) ?? false;

/** @param {string} key */
export const removeItem = (key) => attempt(() => localStorage.removeItem(key));

/** Return the keys with this prefix. @param {string} prefix @returns {string[]} */
export const listKeys = (prefix) =>
  attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? [];

/** @template T @param {() => T} action */
function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
