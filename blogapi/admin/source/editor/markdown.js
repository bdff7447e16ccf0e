/**
 * The commands of the toolbar, as pure functions. A command takes the text with the selection ({text, from, to}), and
 * returns the change of the text ({from, to, insert, selectFrom, selectTo}).
 */

// The beginning of a line, with the mark of a list, a task or a quote if it has one.
const LINE_START = /^(\s*)(?:[-*+] \[[ xX]\] |[-*+] |\d+[.)] |> ?)?/;

/** @type {Record<string, (input: TextInput) => Change>} */
const COMMANDS = {
  bold: (input) => toggleEmphasis(input, "**"),
  italic: (input) => toggleEmphasis(input, "*"),
  heading: (input) => changeLines(input, (lines) => lines.map(changeHeading)),
  link: insertLink,
  code: insertCode,
  list: (input) => toggleLineMarks(input, "- "),
  tasks: (input) => toggleLineMarks(input, "- [ ] "),
  quote: (input) => toggleLineMarks(input, "> "),
  // Two rows and three columns.
  table: (input) => insertBlock(input, "| ", "Name", " | Value | Note |\n| --- | --- | --- |\n|  |  |  |"),
  strike: (input) => replaceSelection(input, "~~", input.text.slice(input.from, input.to), "~~"),
  codeBlock: (input) => replaceWithBlock(input, "```\n", input.text.slice(input.from, input.to), "\n```"),
  callOut: (input) => insertBlock(input, "> [!NOTE]\n> ", "Words"),
  player: (input) => insertBlock(input, "", "https://www.youtube.com/watch?v="),
  divider: (input) => insertBlock(input, "---\n\n"),
  footnote: insertFootnote,
};

/** Return the change that the command makes. @param {string} name @param {TextInput} input */
export const runCommand = (name, input) => COMMANDS[name](input);

/**
 * Return the change that replaces a range with the result of a command.
 * @param {string} name @param {string} text @param {TextRange} range @returns {Change}
 */
export function runCommandInPlace(name, text, { from, to }) {
  const change = runCommand(name, { text: text.slice(0, from) + text.slice(to), from, to: from });
  return { ...change, to: change.to + to - from };
}

/**
 * Return the change that inserts a block after the selection. The block has up to three texts; the second is selected.
 * @param {TextInput} input @param {[string, string?, string?]} parts
 */
export const insertBlock = (input, ...parts) => replaceWithBlock({ ...input, from: input.to }, ...parts);

const BLOCK_BEGINNING = /^(?:#{1,6} |[-*+] |\d+[.)] |> |\||```|~~~|---)/;

/**
 * Return the change that replaces the selection with pasted Markdown. If the Markdown begins or ends with a block, such
 * as a heading or a list, an empty line separates the block from the text around it.
 * @param {TextInput} input @param {string} markdown
 */
export function replaceWithMarkdown(input, markdown) {
  const { text, from, to } = input;
  const parts = markdown.split(/\n\n/);
  const last = parts[parts.length - 1];
  const startsWithBlock = BLOCK_BEGINNING.test(parts[0]);
  const isBlock = (parts.length > 1 || startsWithBlock) && (BLOCK_BEGINNING.test(last) || last.includes("\n```"));
  const before = startsWithBlock ? makeMissingBreaks(text.slice(0, from), /\n{0,2}$/) : "";
  const after = isBlock && to < text.length ? makeMissingBreaks(text.slice(to), /^\n{0,2}/) : "";
  return replaceSelection(input, before + markdown, "", after);
}

/**
 * Return the change that makes the selection a link to this address, or null if the selection cannot be a link.
 * @param {TextInput} input @param {string} address
 */
export function linkSelection(input, address) {
  const chosen = input.text.slice(input.from, input.to);
  if (!chosen.trim() || /\n|\]\(|^https?:\/\/\S+$/.test(chosen) || !/^https?:\/\/\S+$/.test(address)) return null;
  return replaceSelection(input, `[${chosen}](${address.replace(/[()]/g, "\\$&")})`);
}

/**
 * Return the Markdown or HTML that shows a picture; for plain text, the address of the picture.
 * @param {Picture} picture @param {string} format
 */
export function formatPicture({ uuid, url, alt }, format) {
  if (format === "text") return new URL(url, globalThis.location?.href).href;
  if (format !== "html") return `![${alt.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&")}](media:${uuid})`;
  return `<img src="media:${uuid}" alt="${alt.replace(/&/g, "&amp;").replace(/"/g, "&quot;")}">`;
}

/** Return the text with spaces in place of blocks of code. @param {string} text */
export const hideCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, (block) => " ".repeat(block.length));

/** Return the number of open tasks, and the range of the first one. @param {string} text */
export function findOpenTasks(text) {
  const found = [...hideCode(text).matchAll(/^\s*(?:[-*+]|\d+[.)]) \[ \]/gm)];
  const { index: from = 0, 0: mark = "" } = found[0] ?? {};
  return { count: found.length, from, to: from + mark.length };
}

/**
 * Return the change that replaces a range with three texts, and selects the second text.
 * @param {TextRange} range @param {string} before @returns {Change}
 */
function replaceSelection({ from, to }, before, middle = "", after = "") {
  const start = from + before.length;
  return { from, to, insert: before + middle + after, selectFrom: start, selectTo: start + middle.length };
}

/** Return the length of the first match of a pattern, or 0. @param {string} text @param {RegExp} pattern */
const getMatchLength = (text, pattern) => text.match(pattern)?.[0].length ?? 0;

