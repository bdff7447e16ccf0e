/**
 * The dialog in which an author uploads pictures or chooses them in the library, and writes their alternative texts.
 */

import { html, nothing } from "../../static/vendor/lit.js";
import { del, makeFileAddress, get, patch, post } from "../api.js";
import { button, field, fileButton, problemAlert, searchField, thumbnail } from "../components.js";
import { openDialog } from "../dialogs.js";
import { formatCount } from "../format.js";
import { makeOneLineHandlers } from "../forms.js";
import { mayChangeFile } from "../roles.js";

const PAGE_SIZE = 24;

/**
 * files: files to upload at once. single: whether only one picture is chosen, whose text is stored in the library.
 * address: the address of the picture that is chosen at first. action: the text of the main button. canJoin: whether
 * several pictures can become a gallery; isGallery: whether the author asked for a gallery.
 *
 * @typedef {{files?: File[], address?: string, title?: string, action?: string, single?: boolean, canJoin?: boolean,
 *   isGallery?: boolean}} PictureOptions
 */

/**
 * Let the author choose one picture; return it, or undefined.
 * @param {PictureOptions} options @returns {Promise<Picture | undefined>}
 */
export const choosePicture = async (options) => (await choosePictures({ ...options, single: true }))[0];

/**
 * Let the author choose pictures; return them, or an empty array if the author cancels. Its property isGallery is
 * true if the author chose a gallery.
 * @param {PictureOptions} options @returns {Promise<Picture[] & {isGallery?: boolean}>}
 */
export async function choosePictures({ files = [], address, title, ...options }) {
  const chooser = Object.assign(new PictureChooser(), options);
  const number = files.length > 1 ? `${files.length} pictures` : "a picture";
  const renderContent = (/** @type {Close} */ close) => chooser.render(close);
  chooser.dialog = openDialog({ title: title ?? `Add ${number}`, kind: "wide", content: renderContent });
  if (files.length) chooser.uploadFiles(files);
  else chooser.searchPictures("", address);
  const chosen = (await chooser.dialog.result) ?? [];
  if (!chosen.length) chooser.deleteUploads();
  for (const { source } of chooser.chosen) URL.revokeObjectURL(source);
  return Object.assign(chosen, { isGallery: chooser.isGallery });
}

/**
 * The field for the address of a picture. more: another button.
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
 * Load a page of the library; return its pictures, and the number of all pictures that match the words.
 * @param {string} q @param {number} page
 */
