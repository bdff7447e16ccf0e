/** JSON values in the storage of the browser, which can be full or switched off. */

/** Return the value of a key, or undefined. */
export const read = (key) => attempt(() => JSON.parse(localStorage.getItem(key))) ?? undefined;

/** Store the value of a key; return whether that was possible. */
export const write = (key, value) => attempt(() => localStorage.setItem(key, JSON.stringify(value)) ?? true) ?? false;

export const remove = (key) => attempt(() => localStorage.removeItem(key));

/** Return the keys with this beginning. */
export const listKeys = (prefix) =>
  attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? [];

function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
