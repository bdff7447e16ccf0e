/** The dialog for new pictures and pictures of the library, each with its alternative text. */

import { html, nothing } from "../../static/vendor/lit.js";
import { del, makeFileAddress, get, patch, post } from "../api.js";
import { button, field, fileButton, problemAlert, searchField, thumbnail } from "../components.js";
import { openDialog } from "../dialogs.js";
import { formatCount } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { mayChangeFile } from "../roles.js";

const PAGE_SIZE = 24;

/**
 * files: uploaded at once. single: only one, whose text is stored in the library. address: the address of a picture
 * that is already chosen. action: the name of the main button. canJoin: several can become a gallery; isGallery:
 * that is asked for.
 *
 * @typedef {{files?: File[], address?: string, title?: string, action?: string, single?: boolean, canJoin?: boolean,
 *   isGallery?: boolean}} Options
 */

/**
 * Let the author choose one picture; return it, or undefined.
 * @param {Options} options @returns {Promise<Picture | undefined>}
 */
export const choosePicture = async (options) => (await choosePictures({ ...options, single: true }))[0];

/**
 * Let the author choose pictures; return them, none if the author cancels, with whether they are a gallery.
 * @param {Options} options @returns {Promise<Picture[] & {isGallery?: boolean}>}
 */
export async function choosePictures({ files = [], address, title, ...options }) {
  const chooser = Object.assign(new PictureChooser(), options);
  const number = files.length > 1 ? `${files.length} pictures` : "a picture";
  const renderContent = (/** @type {Close} */ close) => chooser.render(close);
  chooser.dialog = openDialog({ title: title ?? `Add ${number}`, kind: "wide", content: renderContent });
  if (files.length) chooser.upload(files);
  else chooser.search("", address);
  const chosen = (await chooser.dialog.result) ?? [];
  if (!chosen.length) chooser.deleteUploads();
  for (const { source } of chooser.chosen) URL.revokeObjectURL(source);
  return Object.assign(chosen, { isGallery: chooser.isGallery });
}

/**
 * The field for a picture by its address. more: another button.
 * @param {{name: string, label: Renderable, address: string, title: string, action: string, more?: Renderable,
 *   write: (address: string) => void}} options
 */
export function renderPictureField({ name, label, address, title, action, more = nothing, write }) {
  const pickPicture = async () => {
    const picture = await choosePicture({ title, action });
    if (picture) write(picture.url);
  };
  return html`<div class="field cover" role="group" aria-label=${name}><span class="label">${label}</span>
    ${address ? html`<img src=${address} alt="">` : nothing}
    <div class="cover-buttons">${button(address ? "Replace" : "Choose a picture", pickPicture)} ${more}
      ${address ? button("Remove", () => write(""), { kind: "bare" }) : nothing}</div></div>`;
}

/**
 * Return a page of the pictures of the library, and the number of all that match the words.
 * @param {string} q @param {number} page
 */
async function findPictures(q, page) {
  const query = { type: "image", page, page_size: PAGE_SIZE, q, fields: "uuid,name,alt,url,renditions,user" };
  /** @type {{data: Media[], total: number}} */
  const { data, total } = await get("blog/media/", { query });
  const pictures = data.map((media) => ({ ...media, source: makeFileAddress(media.url), stored: media.alt }));
  return { pictures, total };
}

class PictureChooser {
  /** @type {any} */
  dialog = null;
  single = false;
  canJoin = false;
  isGallery = false;
  /** The pictures of the library that are marked for a gallery, in the order of choosing. @type {any[]} */
  marked = [];
  action = "Insert";
  /** @type {any[]} */
  chosen = [];
  /** @type {any[]} */
  library = [];
  total = 0;
  // 0 before the first response.
  page = 0;
  words = "";
  problem = "";
  /** @type {Promise<void> | undefined} */
  uploads = undefined;

  /** Look for pictures, and choose the one with this address. @param {string} words */
  search(words, address = "") {
    this.words = words;
    const q = words || decodeURIComponent(address.split("/").at(-1) ?? "");
    return this.run(async () => {
      const { pictures, total } = await findPictures(q, 1);
      if (this.words !== words) return;
      Object.assign(this, { library: pictures, total, page: 1 });
      const found = this.library.find(({ source }) => address && source === makeFileAddress(address));
      if (found) this.choose([found]);
      else if (address) this.problem = "The library does not contain this picture.";
    });
  }

  // Show the next page of the pictures that were found.
  showMore() {
    const { words, page } = this;
    return this.run(async () => {
      const { pictures, total } = await findPictures(words, page + 1);
      if (this.words !== words || this.page !== page) return;
      Object.assign(this, { library: [...this.library, ...pictures], total, page: page + 1 });
    });
  }

  /** @param {(File & {alt?: string})[]} files */
  upload(files) {
    const makeSource = (/** @type {File} */ file) => URL.createObjectURL(file);
    this.choose(files.map((file) => ({ file, name: file.name, source: makeSource(file), alt: file.alt ?? "" })));
    // The server processes few pictures at a time.
    this.uploads = this.run(async () => {
      for (const picture of this.chosen) {
        await this.send(picture);
        this.dialog.update();
      }
    });
  }

  /** @param {any[]} pictures */
  choose(pictures) {
    this.chosen = pictures;
    this.dialog.update();
    this.dialog.element.querySelector("textarea").focus();
  }

