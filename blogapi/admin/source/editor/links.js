/** Links to other articles in Markdown, `[text](article:uuid)`. This module does not use the DOM. */

const UUID_PATTERN = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
// The text of a link can contain pairs of brackets.
const LINK_TEXT = String.raw`(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*`;
const ARTICLE_LINK = new RegExp(String.raw`(?:\[${LINK_TEXT}\]\(\s*<?|href=["'])article:(${UUID_PATTERN})`, "gi");
const FENCE_LINE = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * Return the links to articles of a text, except those in code: [{uuid, from, to}]; from and to are offsets.
 * @param {string} text
 */
export const findArticleLinks = (text) =>
  [...text.matchAll(ARTICLE_LINK)]
    .map((match) => ({ uuid: match[1].toLowerCase(), from: match.index, to: match.index + match[0].length }))
    .filter(({ from }) => !isInCode(text, from));

/**
 * Return the Markdown of a link to an article. The text of the link is the title by default.
 * @param {{uuid: string, title: string}} article @param {string} [text]
 */
export const formatArticleLink = ({ uuid, title }, text) =>
  `[${text || title.replace(/\s+/g, " ").replace(/[\\`*_[\]<>~]/g, "\\$&")}](article:${uuid})`;

/**
 * Return whether the last change has typed "[[" before the cursor, outside of code.
 * @param {string} former the text before the last change @param {string} text
 * @param {number} at the offset of the cursor
 */
export const hasTypedBrackets = (former, text, at) =>
  text.length === former.length + 1 &&
  text.slice(at - 2, at) === "[[" &&
  !/[[\\!]/.test(text[at - 3] ?? "") &&
  former === text.slice(0, at - 1) + text.slice(at) &&
  !isInCode(text, at - 2);

/**
 * Return whether an offset of a Markdown text is in code: in a fenced block, an indented block, or a code span.
 * @param {string} text @param {number} at
 */
export function isInCode(text, at) {
  const lines = text.slice(0, at).split("\n");
  let fence = "";
  for (const line of lines.slice(0, -1)) {
    const mark = FENCE_LINE.exec(line)?.[1] ?? "";
    if (!fence) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length) fence = "";
  }
  return Boolean(fence) || isIndentedCode(lines) || isCodeSpan(text, at);
}

/** @param {string[]} lines the lines up to the offset */
function isIndentedCode(lines) {
  const isIndented = (/** @type {string} */ line) => /^(?: {4}|\t)/.test(line);
  if (!isIndented(lines[lines.length - 1])) return false;
  const start = lines.findLastIndex((line) => line.trim() && !isIndented(line));
  // The paragraphs of a list item are indented too.
  if (start >= 0 && LIST_ITEM.test(lines[start])) return false;
  // An indented line directly below a paragraph is part of the paragraph.
  return start < 0 || (start + 1 < lines.length - 1 && !lines[start + 1].trim());
}

/** @param {string} text @param {number} at */
function isCodeSpan(text, at) {
  const start = text.lastIndexOf("\n\n", at - 1) + 1;
  const end = text.indexOf("\n\n", at);
  const paragraph = text.slice(start, end < 0 ? text.length : end);
  const offset = at - start;
  for (const ticks = /\\`|(`+)/g; ; ) {
    const open = ticks.exec(paragraph);
    if (!open || open.index >= offset) return false;
    if (!open[1]) continue;
    const close = new RegExp(`(?<!\`)${open[1]}(?!\`)`, "g");
    close.lastIndex = ticks.lastIndex;
    const found = close.exec(paragraph);
    // Text after an unclosed backtick counts as code while its line is typed.
    if (!found) return open.index > paragraph.lastIndexOf("\n", offset - 1);
    if (found.index >= offset) return true;
    ticks.lastIndex = close.lastIndex;
  }
}

/**
 * Return a warning for each problem, with the range of the first link that has the problem.
 * @param {{uuid: string, from: number, to: number}[]} links
 * @param {Map<string, {status: string}>} articles the articles that exist @returns {Warning[]}
 */
export function describeLinkProblems(links, articles) {
  const listLinksTo = (/** @type {string} */ status) =>
    links.filter(({ uuid }) => articles.get(uuid)?.status === status);
  const problems = [
    { links: listLinksTo("draft"), words: "Links to a draft: readers find nothing there." },
    { links: listLinksTo("scheduled"), words: "Links to a scheduled article: readers find nothing there yet." },
    { links: listLinksTo("archived"), words: "Links to an archived article: readers find nothing there." },
    { links: links.filter(({ uuid }) => !articles.has(uuid)), words: "Links to an article that does not exist." },
  ];
  return problems.filter(({ links }) => links.length).map(({ links: [range], words }) => ({ words, range }));
}

/**
 * Return whether the last change has typed "/" before the cursor, on an empty line.
 * @param {string} former @param {string} text @param {number} at the offset of the cursor
 */
export const hasTypedSlash = (former, text, at) =>
  /(?:^|\n)\/$/.test(text.slice(0, at)) &&
  /^(?:\n|$)/.test(text.slice(at)) &&
  former === text.slice(0, at - 1) + text.slice(at) &&
  !isInCode(text, at);
