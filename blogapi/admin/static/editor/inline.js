/** Draws the blocks of a text: a picture shows itself, an address of a player says what readers will see. */

import { html, nothing, render } from "../vendor/lit.js";
import { fileAddress, get } from "../api.js";
import { button, icon, iconButton } from "../components.js";
import { count } from "../format.js";
import { oneLine } from "../forms.js";
import { findBlocks, writePictures } from "./blocks.js";
import { choosePictures } from "./pictures.js";

const players = JSON.parse(document.getElementById("players")?.textContent ?? "[]");
const WARNING = icon("triangle-alert", "warn");
/** @type {Map<string, any>} */
const files = new Map();

/** What createEditor() needs to show the blocks. */
export const blocks = { find: (text) => findBlocks(text, players), draw };

function draw(dom, block, isSelected, actions) {
  const again = () => {
    if (dom.isConnected) draw(dom, block, dom.classList.contains("selected"), actions);
    actions.measure();
  };
  render(block.pictures ? pictures(block, isSelected, actions, again) : player(block, actions), dom);
}

// The file of a picture: {source, width, height}; null while it is loaded, and {isMissing} if there is none.
function findFile(address, again) {
  if (!address.startsWith("media:")) return { source: address };
  const uuid = address.slice("media:".length);
  if (!files.has(uuid)) {
    files.set(uuid, null);
    const query = { fields: "uuid,url,alt,width,height,renditions" };
    const take = ({ data }) => {
      const { width, height, alt } = data;
      return { source: fileAddress(data.renditions.at(1) ?? data), width, height, alt };
    };
    const forget = () => setTimeout(() => files.delete(uuid), 10_000);
    get(`blog/media/${uuid}/`, { query })
      .then(take, ({ status }) => (status === 404 ? { isMissing: true } : (forget(), null)))
      .then((file) => (files.set(uuid, file), again()));
  }
  return files.get(uuid);
}

/** Return the alternative text that the library has for a picture, if the picture was shown. */
export const findLibraryText = (address) => files.get(address.slice("media:".length))?.alt ?? "";

function pictures(block, isSelected, actions, again) {
  const label = block.pictures.length > 1 ? `Gallery of ${count(block.pictures.length, "picture")}` : "Picture";
  const shown = block.pictures.map((picture) => ({ ...picture, file: findFile(picture.address, again) }));
  if (isSelected)
    return html`<div class="block-card" role="group" aria-label=${label}>${card(block, shown, actions)}</div>`;
  return html`<div class="block-pictures ${shown.length > 1 ? "several" : ""}" role="group" aria-label=${label}>
    ${shown.map(
      (picture) => html`<figure>${image(picture, actions)}
      ${isDescribed(picture) ? nothing : html`<span class="block-mark">${WARNING} No alternative text</span>`}
      ${picture.caption ? html`<figcaption>${picture.caption}</figcaption>` : nothing}</figure>`,
    )}</div>`;
}

// Without a text of its own, a picture has that of the library.
const isDescribed = ({ alt, file }) => Boolean(alt.trim() || !file || file.alt || file.isMissing);

function image({ alt, file }, actions) {
  if (!file) return html`<div class="block-wait"></div>`;
  if (file.isMissing) return html`<p class="block-wait">${icon("circle-alert")} The library has no such picture.</p>`;
  const { source, width, height } = file;
  return html`<img src=${source} alt=${alt} width=${width ?? nothing} height=${height ?? nothing} loading="lazy"
    draggable="false" @load=${actions.measure}>`;
}

function card(block, shown, actions) {
  const write = (pictures) => actions.replace(writePictures(pictures));
  const set = (n, values) =>
    write(block.pictures.map((picture, other) => (n === other ? { ...picture, ...values } : picture)));
  const choose = async (options, use) => {
    const chosen = await choosePictures(options);
    if (chosen.length) write(use(chosen.map(({ uuid, alt }) => ({ address: `media:${uuid}`, alt, caption: "" }))));
    actions.focusText();
  };
  const replace = () => choose({ title: "Replace the picture", action: "Replace" }, (chosen) => chosen);
  const add = () => choose({ title: "Add to a gallery", action: "Add" }, (chosen) => [...block.pictures, ...chosen]);
  const leave = (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    actions.focusText();
  };
  const tool = (text, run, name) => button(text, run, { icon: name, kind: "bare" });
  return html`<div @keydown=${leave}>
    ${shown.map((picture, n) => fields(picture, n, (values) => set(n, values), actions))}
    <div class="block-tools">
      ${shown.length === 1 ? tool("Replace", replace, "replace") : nothing}
      ${tool("Add to a gallery", add, "columns-3")} ${tool("As Markdown", actions.reveal, "code")}
      ${iconButton("trash-2", "Delete", actions.remove, { kind: "risk" })}</div></div>`;
}

function fields(picture, n, set, actions) {
  const { alt, caption, file } = picture;
  const isMissing = !isDescribed(picture);
  const text = oneLine((alt) => set({ alt }), actions.focusText);
  return html`<div class="block-row">${image(picture, actions)}<div>
    <label for="block-alt-${n}">Alternative text</label>
    <textarea id="block-alt-${n}" rows="2" dir="auto" maxlength="1000" .value=${alt}
      placeholder=${file?.alt || "What the picture says, in a sentence"} aria-describedby="block-help-${n}"
      @input=${({ target }) => text.onInput(target.value)} @keydown=${text.onkeydown}></textarea>
    <p id="block-help-${n}" class="help">${
      isMissing
        ? html`<span class="warn">${WARNING} Missing. Some readers cannot see the picture.</span>`
        : alt.trim() || !file?.alt
          ? nothing
          : "From the library"
    }</p>
    <label for="block-caption-${n}">Caption</label>
    <input id="block-caption-${n}" dir="auto" maxlength="1000" autocomplete="off" .value=${caption}
      @input=${({ target }) => set({ caption: target.value })}></div></div>`;
}

function player({ title, address }, actions) {
  const makeLink = () => {
    actions.replace(`[${title}](${address})`);
    actions.focusText();
  };
  return html`<div class="block-player" role="group" aria-label=${title}>
    <span class="block-play">${icon("play")}</span>
    <div><p>${title}</p><p class="mono">${address}</p>
      <p class="help">Readers see its player here. Nothing is loaded while you write.</p></div>
    ${button("Make it a link", makeLink, { kind: "bare" })}</div>`;
}
