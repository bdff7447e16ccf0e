// The commands of the toolbar, as pure functions: each takes {text, from, to} and returns one change of the
// text, {from, to, insert, selectFrom, selectTo}.

const BLOCK_MARK = /^(\s*)(?:[-*+] \[[ xX]\] |[-*+] |\d+[.)] |> ?)/;
const TABLE = "| Name | Value |\n| --- | --- |\n|  |  |";

const COMMANDS = {
  bold: (input) => emphasize(input, "**"),
  italic: (input) => emphasize(input, "*"),
  heading,
  link,
  code,
  list: (input) => toggleLines(input, "- "),
  tasks: (input) => toggleLines(input, "- [ ] "),
  quote: (input) => toggleLines(input, "> "),
  table: (input) => insertBlock(input, TABLE, 2, 6),
};

// Return the change that the command makes.
export const run = (name, input) => COMMANDS[name](input);

// Return the change that inserts a block with empty lines around it, and selects this part of it.
export function insertBlock({ text, from, to }, block, start = block.length, end = start) {
  const gap = (beside, one, two) => (!beside || two.test(beside) ? "" : one.test(beside) ? "\n" : "\n\n");
  const head = gap(text.slice(0, from), /\n$/, /\n\n$/);
  const insert = head + block + gap(text.slice(to), /^\n/, /^\n\n/);
  const at = from + head.length;
  return { from, to, insert, selectFrom: at + start, selectTo: at + end };
}

// Return the reference to a picture.
export function picture(address, alt, format = "markdown") {
  if (format !== "html") return `![${alt.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&")}](${address})`;
  return `<img src="${address}" alt="${alt.replace(/&/g, "&amp;").replace(/"/g, "&quot;")}">`;
}

// Return the open tasks, and the pictures without alternative text: {count, from, to} of the first.
export function findOpenEnds(text) {
  const prose = text.replace(/^(```|~~~)[^]*?^\1/gm, (block) => " ".repeat(block.length));
  const find = (pattern) => {
    const [first, ...others] = prose.matchAll(pattern);
    if (!first) return { count: 0 };
    return { count: 1 + others.length, from: first.index, to: first.index + first[0].length };
  };
  return { tasks: find(/^\s*(?:[-*+]|\d+[.)]) \[ \]/gm), pictures: find(/!\[\s*\]\(/g) };
}

function emphasize({ text, from, to }, mark) {
  if (from === to) [from, to] = wordAt(text, from);
  while (from < to && /\s/.test(text[from])) from += 1;
  while (to > from && /\s/.test(text[to - 1])) to -= 1;
  // Shrink the selection to the text between its marks. Three stars are the marks of bold and of italic.
  while (from < to && text[from] === "*" && text[to - 1] === "*") [from, to] = [from + 1, to - 1];
  const stars = Math.min(text.slice(0, from).match(/\**$/)[0].length, text.slice(to).match(/^\**/)[0].length);
  const inside = text.slice(from, to);
  if (from < to && (mark === "*" ? stars % 2 : stars >= 2)) {
    const start = from - mark.length;
    to += mark.length;
    return { from: start, to, insert: inside, selectFrom: start, selectTo: start + inside.length };
  }
  // Emphasis does not cross an empty line: mark each paragraph.
  const insert = inside.split(/(\n\s*\n)/).map((part, n) => (n % 2 ? part : mark + part + mark)).join("");
  const margin = insert.includes("\n") ? 0 : mark.length;
  return { from, to, insert, selectFrom: from + margin, selectTo: from + insert.length - margin };
}

function wordAt(text, at) {
  const before = text.slice(0, at).match(/[\p{L}\p{N}\p{M}'’_-]*$/u)[0].length;
  const after = text.slice(at).match(/^[\p{L}\p{N}\p{M}'’_-]*/u)[0].length;
  return before && after ? [at - before, at + after] : [at, at];
}

function wrap({ text, from, to }, open, close) {
  const [start, chosen] = [from + open.length, text.slice(from, to)];
  return { from, to, insert: open + chosen + close, selectFrom: start, selectTo: start + chosen.length };
}

function link({ text, from, to }) {
  const chosen = text.slice(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(chosen);
  const insert = isAddress ? `[](${chosen})` : `[${chosen}](https://)`;
  if (isAddress || !chosen) return { from, to, insert, selectFrom: from + 1, selectTo: from + 1 };
  return { from, to, insert, selectFrom: from + insert.length - 9, selectTo: from + insert.length - 1 };
}

function code(input) {
  const chosen = input.text.slice(input.from, input.to);
  if (!chosen.includes("\n")) return wrap(input, "`", "`");
  return insertBlock(input, `\`\`\`\n${chosen.replace(/\n$/, "")}\n\`\`\``, 3);
}

// Plain text becomes a heading of level 2, then 3, then plain text again.
function heading(input) {
  return changeLines(input, (line) => {
    const [, marks, words] = line.match(/^(#{1,6})?[ \t]*(.*)$/s);
    return marks === "##" ? `### ${words}` : marks ? words : `## ${words}`;
  });
}

function toggleLines(input, mark) {
  const lines = getLines(input).filter((line) => line.trim());
  const isMarked = (line) => line.match(BLOCK_MARK)?.[0].trim().replace(/\[[xX]\]/, "[ ]") === mark.trim();
  const off = lines.length > 0 && lines.every(isMarked);
  return changeLines(input, (line) => {
    if (!line.trim() && lines.length) return line;
    const bare = line.replace(BLOCK_MARK, "$1");
    return off ? bare : bare.replace(/^\s*/, `$&${mark}`);
  });
}

// Return the start and the end of the lines that the selection touches.
function findLines({ text, from, to }) {
  const end = text.indexOf("\n", to > from && text[to - 1] === "\n" ? to - 1 : to);
  return [text.lastIndexOf("\n", from - 1) + 1, end < 0 ? text.length : end];
}

const getLines = (input) => input.text.slice(...findLines(input)).split("\n");

function changeLines(input, change) {
  const [from, to] = findLines(input);
  const insert = getLines(input).map(change).join("\n");
  if (input.from < input.to) return { from, to, insert, selectFrom: from, selectTo: from + insert.length };
  const cursor = Math.max(from, input.from + insert.length - (to - from));
  return { from, to, insert, selectFrom: cursor, selectTo: cursor };
}
