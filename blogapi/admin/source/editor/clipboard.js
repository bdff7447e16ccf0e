/** Pastes rich text as Markdown, and makes a link of a selection on which an address is pasted. */

import { toast } from "../dialogs.js";
import { formatCount } from "../format.js";
import { PLAYERS } from "./block-rendering.js";
import { isInCode } from "./links.js";
import { linkSelection, replaceWithMarkdown } from "./markdown.js";
import { choosePictures } from "./pictures.js";

const FRAME_HTML = /^\s*<iframe\b[^<>]*>\s*<\/iframe>\s*$/i;

/**
 * Paste rich text or a link; return false if the field must paste the plain text.
 * @param {EditorPage} page @param {DataTransfer} data
 */
export function handlePaste(page, data) {
  const { field } = page.area;
  const input = { text: field.getText(), ...field.getSelection() };
  const plain = data.getData("text/plain");
  // Video sites offer the HTML of their player as plain text. In a cell of a table, only plain text is pasted.
  const rich = data.getData("text/html") || (FRAME_HTML.test(plain) ? plain : "");
  const html = page.tableBar?.findTable()?.isInCell ? "" : rich;
  if (isInCode(input.text, input.from)) return false;
  const link = linkSelection(input, plain.trim());
  if (link) field.applyChange(link);
  else if (html) pasteRichText(page, html, plain);
  return Boolean(link || html);
}

/** @typedef {{isPlain?: boolean, isTooLong?: boolean, lost?: number, remote?: number, frames?: string[]}} PasteLoss */

/** @param {EditorPage} page @param {string} html @param {string} plain */
async function pasteRichText(page, html, plain) {
  /** @returns {Promise<PasteLoss & {markdown: string}>} */
  const convertWithPictures = async () => {
    const { convertHtml, fillPictureAddresses } = await import("./paste.js");
    const { markdown, files, ...notes } = convertHtml(html, plain, PLAYERS);
    const pictures = files.length ? await choosePictures({ files, title: "Pictures of the pasted text" }) : [];
    return { markdown: fillPictureAddresses(markdown, pictures), ...notes };
  };
  // If the conversion fails, the plain text is pasted.
  const { markdown, ...notes } = await convertWithPictures().catch(() => ({ markdown: plain, isPlain: true }));
  page.applyCommand((/** @type {TextInput} */ input) => replaceWithMarkdown(input, markdown.replace(/\r\n?/g, "\n")));
  const words = describeLosses(notes);
  if (words) toast(words);
}

/** @param {PasteLoss} notes */
function describeLosses({ isPlain = false, isTooLong = false, lost = 0, remote = 0, frames = [] }) {
  if (isPlain || isTooLong) return "Pasted as plain text, because its format cannot be read.";
  const parts = [];
  if (lost) parts.push(`${formatCount(lost, "picture is", "pictures are")} missing: insert it with Picture.`);
  if (remote)
    parts.push(`${formatCount(remote, "picture stays", "pictures stay")} on another site, which can remove it.`);
  const sites = [...new Set(frames)].join(", ");
  if (sites) parts.push(`${formatCount(frames.length, "player")} of ${sites} left out: such players cannot be shown.`);
  return parts.join(" ");
}
