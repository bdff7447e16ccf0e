/** The blocks of a Markdown text: pictures and addresses of players that are alone in a paragraph. */

import { hideCode } from "./markdown.js";

const ADDRESS = String.raw`media:[0-9a-f-]{36}|https:\/\/[^\s()<>]+|\/media\/[^\s()<>]+`;
const PICTURE = new RegExp(String.raw`!\[((?:\\.|[^\]\\\n])*)\]\((${ADDRESS})(?:\s+"((?:\\.|[^"\\\n])*)")?\)`, "g");
// The lines that can begin a block. FENCE matches the lines that begin or end a block of code.
const BLOCK_START_LINE = /^ {0,3}(?:!\[|https?:\/\/|```|~~~)[^\n]*/gm;
const FENCE = /^ {0,3}(```|~~~)/;

const unescapeText = (text = "") => text.replace(/\\([!-/:-@[-`{-~])/g, "$1");

/** Return the pictures of these lines, or null if they contain anything else. @param {string} source */
function parsePictures(source) {
  if (source.replace(PICTURE, "").replace(/\\$/gm, "").trim()) return null;
  return [...source.matchAll(PICTURE)].map(([, alt, address, caption]) => ({
    alt: unescapeText(alt),
    address,
    caption: unescapeText(caption),
  }));
}

/** Return the Markdown of a picture, or of a gallery of several pictures. @param {BlockPicture[]} pictures */
export function formatPictures(pictures) {
  /** @param {string} text @param {RegExp} escaped */
  const escapeText = (text, escaped) => text.replace(/\s+/g, " ").replace(escaped, "\\$&");
  const writePicture = (/** @type {BlockPicture} */ { alt, address, caption }) => {
    const title = caption.trim() && ` "${escapeText(caption, /["\\]/g)}"`;
    return `![${escapeText(alt, /[[\]\\]/g)}](${address}${title})`;
  };
  return pictures.map(writePicture).join("\n");
}

/**
 * Return the blocks of a text in their order. players: the patterns of the addresses that become players.
 * @param {string} text @param {{title: string, pattern: string}[]} [players]
 */
export function findBlocks(text, players = []) {
  /** @type {Block[]} */
  const blocks = [];
  const patterns = players.map(({ title, pattern }) => ({ title, pattern: new RegExp(`^${pattern}$`) }));
  let fence = "";
  let end = -1;
  for (const { 0: line, index } of text.matchAll(BLOCK_START_LINE)) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (mark && (!fence || fence === mark)) fence = fence ? "" : mark;
    if (mark || fence || index < end || !/(?:^|\n)[ \t]*\n$|^$/.test(text.slice(Math.max(0, index - 200), index)))
      continue;
    end = findBlockEnd(text, index);
    const source = text.slice(index, end);
    const range = { from: index, to: end, source };
    const pictures = source.trimStart().startsWith("!") && parsePictures(source);
    if (pictures) blocks.push({ ...range, pictures, height: pictures.length > 1 ? 200 : 320 });
    const address = source.trim();
    const player = patterns.find(({ pattern }) => pattern.test(address));
    if (player) blocks.push({ ...range, title: player.title, address, height: 92 });
  }
  return blocks;
}

/**
 * Return the end of the paragraph at `start`, without spaces after its last line.
 * @param {string} text @param {number} start
 */
function findBlockEnd(text, start) {
  const rest = text.slice(start, start + 20_000);
  const found = /([ \t]*)\n[ \t]*(?:\n|$)/.exec(rest);
  return start + (found ? found.index + found[1].length : rest.length);
}

/** Return the addresses of the pictures in a text. @param {string} text */
export const findPictureAddresses = (text) => [...hideCode(text).matchAll(PICTURE)].map(([, , address]) => address);

/**
 * Return the pictures without alternative text: [{from, to, address, caption}]; from and to are the range of the block.
 * @param {string} text
 */
export function findUndescribedPictures(text) {
  const found = [...hideCode(text).matchAll(/!\[\s*\]\(([^\s()]+)(?:\s+"((?:\\.|[^"\\])*)")?\)/g)];
  const blocks = found.length ? findBlocks(text) : [];
  return found.map(({ 0: source, 1: address, 2: caption, index }) => {
    const block = blocks.find(({ from, to }) => from <= index && index < to);
    const { from, to } = block ?? { from: index, to: index + source.length };
    return { from, to, address, caption: unescapeText(caption) };
  });
}
