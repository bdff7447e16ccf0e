/** Renders the blocks of a text: pictures, and in place of the address of a player, a note about the player. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { button, icon, iconButton, withValue } from "../components.js";
import { formatCount } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { findBlocks, formatPictures } from "./blocks.js";
import { getMediaFile, hasAltText } from "./media-files.js";
import { choosePictures } from "./pictures.js";

/**
 * The titles of the players, and the patterns of the addresses that become players.
 * @type {{title: string, pattern: string}[]}
 */
export const PLAYERS = JSON.parse(document.getElementById("players")?.textContent ?? "[]");
const WARNING_ICON = icon("triangle-alert", "warn");
/** The option `blocks` of createEditor(). */
export const blockOptions = { findBlocks: (/** @type {string} */ text) => findBlocks(text, PLAYERS), drawBlock };

/** @param {HTMLElement} dom @param {Block} block @param {boolean} isSelected @param {BlockActions} actions */
function drawBlock(dom, block, isSelected, actions) {
  const redrawBlock = () => {
    if (dom.isConnected) drawBlock(dom, block, dom.classList.contains("selected"), actions);
    actions.measure();
  };
  const { pictures } = block;
  render(pictures ? renderPictures(pictures, isSelected, actions, redrawBlock) : renderPlayer(block, actions), dom);
}

/**
 * @param {BlockPicture[]} pictures @param {boolean} isSelected @param {BlockActions} actions @param {() => void} redraw
 */
function renderPictures(pictures, isSelected, actions, redraw) {
  const label = pictures.length > 1 ? `Gallery of ${formatCount(pictures.length, "picture")}` : "Picture";
  const shown = pictures.map((picture) => ({ ...picture, file: getMediaFile(picture.address, redraw) }));
  if (isSelected)
    return html`<div class="block-card" role="group" aria-label=${label}>${renderCard(pictures, shown, actions)}</div>`;
  return html`<div class="block-pictures ${shown.length > 1 ? "several" : ""}" role="group" aria-label=${label}>
    ${shown.map(
      (picture) => html`<figure>${renderImage(picture, actions)}
      ${isDescribed(picture) ? nothing : html`<span class="block-mark">${WARNING_ICON} No alternative text</span>`}
      ${picture.caption ? html`<figcaption>${picture.caption}</figcaption>` : nothing}</figure>`,
    )}</div>`;
}

/**
 * Return whether a picture has an alternative text in the text or in the library; true while the file is loaded.
 * @param {BlockPicture} picture
 */
const isDescribed = ({ alt, file }) => Boolean(alt.trim() || !file || hasAltText(file) || file.isMissing);

/** @param {BlockPicture} picture @param {BlockActions} actions */
function renderImage({ alt, file }, actions) {
  if (!file) return html`<div class="block-wait"></div>`;
  if (file.isMissing) return html`<p class="block-wait">${icon("circle-alert")} The library has no such picture.</p>`;
  const { source, width, height } = file;
  return html`<img src=${source} alt=${alt} width=${width ?? nothing} height=${height ?? nothing} loading="lazy"
    draggable="false" @load=${actions.measure}>`;
}

/** @param {Picture} picture @returns {BlockPicture} */
const toBlockPicture = ({ uuid, alt }) => ({ address: `media:${uuid}`, alt, caption: "" });

/** @param {BlockPicture[]} pictures @param {BlockPicture[]} shown with their files @param {BlockActions} actions */
function renderCard(pictures, shown, actions) {
  const replaceBlock = (/** @type {BlockPicture[]} */ changed) => actions.replace(formatPictures(changed));
  /** @param {number} n @param {Partial<BlockPicture>} values */
  const changePicture = (n, values) =>
    replaceBlock(pictures.map((picture, other) => (n === other ? { ...picture, ...values } : picture)));
  /**
   * @param {{title: string, action: string}} options @param {BlockPicture[]} before the pictures that stay before the
   * chosen ones
   */
  const insertChosenPictures = async (options, before) => {
    const chosen = (await choosePictures(options)).map(toBlockPicture);
    if (chosen.length) replaceBlock([...before, ...chosen]);
    actions.focusText();
  };
  const replacePictures = () => insertChosenPictures({ title: "Replace the picture", action: "Replace" }, []);
  const addPictures = () => insertChosenPictures({ title: "Add to a gallery", action: "Add" }, pictures);
  /** @param {KeyboardEvent} event */
  const focusTextOnEscape = (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    actions.focusText();
  };
  /** @param {string} text @param {() => unknown} run @param {string} name of the icon */
  const renderTool = (text, run, name) => button(text, run, { icon: name, kind: "bare" });
  return html`<div @keydown=${focusTextOnEscape}>
    ${shown.map((picture, n) => renderPictureFields(picture, n, (values) => changePicture(n, values), actions))}
    <div class="block-tools">
      ${shown.length === 1 ? renderTool("Replace", replacePictures, "replace") : nothing}
      ${renderTool("Add to a gallery", addPictures, "columns-3")} ${renderTool("As text", actions.reveal, "code")}
      ${iconButton("trash-2", "Delete", actions.remove, { kind: "risk" })}</div></div>`;
}

/**
 * @param {BlockPicture} picture @param {number} n @param {(values: Partial<BlockPicture>) => void} set
 * @param {BlockActions} actions
 */
function renderPictureFields(picture, n, set, actions) {
  const { alt, caption, file } = picture;
  const isMissing = !isDescribed(picture);
  const text = makeOneLineHandlers((alt) => set({ alt }), actions.focusText);
  return html`<div class="block-row">${renderImage(picture, actions)}<div>
    <label for="block-alt-${n}">Alternative text</label>
    <textarea id="block-alt-${n}" rows="2" dir="auto" maxlength="1000" .value=${alt}
      placeholder=${file?.alt || "What the picture says, in a sentence"} aria-describedby="block-help-${n}"
      @input=${withValue(text.onInput)} @keydown=${text.onkeydown}></textarea>
    <p id="block-help-${n}" class="help">${
      isMissing
        ? html`<span class="warn">${WARNING_ICON} Missing. Some readers cannot see the picture.</span>`
        : alt.trim() || !file?.alt
          ? nothing
          : "From the library"
    }</p>
    <label for="block-caption-${n}">Caption</label>
    <input id="block-caption-${n}" dir="auto" maxlength="1000" autocomplete="off" .value=${caption}
      @input=${withValue((caption) => set({ caption }))}></div></div>`;
}

/** @param {Block} block @param {BlockActions} actions */
function renderPlayer({ title, address }, actions) {
  const convertToLink = () => {
    actions.replace(`[${title}](${address})`);
    actions.focusText();
  };
  return html`<div class="block-player" role="group" aria-label=${title}>
    <span class="block-play">${icon("play")}</span>
    <div><p>${title}</p><p class="mono">${address}</p>
      <p class="help">Readers see its player here. Nothing is loaded while you write.</p></div>
    ${button("Make it a link", convertToLink, { kind: "bare" })}</div>`;
}
