/** The options that <term-picker> offers while the user types. */

/**
 * An option: a term, a new term (isNew), or several terms at once.
 *
 * @typedef {{name: string, uuid?: string, articles_by_status?: Record<string, number>, isNew?: boolean,
 *   terms?: TermOption[]}} TermOption
 */

const MAX_OPTIONS = 50;
const normalizeName = (/** @type {string} */ text) => text.trim().toLowerCase();

// Return the rank of a name: 0 if it equals the words, 1 if it begins with them, 2 if one of its words begins with
// them, 3 if it contains them, otherwise 4.
/** @param {string} name @param {string} words */
function getRank(name, words) {
  const folded = normalizeName(name);
  if (folded === words) return 0;
  if (folded.startsWith(words)) return 1;
  return folded.includes(` ${words}`) ? 2 : folded.includes(words) ? 3 : 4;
}

/**
 * Return the options, and the index of the option that Enter chooses: a name that equals or begins with the words,
 * otherwise the new term. For "a, b", the option has both terms. free: the terms that can be chosen; all: all terms.
 * @param {string} text @param {{free: Term[], all: Term[], canCreate?: boolean, isSingle?: boolean}} options
 * @returns {{options: TermOption[], at: number}}
 */
export function listOptions(text, { free, all, canCreate = false, isSingle = false }) {
  const names = isSingle ? [] : splitNames(text);
  const findTerm = (/** @type {string} */ name) => all.find((term) => normalizeName(term.name) === normalizeName(name));
  if (names.length > 1) {
    const terms = names.flatMap((name) => findTerm(name) ?? (canCreate ? { name, isNew: true } : []));
    return { options: terms.length ? [{ name: terms.map(({ name }) => name).join(", "), terms }] : [], at: 0 };
  }
  const words = normalizeName(names[0] ?? text);
  const ranked = free.map((term) => ({ term, rank: getRank(term.name, words) })).filter(({ rank }) => rank < 4);
  ranked.sort((a, b) => a.rank - b.rank);
  const found = ranked.slice(0, MAX_OPTIONS).map(({ term }) => term);
  if (!words || !canCreate || findTerm(words)) return { options: found, at: 0 };
  const at = ranked.length && ranked[0].rank < 2 ? 0 : found.length;
  return { options: [...found, { isNew: true, name: (names[0] ?? text).trim() }], at };
}

/** Return the names in a text such as "a, b, c", without duplicates. @param {string} text */
function splitNames(text) {
  const names = text.split(",").flatMap((name) => name.trim() || []);
  return names.filter((name, at) => names.findIndex((other) => normalizeName(other) === normalizeName(name)) === at);
}
