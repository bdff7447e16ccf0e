/**
 * Lists of options below a field. The focus stays in the field, whose aria-activedescendant names the chosen option.
 */

/**
 * Return the index of the option to which an arrow key moves; undefined for other keys, and without options.
 * @param {KeyboardEvent} event @param {number} at @param {number} count
 */
export function getNextIndex({ key, isComposing }, at, count) {
  const step = { ArrowDown: 1, ArrowUp: count - 1 }[key];
  return isComposing || step === undefined || !count ? undefined : (at + step) % count;
}
