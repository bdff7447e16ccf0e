/** Converts rich text of the clipboard to Markdown. The editor loads this module at the first paste. */

import { gfm, TurndownService } from "../../static/vendor/turndown.js";
import { cleanBody, INERT_PREFIX } from "./clean-html.js";
import { formatPicture } from "./markdown.js";

// Longer HTML is pasted as plain text, because converting it would block the page for seconds.
const MAX_HTML_LENGTH = 2_000_000;
const MAX_PICTURES = 30;
const PICTURE_DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp|avif));base64,([A-Za-z0-9+/=\s]+)$/;
const FORMATTED_ELEMENTS =
  "a, blockquote, b, code, del, em, h1, h2, h3, h4, h5, h6, hr, i, img, li, pre, strong, sub, sup, table";

const turndown = new TurndownService({
  headingStyle: "atx",
  hr: "---",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
});
turndown.use(gfm);
turndown.escape = escapeText;
turndown.keep(["sub", "sup", "kbd"]);
/** @param {string} name @param {any} filter @param {(content: string, node: any) => string} replacement */
const addRule = (name, filter, replacement) => turndown.addRule(name, { filter, replacement });
addRule("strikethrough", "del", (content) => (content.trim() ? `~~${content}~~` : content));
addRule("lineBreak", "br", (_, node) => (node.closest("td, th") ? "<br>" : "\\\n"));
addRule("listItem", "li", (content, node) => {
  const mark = node.parentNode.nodeName === "OL" ? `${node.getAttribute("value")}. ` : "- ";
  const text = content
    .trim()
    .replace(/^[☐□]\s*|^\\?\[ \\?\]\s+/, "[ ] ")
    .replace(/^[☑☒✔✅]\s*|^\\?\[[xX]\\?\]\s+/, "[x] ");
  return `${mark}${text.replace(/\n(?!\n)/g, `\n${" ".repeat(mark.length)}`)}${node.nextElementSibling ? "\n" : ""}`;
});
addRule("blockquote", "blockquote", (content) => `\n\n${content.trim().replace(/^/gm, "> ").replace(/ $/gm, "")}\n\n`);
// A link whose text is its address needs no brackets.
addRule(
  "bareLink",
  (/** @type {Element} */ node) =>
    node.nodeName === "A" && node.getAttribute("href") === node.textContent && !/[<>()*]/.test(node.textContent),
  (_, node) => node.textContent,
);

/** Escape only the characters that Markdown would interpret. @param {string} text */
function escapeText(text) {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "\\\\")
    .replace(/[*`]|~~/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/<(?=[a-z/!?])/gi, "\\<")
    .replace(/&(?=#?\w+;)/g, "\\&")
    .replace(/\[(?=\^|[^\]]*\][[(:])/g, "\\[")
    .replace(/^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s)|>|={3,}|-{3,}|~~~)/, "$1\\$2")
    .replace(/^(\s*\d{1,9})([.)])(?=\s)/, "$1\\$2");
}

/**
 * files: the pictures to upload; lost: the number of pictures that only the other program can read; remote: the number
 * of pictures that stay on other sites; frames: the sites of players that are left out.
 *
 * @typedef {{files: File[], lost: number, remote: number, frames: string[]}} PasteFindings
 */

/**
 * Return the Markdown of the HTML, and its pictures and players. In the Markdown, the address of file n is `picture:n`.
 * The scripts of the HTML do not run, and its pictures are not loaded.
 * @param {string} html @param {string} plain the same text without its format
 * @param {{pattern: string}[]} [players] the players that readers get
 * @returns {PasteFindings & {markdown: string, isTooLong?: boolean}}
 */
export function convertHtml(html, plain, players = []) {
  /** @type {PasteFindings} */
  const found = { files: [], lost: 0, remote: 0, frames: [] };
  if (html.replace(/data:[^"'>]*/g, "").length > MAX_HTML_LENGTH) return { markdown: plain, isTooLong: true, ...found };
  const source = html
    .replace(/[\ue000-\ue003]|<style\b[\s\S]*?<\/style\s*>/gi, "")
    .replace(/(?<=[\s"'/])(?:style|on\w+)(?=\s*=)/gi, `${INERT_PREFIX}$&`);
  const { body } = new DOMParser().parseFromString(source, "text/html");
  cleanBody(
    body,
    (image) => collectPicture(image, found),
    (address) => getPlayerAddress(address, players, found),
  );
  const isFormatted = body.querySelector(FORMATTED_ELEMENTS) || /[\ue000-\ue002]/.test(body.textContent);
  if (!isFormatted && plain && !plain.trim().includes("\n")) return { markdown: plain, ...found };
  const markdown = turndown
    .turndown(body)
    .replaceAll(INERT_PREFIX, "")
    .replaceAll("\ue000", "\\|")
    .replace(/\ue001(\d+)\ue002/g, "[^$1]");
  return { markdown, ...found };
}

/** @param {HTMLImageElement} image @param {PasteFindings} found */
function collectPicture(image, found) {
  const given = image.getAttribute("src") ?? "";
  const address = given.startsWith("data:") ? (image.dataset.src ?? given) : given;
  if (/^https?:\/\//i.test(address)) {
    found.remote += 1;
    return address;
  }
  const [, type, data] = PICTURE_DATA_URL.exec(address) ?? [];
  if (!data || found.files.length >= MAX_PICTURES) {
    found.lost += 1;
    return null;
  }
  const bytes = Uint8Array.from(atob(data.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
  const name = `pasted-${found.files.length + 1}.${type.slice(6)}`;
  found.files.push(Object.assign(new File([bytes], name, { type }), { alt: image.alt ?? "" }));
  return `picture:${found.files.length - 1}`;
}

/** @param {string} source @param {{pattern: string}[]} players @param {PasteFindings} found */
function getPlayerAddress(source, players, found) {
  if (!URL.canParse(source)) return null;
  const address = getFramedPageAddress(new URL(source));
  if (players.some(({ pattern }) => new RegExp(`^${pattern}$`).test(address))) return address;
  found.frames.push(new URL(source).host);
  return null;
}

/**
 * Return the address of the video or sound that a frame plays, by default the frame's own address.
 * @param {URL} frame
 */
function getFramedPageAddress({ host, pathname, searchParams, href }) {
  const sound = host === "w.soundcloud.com" && searchParams.get("url");
  const video = /(?:^|\.)youtube(?:-nocookie)?\.com$/.test(host) && /^\/embed\/([\w-]+)/.exec(pathname)?.[1];
  if (!video) return sound || href;
  const [list, start] = ["list", "start"].map((name) => searchParams.get(name));
  if (video === "videoseries") return `https://www.youtube.com/playlist?list=${list}`;
  return `https://www.youtube.com/watch?v=${video}${start ? `&t=${start}` : ""}`;
}

/**
 * Return the Markdown with the addresses of the uploaded pictures, without the pictures that were not uploaded.
 * @param {string} markdown @param {Picture[]} pictures
 */
export function fillPictureAddresses(markdown, pictures) {
  const pattern = /!\[(?:\\.|[^\]\\])*\]\(picture:(\d+)((?: "(?:\\.|[^"\\])*")?)\)/g;
  const filled = markdown.replace(pattern, (_, n, title) => {
    return pictures[n] ? formatPicture(pictures[n], "markdown").replace(/\)$/, `${title})`) : "";
  });
  return filled.trim();
}
