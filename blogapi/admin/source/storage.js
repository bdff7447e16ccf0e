/** Stores JSON values in the storage of the browser, which can be full or switched off. */

/** Return the value of a key, or undefined. @param {string} key @returns {any} */
export const getItem = (key) => callSafely(() => JSON.parse(localStorage.getItem(key) ?? "null")) ?? undefined;

/**
 * Store the value of a key; return whether the browser has stored it.
 * @param {string} key @param {unknown} value @returns {boolean}
 */
export const setItem = (key, value) =>
  callSafely(() => localStorage.setItem(key, JSON.stringify(value)) ?? true) ?? false;

/** @param {string} key */
export const removeItem = (key) => callSafely(() => localStorage.removeItem(key));

/** Return the keys with this prefix. @param {string} prefix @returns {string[]} */
export const listKeys = (prefix) =>
  callSafely(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? [];

/** Return the result of the action, or undefined if it fails. @template T @param {() => T} action */
function callSafely(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