/**
 * Return the line breaks that must be added for an empty line between a text and a block beside it. breaks: matches the
 * line breaks that the text has.
 * @param {string} beside @param {RegExp} breaks
 */
const makeMissingBreaks = (beside, breaks) => (beside ? "\n".repeat(2 - getMatchLength(beside, breaks)) : "");

/**
 * Return the change that replaces the selection with a block that has empty lines around it.
 * @param {TextInput} input @param {string} before
 */
export function replaceWithBlock({ text, from, to }, before, middle = "", after = "") {
  const [left, right] = [text.slice(0, from), text.slice(to)];
  return replaceSelection(
    { from, to },
    makeMissingBreaks(left, /\n{0,2}$/) + before,
    middle,
    after + makeMissingBreaks(right, /^\n{0,2}/),
  );
}

/** @param {TextInput} input @param {string} mark */
function toggleEmphasis({ text, from, to }, mark) {
  if (from === to) [from, to] = findWordAt(text, from);
  while (from < to && /\s/.test(text[from])) from += 1;
  while (to > from && /\s/.test(text[to - 1])) to -= 1;
  // Shrink the selection to the text between its marks. Three stars are the marks of bold and of italic.
  while (from < to && text[from] === "*" && text[to - 1] === "*") [from, to] = [from + 1, to - 1];
  const stars = Math.min(getMatchLength(text.slice(0, from), /\**$/), getMatchLength(text.slice(to), /^\**/));
  const inside = text.slice(from, to);
  if (from < to && (mark === "*" ? stars % 2 : stars >= 2)) {
    return replaceSelection({ from: from - mark.length, to: to + mark.length }, "", inside);
  }
  // Emphasis does not cross an empty line: mark each paragraph.
  const parts = inside.split(/(\n\s*\n)/);
  if (parts.length === 1) return replaceSelection({ from, to }, mark, inside, mark);
  return replaceSelection({ from, to }, "", parts.map((part, n) => (n % 2 ? part : mark + part + mark)).join(""));
}

/** @param {string} text @param {number} at */
function findWordAt(text, at) {
  const before = getMatchLength(text.slice(0, at), /[\p{L}\p{N}\p{M}'’_-]*$/u);
  const after = getMatchLength(text.slice(at), /^[\p{L}\p{N}\p{M}'’_-]*/u);
  return before && after ? [at - before, at + after] : [at, at];
}

/** @param {TextInput} input */
function insertLink(input) {
  const chosen = input.text.slice(input.from, input.to);
  if (chosen && !/^https?:\/\/\S+$/.test(chosen)) return replaceSelection(input, `[${chosen}](`, "https://", ")");
  return replaceSelection(input, "[", "", `](${chosen || "https://"})`);
}

/** @param {TextInput} input */
function insertCode(input) {
  const chosen = input.text.slice(input.from, input.to);
  const isEmptyLine = /(?:^|\n)$/.test(input.text.slice(0, input.from)) && /^(?:\n|$)/.test(input.text.slice(input.to));
  if (!chosen && isEmptyLine) return COMMANDS.codeBlock(input);
  if (!chosen.includes("\n")) return replaceSelection(input, "`", chosen, "`");
  return replaceWithBlock(input, "```", "", `\n${chosen.replace(/\n$/, "")}\n\`\`\``);
}

/**
 * Return the change that adds the mark of a footnote after the selection, and its note at the end of the text.
 * @param {TextInput} input
 */
function insertFootnote({ text, to }) {
  const used = [...text.matchAll(/\[\^(\d+)\]/g)].map(([, number]) => Number(number));
  const mark = `[^${Math.max(0, ...used) + 1}]`;
  const rest = text.slice(to).trimEnd();
  return replaceSelection({ from: to, to: text.length }, `${mark}${rest}\n\n${mark}: `);
}

/** @type {Record<string, string>} */
const NEXT_HEADINGS = { "": "## ", "##": "### " };

/**
 * Turn plain text into a heading of level 2, a heading of level 2 into level 3, and other headings into plain text.
 * @param {string} line
 */
const changeHeading = (line) => line.replace(/^(#{0,6})[ \t]*/, (_, marks) => NEXT_HEADINGS[marks] ?? "");

// Add the mark to all lines, or remove it if all lines have it. Empty lines get the mark only if all lines are empty.
/** @param {TextInput} input @param {string} mark */
function toggleLineMarks(input, mark) {
  const getMark = (/** @type {string} */ line) => line.match(LINE_START)?.[0].trim();
  const isMarked = (/** @type {string} */ line) => getMark(line)?.replace(/\[[xX]\]/, "[ ]") === mark.trim();
  return changeLines(input, (lines) => {
    const isChanged = (/** @type {string} */ line) => line.trim() || !lines.some((other) => other.trim());
    const start = lines.filter(isChanged).every(isMarked) ? "$1" : `$1${mark}`;
    return lines.map((line) => (isChanged(line) ? line.replace(LINE_START, start) : line));
  });
}

// Change the lines that the selection touches.
/** @param {TextInput} input @param {(lines: string[]) => string[]} change */
function changeLines({ text, from, to }, change) {
  const start = text.slice(0, from).lastIndexOf("\n") + 1;
  const rest = text.indexOf("\n", to > from && text[to - 1] === "\n" ? to - 1 : to);
  const lines = { from: start, to: rest < 0 ? text.length : rest };
  const changed = change(text.slice(start, lines.to).split("\n")).join("\n");
  if (from < to) return replaceSelection(lines, "", changed);
  const cursor = Math.max(0, from - start + changed.length - (lines.to - start));
  return replaceSelection(lines, changed.slice(0, cursor), "", changed.slice(cursor));
}
