/**
 * The commands for tables of a Markdown text, as pure functions. A command takes a table of findTable(), and returns
 * the change of the text, as the commands of markdown.js do.
 */

import { isInCode } from "./links.js";

/**
 * row and column: the position of the cursor; row 0 is the head. isInCell: whether the cursor is in a cell, and not in
 * the line of dashes or before the first "|". aligns: the first and the last character of the dashes of each column,
 * such as "-:".
 *
 * @typedef {TextRange & {text: string, end: number}} Cell the range of the words; end: the offset of the "|" after them
 * @typedef {TextRange & {rows: Cell[][], aligns: string[], row: number, column: number, isInCell: boolean}} Table
 */

// Columns are padded up to this width: padding to a longer cell would wrap the lines of all rows.
const MAX_WIDTH = 40;
const ROW_PATTERN = /^\|(?:(?:\\.|[^\\|])*\|)+[ \t]*$/;
const CELL_PATTERN = /(?<=\|)((?:\\.|[^\\|])*)\|/g;
const DELIMITER_PATTERN = /^:?-+:?$/;
// The lines that may be directly above and below a table: empty lines and headings.
const NEIGHBOUR_PATTERN = /^(?:\s*$|#{1,6}\s)/;
/**
 * Return the table at an offset, or null. Each line of the table must begin and end with "|" and have as many cells as
 * the first line, and the second line must consist of dashes. Tables in quotes, lists and code are not found.
 * @param {string} text @param {number} offset @returns {Table | null}
 */
export function findTable(text, offset) {
  const lineStart = text.slice(0, offset).lastIndexOf("\n") + 1;
  // Texts can be long, and this function is called whenever the cursor moves.
  if (text[lineStart] !== "|") return null;
  const lines = text.split("\n");
  const number = text.slice(0, offset).split("\n").length - 1;
  const isRow = (/** @type {number} */ n) => ROW_PATTERN.test(lines[n] ?? "");
  if (!isRow(number)) return null;
  let [first, last] = [number, number];
  while (isRow(first - 1)) first -= 1;
  while (isRow(last + 1)) last += 1;
  const from = lines.slice(0, first).join("\n").length + (first ? 1 : 0);
  let to = from - 1;
  const splitRow = (/** @type {string} */ line) => {
    const start = to + 1;
    to = start + line.length;
    return [...line.matchAll(CELL_PATTERN)].map(({ 1: cell, index }) => {
      const words = cell.trim();
      const begin = start + index + (words ? cell.indexOf(words) : Math.min(1, cell.length));
      return { text: words, from: begin, to: begin + words.length, end: start + index + cell.length };
    });
  };
  const [head, delimiters, ...body] = lines.slice(first, last + 1).map(splitRow);
  const isWhole = [delimiters, ...body].every((row) => row?.length === head.length);
  const isOdd = !isWhole || !delimiters.every((cell) => DELIMITER_PATTERN.test(cell.text)) || isInCode(text, from);
  if (isOdd || ![lines[first - 1], lines[last + 1]].every((line) => NEIGHBOUR_PATTERN.test(line ?? ""))) return null;
  const found = [head, delimiters, ...body][number - first].findIndex(({ end }) => offset <= end);
  return {
    ...{ from, to, rows: [head, ...body], aligns: delimiters.map(({ text }) => `${text[0]}${text.at(-1)}`) },
    row: Math.max(0, number - first - 1),
    column: found < 0 ? head.length - 1 : found,
    isInCell: found >= 0 && offset > lineStart && number !== first + 1,
  };
}

/**
 * Return the Markdown of a table with aligned columns.
 * @param {string[][]} rows @param {string[]} aligns
 */
export function formatTable(rows, aligns) {
  const countCharacters = (/** @type {string} */ words) => [...words].length;
  const widths = aligns.map((_, n) => Math.min(MAX_WIDTH, Math.max(3, ...rows.map((row) => countCharacters(row[n])))));
  const padCell = (/** @type {string} */ words, /** @type {number} */ n) => {
    const space = Math.max(0, widths[n] - countCharacters(words));
    const before = { "-:": space, "::": Math.floor(space / 2) }[aligns[n]] ?? 0;
    return " ".repeat(before) + words + " ".repeat(space - before);
  };
  const [head, ...body] = rows.map((row) => row.map(padCell));
  const dashes = aligns.map((align, n) => `${align[0]}${"-".repeat(widths[n] - 2)}${align[1]}`);
  return [head, dashes, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * Return the change that replaces a table with these rows, and selects a cell.
 * @param {Table} table @param {string[][]} rows @param {string[]} aligns @param {number} row @param {number} column
 * @returns {Change}
 */
function rewriteTable({ from, to }, rows, aligns, row, column) {
  const insert = formatTable(rows, aligns);
  const written = /** @type {Table} */ (findTable(insert, 0));
  const cell = written.rows[Math.min(row, rows.length - 1)][Math.min(column, aligns.length - 1)];
  return { from, to, insert, selectFrom: from + cell.from, selectTo: from + cell.to };
}

/** @param {Table} table */
const listCellTexts = ({ rows }) => rows.map((row) => row.map(({ text }) => text));

/** Return the change that adds a row below the row of the cursor, and selects its first cell. @param {Table} table */
export function addRow(table) {
  const { aligns, row } = table;
  const empty = aligns.map(() => "");
  return rewriteTable(table, listCellTexts(table).toSpliced(row + 1, 0, empty), aligns, row + 1, 0);
}

/** Return the change that adds a column after the column of the cursor. @param {Table} table */
export function addColumn(table) {
  const { aligns, row, column } = table;
  const rows = listCellTexts(table).map((cells) => cells.toSpliced(column + 1, 0, ""));
  return rewriteTable(table, rows, aligns.toSpliced(column + 1, 0, "--"), row, column + 1);
}

/** @param {Table} table @param {string} align */
export const alignColumn = (table, align) =>
  rewriteTable(table, listCellTexts(table), table.aligns.with(table.column, align), table.row, table.column);

/**
 * Return the change that deletes the row of the cursor. If the row is the head, the row below becomes the head.
 * @param {Table} table @param {string} text
 */
export function deleteRow(table, text) {
  const { rows, aligns, row, column } = table;
  if (rows.length === 1) return deleteTable(table, text);
  return rewriteTable(table, listCellTexts(table).toSpliced(row, 1), aligns, row, column);
}

/** @param {Table} table @param {string} text */
export function deleteColumn(table, text) {
  const { aligns, row, column } = table;
  if (aligns.length === 1) return deleteTable(table, text);
  const rows = listCellTexts(table).map((cells) => cells.toSpliced(column, 1));
  return rewriteTable(table, rows, aligns.toSpliced(column, 1), row, column);
}

/**
 * Return the change that deletes the table and the empty line below it.
 * @param {Table} table @param {string} text @returns {Change}
 */
export function deleteTable({ from, to }, text) {
  const end = to + (/^\n{0,2}/.exec(text.slice(to))?.[0].length ?? 0);
  return { from, to: end, insert: "", selectFrom: from, selectTo: from };
}

/**
 * Return the change that selects the next cell, or for the step -1 the previous cell. After the last cell, it adds a
 * row; before the first cell, return null.
 * @param {Table} table @param {1 | -1} step @returns {Change | null}
 */
export function moveToCell(table, step) {
  const { rows, aligns, row, column } = table;
  const at = row * aligns.length + column + step;
  if (at >= rows.length * aligns.length) return addRow(table);
  const cell = rows.flat()[at];
  return cell ? { from: cell.from, to: cell.from, insert: "", selectFrom: cell.from, selectTo: cell.to } : null;
}

/**
 * Return the text for a cell: on one line, and with a backslash before each "|" that has none.
 * @param {string} text @param {string} before the text before it, which can end with a backslash
 */
export function escapeCellText(text, before) {
  const [slashes] = /\\*$/.exec(before) ?? [""];
  const line = text.trim() && text.includes("\n") ? text.trim().replace(/\s*\n\s*/g, " ") : text;
  return (slashes + line).replace(/\\.|\|/g, (part) => (part === "|" ? "\\|" : part)).slice(slashes.length);
}
