/** Describes what is wrong with a regular expression. */

// The errors of browsers for a faulty regular expression, and the messages for the author.
/** @type {[RegExp, string][]} */
const FAULTS = [
  [/unmatched|unopened/i, "The ) was not opened"],
  [/class|\]/i, "The [ is not closed"],
  [/group|parenthe|missing \)/i, "The ( is not closed"],
  [/nothing to repeat/i, "There is nothing before * + or ?"],
  [/\\ at end|trailing|at the end/i, "A character is missing after \\"],
];

/** Return what is wrong with a regular expression, or "". @param {string} source */
export function explainPattern(source) {
  try {
    new RegExp(source, "u");
    return "";
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const reason = message.slice(message.lastIndexOf(": ") + 1);
    return FAULTS.find(([pattern]) => pattern.test(reason))?.[1] ?? "This is no regular expression";
  }
}