  /** @param {Json} picture */
  async send(picture) {
    const options = { file: picture.file, query: { name: picture.name } };
    const { data, status, warning } = await post("blog/media/", undefined, options);
    this.problem = warning ?? this.problem;
    const { uuid, url, alt, user } = data;
    // With another status, the library already had the file.
    Object.assign(picture, { uuid, url, alt: picture.alt || alt, stored: alt, user, isNew: status === 201 });
  }

  // The author has cancelled: delete the files that were uploaded for this.
  async deleteUploads() {
    await this.uploads;
    for (const { uuid, isNew } of this.chosen) if (isNew) await del(`blog/media/${uuid}/`).catch(() => {});
  }

  // Store the alternative texts in the library. The alternative text that a picture has in the library is
  // kept for other articles.
  /** @param {Close} close */
  async finish(close) {
    await this.uploads;
    for (const picture of this.chosen) {
      if (!picture.uuid) await this.send(picture);
      const { uuid, alt, stored } = picture;
      const isStored = alt !== stored && (this.single || !stored) && mayChangeFile(picture);
      if (isStored) await patch(`blog/media/${uuid}/`, { alt });
    }
    close(this.chosen);
  }

  /** @param {() => Promise<void>} action */
  async run(action) {
    this.problem = "";
    await action().catch(({ status, message }) => {
      this.problem = status ? message : `${message} “${this.action}” tries again.`;
    });
    this.dialog.update();
  }

  /** @param {Close} close */
  render(close) {
    const { chosen, action } = this;
    const finishChoice = () => this.run(() => this.finish(close));
    const canJoin = this.canJoin && chosen.length > 1;
    const insertPictures = (/** @type {boolean} */ isGallery) => {
      this.isGallery = isGallery;
      return finishChoice();
    };
    const buttons = canJoin
      ? [
          button("Insert one below the other", () => insertPictures(false)),
          button("Insert as a gallery", () => insertPictures(true), { kind: "main" }),
        ]
      : button(action, finishChoice, { kind: "main" });
    const label = `Use ${formatCount(this.marked.length, "picture")}`;
    const use = button(label, () => this.choose(this.marked), { kind: "main" });
    return html`${problemAlert(this.problem)}
      ${chosen.length ? chosen.map((picture, n) => this.renderRow(picture, n, finishChoice)) : this.renderChoices()}
      <div class="dialog-buttons">${button("Cancel", () => close(), { kind: "bare" })}
        ${chosen.length ? buttons : this.marked.length ? use : nothing}</div>`;
  }

  renderChoices() {
    const upload = (/** @type {File[]} */ files) => this.upload(files);
    const searchPictures = (/** @type {string} */ words) => this.search(words);
    const markPicture = (/** @type {Media} */ media) => {
      const others = this.marked.filter(({ uuid }) => uuid !== media.uuid);
      this.marked = others.length < this.marked.length ? others : [...others, media];
      this.dialog.update();
    };
    const getNumber = (/** @type {Media} */ media) => this.marked.findIndex(({ uuid }) => uuid === media.uuid) + 1;
    const picture = (/** @type {Media} */ media) => html`<li><button type="button" aria-label=${media.alt || media.name}
      aria-pressed=${this.isGallery ? getNumber(media) > 0 : nothing}
      @click=${() => (this.isGallery ? markPicture(media) : this.choose([media]))}>
      ${getNumber(media) ? html`<span class="picture-number">${getNumber(media)}</span>` : nothing}
      ${thumbnail(media.url, "12.5rem")}</button></li>`;
    return html`<div class="picture-sources">
        ${fileButton("Upload from this device", upload, { icon: "upload", accept: "image/*", multiple: !this.single })}
        ${searchField({ label: "Search the library", id: "library", value: this.words, onInput: searchPictures })}
      </div><ul class="picture-grid">${this.library.map(picture)}</ul>
      <div class="picture-more"><span class="soft small" role="status">${this.describeFound()}</span>
        ${this.library.length < this.total ? button("Show more", () => this.showMore()) : nothing}</div>`;
  }

  describeFound() {
    const { library, total, words } = this;
    if (!total && words) return `No picture is named or described with “${words}”.`;
    if (!total) return this.page && !this.problem ? "The library has no pictures yet." : "";
    const all = formatCount(total, "picture");
    return library.length < total ? `${library.length} of ${all}` : all;
  }

  // Enter moves the focus to the text of the next picture; in the last text, it inserts the pictures.
  /** @param {Json} picture @param {number} n @param {() => void} finish */
  renderRow(picture, n, finish) {
    const { uuid, name, source, alt } = picture;
    const help = uuid ? name : `${name}, ${this.problem ? "not uploaded" : "uploading…"}`;
    const label = "Describe the picture in one sentence";
    const text = { name: "alt", id: `alt-${n}`, label, type: "textarea", rows: 2, maxlength: 1000, value: alt, help };
    const focusNext = () => (document.getElementById(`alt-${n + 1}`) ?? { focus: finish }).focus();
    return html`<div class="picture-row"><img src=${source} alt="">
      ${field({ ...text, ...makeOneLineHandlers((value) => (picture.alt = value), focusNext) })}</div>`;
  }
}