async function loadPicturePage(q, page) {
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
  // The last loaded page of the library; 0 before the first response.
  page = 0;
  words = "";
  problem = "";
  /** @type {Promise<void> | undefined} */
  uploads = undefined;

  /**
   * Find pictures in the library; if an address is given, choose the picture with this address.
   * @param {string} words
   */
  searchPictures(words, address = "") {
    this.words = words;
    const q = words || decodeURIComponent(address.split("/").at(-1) ?? "");
    return this.runRequest(async () => {
      const { pictures, total } = await loadPicturePage(q, 1);
      if (this.words !== words) return;
      Object.assign(this, { library: pictures, total, page: 1 });
      const found = this.library.find(({ source }) => address && source === makeFileAddress(address));
      if (found) this.setChosen([found]);
      else if (address) this.problem = "The library does not contain this picture.";
    });
  }

  // Show the next page of the pictures that were found.
  showMore() {
    const { words, page } = this;
    return this.runRequest(async () => {
      const { pictures, total } = await loadPicturePage(words, page + 1);
      if (this.words !== words || this.page !== page) return;
      Object.assign(this, { library: [...this.library, ...pictures], total, page: page + 1 });
    });
  }

  /** @param {(File & {alt?: string})[]} files */
  uploadFiles(files) {
    const makeSource = (/** @type {File} */ file) => URL.createObjectURL(file);
    this.setChosen(files.map((file) => ({ file, name: file.name, source: makeSource(file), alt: file.alt ?? "" })));
    // Send one picture at a time, because the server processes few pictures at once.
    this.uploads = this.runRequest(async () => {
      for (const picture of this.chosen) {
        await this.sendPicture(picture);
        this.dialog.update();
      }
    });
  }

  /** @param {any[]} pictures */
  setChosen(pictures) {
    this.chosen = pictures;
    this.dialog.update();
    this.dialog.element.querySelector("textarea").focus();
  }

  /** @param {Json} picture */
  async sendPicture(picture) {
    const options = { file: picture.file, query: { name: picture.name } };
    const { data, status, warning } = await post("blog/media/", undefined, options);
    this.problem = warning ?? this.problem;
    const { uuid, url, alt, user } = data;
    // With another status, the library already had the file.
    Object.assign(picture, { uuid, url, alt: picture.alt || alt, stored: alt, user, isNew: status === 201 });
  }

  // Delete the files that were uploaded in this dialog, because the author has cancelled.
  async deleteUploads() {
    await this.uploads;
    for (const { uuid, isNew } of this.chosen) if (isNew) await del(`blog/media/${uuid}/`).catch(() => {});
  }

  // Store the alternative texts in the library, and close the dialog. A picture that has an alternative text keeps it
  // for other articles.
  /** @param {Close} close */
  async storeTexts(close) {
    await this.uploads;
    for (const picture of this.chosen) {
      if (!picture.uuid) await this.sendPicture(picture);
      const { uuid, alt, stored } = picture;
      const isStored = alt !== stored && (this.single || !stored) && mayChangeFile(picture);
      if (isStored) await patch(`blog/media/${uuid}/`, { alt });
    }
    close(this.chosen);
  }

  /** @param {() => Promise<void>} action */
  async runRequest(action) {
    this.problem = "";
    await action().catch(({ status, message }) => {
      this.problem = status ? message : `${message} “${this.action}” tries again.`;
    });
    this.dialog.update();
  }

  /** @param {Close} close */
  render(close) {
    const { chosen, action } = this;
    const finishChoice = () => this.runRequest(() => this.storeTexts(close));
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
    const use = button(label, () => this.setChosen(this.marked), { kind: "main" });
    return html`${problemAlert(this.problem)}
      ${chosen.length ? chosen.map((picture, n) => this.renderRow(picture, n, finishChoice)) : this.renderChoices()}
      <div class="dialog-buttons">${button("Cancel", () => close(), { kind: "bare" })}
        ${chosen.length ? buttons : this.marked.length ? use : nothing}</div>`;
  }

  renderChoices() {
    const upload = (/** @type {File[]} */ files) => this.uploadFiles(files);
    const searchPictures = (/** @type {string} */ words) => this.searchPictures(words);
    const markPicture = (/** @type {Media} */ media) => {
      const others = this.marked.filter(({ uuid }) => uuid !== media.uuid);
      this.marked = others.length < this.marked.length ? others : [...others, media];
      this.dialog.update();
    };
    const getNumber = (/** @type {Media} */ media) => this.marked.findIndex(({ uuid }) => uuid === media.uuid) + 1;
    const picture = (/** @type {Media} */ media) => html`<li><button type="button" aria-label=${media.alt || media.name}
      aria-pressed=${this.isGallery ? getNumber(media) > 0 : nothing}
      @click=${() => (this.isGallery ? markPicture(media) : this.setChosen([media]))}>
      ${getNumber(media) ? html`<span class="picture-number">${getNumber(media)}</span>` : nothing}
      ${thumbnail(media.url, "12.5rem")}</button></li>`;
    return html`<div class="picture-sources">
        ${fileButton("Upload from this device", upload, { icon: "upload", accept: "image/*", multiple: !this.single })}
        ${searchField({ label: "Search the library", id: "library", value: this.words, onInput: searchPictures })}
      </div><ul class="picture-grid">${this.library.map(picture)}</ul>
      <div class="picture-more"><span class="soft small" role="status">${this.describeResults()}</span>
        ${this.library.length < this.total ? button("Show more", () => this.showMore()) : nothing}</div>`;
  }

  describeResults() {
    const { library, total, words } = this;
    if (!total && words) return `No picture is named or described with “${words}”.`;
    if (!total) return this.page && !this.problem ? "The library has no pictures yet." : "";
    const all = formatCount(total, "picture");
    return library.length < total ? `${library.length} of ${all}` : all;
  }

  // Render the row of a picture. Enter moves the focus to the text of the next picture; in the last text, it calls
  // finish().
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
