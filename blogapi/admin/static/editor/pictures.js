// The dialog for pictures: new ones or those of the library, each with its alternative text.

import { html, nothing } from "../vendor/lit.js";
import { get, patch, post } from "../api.js";
import { button, field, icon, openDialog, problem, searchField } from "../components.js";

// Return the chosen pictures: [{uuid, url, alt}]; none if the author cancels. `files` are uploaded at once.
export async function choosePictures({ files = [], single = false, title = "Add a picture" } = {}) {
  const chooser = new Chooser(single);
  chooser.dialog = openDialog({ title, kind: "wide", content: (close) => chooser.draw(close) });
  if (files.length) chooser.upload(files);
  else chooser.search("");
  const chosen = (await chooser.dialog.result) ?? [];
  for (const { file, source } of chooser.chosen) if (file) URL.revokeObjectURL(source);
  return chosen;
}

class Chooser {
  chosen = [];
  library = [];
  words = "";
  trouble = "";

  constructor(single) {
    this.single = single;
  }

  draw(close) {
    const finish = () => this.#try(() => this.#finish(close));
    return html`${problem(this.trouble)}
      ${this.chosen.length ? this.chosen.map((picture, n) => this.#row(picture, n)) : this.#choices()}
      <div class="dialog-buttons">${button({ text: "Cancel", kind: "bare", onClick: () => close() })}
        ${this.chosen.length ? button({ text: "Insert", kind: "main", onClick: finish }) : nothing}</div>`;
  }

  #choices() {
    const upload = ({ target }) => target.files.length && this.upload([...target.files]);
    const search = (words) => this.search(words);
    return html`<div class="picture-sources">
        <label class="button upload">${icon("upload")} Upload from this device
          <input type="file" class="sr-only" accept="image/*" ?multiple=${!this.single} @change=${upload}>
        </label>
        ${searchField({ label: "Search the library", id: "library", value: this.words, onInput: search })}
      </div>
      <ul class="picture-grid">${this.library.map((media) => html`<li><button type="button"
        aria-label=${media.alt || media.name} @click=${() => this.#choose([{ ...media, source: media.url }])}>
        <img src=${media.renditions[0]?.url ?? media.url} alt="" loading="lazy"></button></li>`)}</ul>`;
  }

  #row(picture, n) {
    const { uuid, name, source, alt, isUnsent } = picture;
    const label = "What the picture says, in a sentence";
    const help = uuid ? name : `${name}, ${isUnsent ? "not uploaded" : "uploading…"}`;
    const onInput = (text) => (picture.alt = text);
    return html`<div class="picture-row"><img src=${source} alt="">
      ${field({ id: `alt-${n}`, label, type: "textarea", rows: 2, maxlength: 1000, value: alt, help,
        onInput })}</div>`;
  }

  search(words) {
    this.words = words;
    return this.#try(async () => {
      const fields = "uuid,name,alt,url,renditions";
      const query = { type: "image", page: 1, page_size: 24, q: words, fields };
      const { data } = await get("blog/media/", { query });
      if (this.words === words) this.library = data;
    });
  }

  upload(files) {
    const show = (file) => ({ file, name: file.name, source: URL.createObjectURL(file), alt: "" });
    this.#choose(files.map(show));
    this.uploads = Promise.all(this.chosen.map((picture) => this.#try(() => this.#send(picture))));
  }

  #choose(pictures) {
    this.chosen = pictures;
    this.dialog.update();
    this.dialog.element.querySelector("textarea").focus();
  }

  async #send(picture) {
    picture.isUnsent = false;
    const options = { file: picture.file, query: { name: picture.name } };
    const { data } = await post("blog/media/", undefined, options).finally(() => (picture.isUnsent = true));
    const { uuid, url, alt } = data;
    Object.assign(picture, { uuid, url, alt: picture.alt || alt, isNew: !alt });
  }

  // Store the alternative text in the library if the picture had none.
  async #finish(close) {
    await this.uploads;
    for (const picture of this.chosen) {
      if (!picture.uuid) await this.#send(picture);
      if (picture.isNew && picture.alt) await patch(`blog/media/${picture.uuid}/`, { alt: picture.alt });
    }
    close(this.chosen);
  }

  async #try(action) {
    this.trouble = "";
    await action().catch((error) => (this.trouble = error.detail ?? String(error)));
    this.dialog?.update();
  }
}
