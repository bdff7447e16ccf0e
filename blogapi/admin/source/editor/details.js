/** The panel with everything about an article that is not its text. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ACTIONS, MAIN_ACTIONS } from "../actions.js";
import { get, patch, post } from "../api.js";
import { button, checkbox, field, foldBox, onButton, renderSample } from "../components.js";
import { formatDayAndTime, toFields, toInstant } from "../format.js";
import { findPlace, listParents, renderPlaceField, placePage } from "../page-tree.js";
import { hasRole, mayChange } from "../roles.js";
import { session } from "../shell.js";
import { changeFieldsAtOnce, describeAddressProblem, FIELDS, isPage } from "./article.js";
import { findPictures } from "./blocks.js";
import { TEXT_FIELDS } from "./edits.js";
import { loadCustomFields, renderCustomFields } from "./custom-field-controls.js";
import { getTitle } from "../pages/lists.js";
import { TERM_KINDS } from "../pages/term-words.js";
import { choosePicture, renderPictureField } from "./pictures.js";
import "./picker.js";
import { renderLanguage, renderTranslations } from "./translations.js";

/** @typedef {keyof typeof TERM_KINDS} Kind */

// A page has no control for `featured`, because only lists of articles use it.
const TEXTS = TEXT_FIELDS.filter(
  ({ control, name }) => control === "details" && name !== "language" && !(isPage && name === "featured"),
);
const NO_ADDRESS = "The site has no address yet";
const KINDS = /** @type {Kind[]} */ (Object.keys(TERM_KINDS));

/**
 * Return the terms of each kind that a user can choose, and load the custom fields.
 * @returns {Promise<Record<Kind, Term[]>>}
 */
export async function loadTerms() {
  const query = { fields: "uuid,name,articles_by_status" };
  const loadKind = async (/** @type {Kind} */ kind) => [kind, (await get(`blog/${kind}/`, { query })).data];
  const [terms] = await Promise.all([Promise.all(KINDS.map(loadKind)), loadCustomFields()]);
  return Object.fromEntries(terms);
}

/** Load all pages, from which the place of a page is chosen, ordered by their positions. @param {EditorPage} page */
export async function loadPages(page) {
  const query = { status: "any", fields: "uuid,title,parent,position" };
  if (isPage) page.set({ pages: (await get("blog/pages/", { query })).data });
}

/** The fields for the parent of a page and for its place. A change applies at once. @param {EditorPage} page */
function renderPlace(page) {
  const { article, uuid } = page;
  /** @type {Article[]} */
  const pages = page.pages;
  /** @type {string | null} */
  const parent = article?.parent ?? null;
  /** @param {string | null} above @param {number} index */
  const movePage = (above, index) =>
    page.act("move", async () => {
      const changes = placePage(pages, uuid, above, index);
      const others = changes.filter((change) => change.uuid !== uuid);
      const own = changes.find((change) => change.uuid === uuid) ?? {};
      await page.runSaved(async () => {
        if (others.length) await patch("blog/pages/", others);
        return changeFieldsAtOnce(page, own);
      });
      await loadPages(page);
      page.schedulePreview(0);
    });
  const none = { uuid: "", name: "None" };
  const items = [none, ...listParents(pages, uuid).map((other) => ({ uuid: other.uuid, name: getTitle(other) }))];
  const chooseParent = (/** @type {CustomEvent<string[]>} */ { detail: [above] }) =>
    above !== (parent ?? "") && movePage(above || null, pages.length);
  const movePageToPlace = (/** @type {number} */ index) => movePage(parent, index);
  return html`<term-picker class="field" .label=${"Parent"} .items=${items} .chosen=${[parent ?? ""]} .single=${true}
      @choose=${chooseParent}></term-picker>
    ${renderPlaceField(pages, uuid, parent, findPlace(pages, uuid, parent), movePageToPlace, page.errors)}`;
}

/**
 * The details in the order of their use: the fields that each article needs are open, each other field is one line
 * with its value.
 * @param {EditorPage} page
 */
export function renderDetails(page) {
  const { edits, rendered } = page;
  const { excerpt, seo } = edits;
  const kinds = KINDS.filter((kind) => FIELDS.includes(TERM_KINDS[kind].field) && hasRole(TERM_KINDS[kind].chooser));
  const renderTermFields = (/** @type {boolean} */ areAuthors) =>
    kinds.filter((kind) => (kind === "authors") === areAuthors).map((kind) => renderTerms(page, kind));
  const renderTextFields = (/** @type {boolean} */ areRobots) =>
    TEXTS.filter(({ name }) => (name === "robots") === areRobots).map((text) => renderText(page, text));
  const ownNames = [seo.title, seo.description, seo.canonical_url].filter(Boolean);
  const names = listChosen(page, "authors").map(({ name }) => name);
  const define = button("Define custom fields", null, { kind: "bare", href: "/admin/custom-fields/" });
  const slugFault = page.errors.slug || describeAddressProblem(page);
  const excerptOptions = {
    help: excerpt ? "" : "Made from the text until you write one",
    counter: excerpt && `${excerpt.length} of 160`,
  };
  return html`
    ${page.pages ? renderPlace(page) : nothing} ${renderCover(page)} ${renderTermFields(false)}
    ${renderInput(page, "excerpt", "Excerpt", { type: "textarea", placeholder: rendered?.excerpt, ...excerptOptions })}
    <div class="folds">
      ${foldBox("Address", edits.slug || rendered?.slug || "", renderAddress(page), Boolean(slugFault))}
      ${kinds.includes("authors") ? foldBox("Authors", names.join(", ") || "Empty", renderTermFields(true)) : nothing}
      ${renderLanguage(page)} ${renderTextFields(false)}
      ${foldBox("Search and cards", ownNames.length ? ownNames[0] : "As the text says", renderAppearance(page))}
      ${renderTextFields(true)}
      ${renderCustomFields(page)} ${renderTranslations(page)} ${renderDate(page)}</div>
    ${hasRole("admin") ? define : nothing}`;
}

/** The line of the date of publication. A change applies at once. @param {EditorPage} page */
function renderDate(page) {
  const { status, published_at: date } = page.article ?? { status: "draft" };
  const value = date ? formatDayAndTime(date) : "Not published";
  const main = MAIN_ACTIONS[/** @type {Status} */ (status)];
  if (main !== ACTIONS.update || !mayChange(page.article))
    return foldBox("Date of publication", value, html`<p class="help">Set by the button ${main.name}.</p>`);
  const [own, now] = [date, new Date()].map((time) => Object.values(toFields(time)).join("T"));
  const applyDate = onButton(({ previousElementSibling: row }) => {
    const input = /** @type {HTMLInputElement} */ (row?.querySelector("input"));
    const [day, time] = input.value.split("T");
    const sendDate = () => changeFieldsAtOnce(page, { published_at: toInstant(day, time) });
    return input.reportValidity() && page.act("date", () => page.runSaved(sendDate));
  });
  const help = `Time zone of the site: ${session().site.time_zone}`;
  const input = { name: "published_at", label: "Date and time", type: "datetime-local", max: now, required: true };
  return foldBox(
    "Date of publication",
    value,
    html`${field({ ...input, value: own, errors: page.errors, help })}${button("Change the date", applyDate)}`,
    "published_at" in page.errors,
  );
}

/** @param {EditorPage} page */
function renderAddress(page) {
  const { article, rendered } = page;
  const isFree = ACTIONS.publish.from.includes(article?.status ?? "draft");
  const start = isFree ? "Free to change until you publish. After that the" : "The";
  const help = html`<span class="address">${rendered?.url}</span> ${start} old address keeps leading here.`;
  return renderInput(page, "slug", "Address", { placeholder: rendered?.slug, help });
}

/**
 * The field for a text of the article, such as "slug" or "seo.title".
 * @param {EditorPage} page @param {string} name @param {string} label @param {Json} options
 */
function renderInput(page, name, label, options) {
  const [key, inner] = name.split(".");
  const { edits, errors } = page;
  const text = edits[key];
  /** @param {string} value */
  const writeField = (value) => page.change({ [key]: inner ? { ...page.edits[key], [inner]: value } : value });
  const faults = { slug: describeAddressProblem(page), ...errors };
  return field({ name, label, errors: faults, value: inner ? text[inner] : text, onInput: writeField, ...options });
}

/**
 * The field for a text field that needs no code of its own, only its declaration.
 * @param {EditorPage} page @param {typeof TEXT_FIELDS[0]} text
 */
function renderText(page, { name, label, default: initial, choices }) {
  const value = page.edits[name];
  const writeText = (/** @type {string | boolean} */ changed) => page.change({ [name]: changed });
  const isFaulty = name in page.errors;
  if (typeof initial === "boolean") {
    const box = checkbox({ id: `field-${name}`, label, value, onChange: writeText });
    return foldBox(label, value ? "Yes" : "No", box, isFaulty);
  }
  if (!choices) return foldBox(label, value || "Empty", renderInput(page, name, label, { type: "textarea" }), isFaulty);
  const options = { type: "select", value, items: choices, onInput: writeText };
  return foldBox(label, choices[value], field({ name, label, errors: page.errors, ...options }), isFaulty);
}

/**
 * Return the chosen terms of a kind. If the edits have no category or byline, return those of the article; an empty
 * list of tags is a valid choice.
 * @param {EditorPage} page @param {Kind} kind @returns {Term[]}
 */
function listChosen({ edits, article, terms }, kind) {
  const { field: name, isSingle } = TERM_KINDS[kind];
  /** @type {Term[]} */
  const stored = [article?.[name] ?? []].flat();
  const isGiven = name === "tags" || (isSingle ? edits[name] !== null : edits[name].length > 0);
  if (!isGiven) return stored;
  /** @type {string[]} */
  const uuids = [edits[name]].flat();
  return uuids.flatMap((uuid) => [...terms[kind], ...stored].find((term) => term.uuid === uuid) ?? []);
}

/** @param {EditorPage} page @param {Kind} kind */
function renderTerms(page, kind) {
  const { noun, field: name, label, isSingle, creator } = TERM_KINDS[kind];
  const { terms } = page;
  const chosen = listChosen(page, kind).map(({ uuid }) => uuid);
  /** @param {CustomEvent<string[]>} event */
  const chooseTerms = ({ detail }) => page.change({ [name]: isSingle ? detail[0] : detail });
  /** @param {string} words */
  const createTerm = (words) =>
    page.act("create", async () => {
      const { data } = await post(`blog/${kind}/`, { name: words });
      page.set({ terms: { ...page.terms, [kind]: [...page.terms[kind], data] } });
      return data;
    });
  return html`<term-picker class="field" .label=${label} .kind=${noun} .items=${terms[kind]} .chosen=${chosen}
    .single=${Boolean(isSingle)} .create=${creator && hasRole(creator) ? createTerm : null}
    @choose=${chooseTerms}></term-picker>`;
}

/** @param {EditorPage} page */
function renderCover(page) {
  const address = page.edits.cover_image;
  const writeCover = (/** @type {string} */ url) => page.change({ cover_image: url });
  // The alternative text belongs to the picture in the library.
  const describeCover = async () => {
    const options = { title: "Alternative text of the cover", action: "Save text", address };
    const picture = await choosePicture(options);
    if (picture) writeCover(picture.url);
  };
  const [first] = findPictures(page.area?.field.getText() ?? "");
  // The API knows the address of a picture of the library.
  const takeFirst = async () => {
    const uuid = /^media:(.+)$/.exec(first)?.[1];
    writeCover(uuid ? (await get(`blog/media/${uuid}/`, { query: { fields: "url" } })).data.url : first);
  };
  const more = address
    ? address.includes("/media/") && button("Alternative text", describeCover, { kind: "bare" })
    : [
        first && button("Take the first picture of the text", () => page.act("cover", takeFirst), { kind: "bare" }),
        html`<span class="help">Or drop one here</span>`,
      ];
  const words = { name: "Cover", label: "Cover", title: "Choose the cover", action: "Use as cover" };
  return renderPictureField({ ...words, address, more: more || nothing, write: writeCover });
}

/** Upload a picture that was dropped on the cover. @param {EditorPage} page @param {File} file */
export async function useDroppedCover(page, file) {
  const picture = await choosePicture({ files: [file], title: "Choose the cover", action: "Use as cover" });
  if (picture) page.change({ cover_image: picture.url });
}

/** @param {EditorPage} page */
function renderAppearance(page) {
  const { edits, rendered } = page;
  const { seo } = edits;
  const about = edits.subtitle || edits.excerpt || (rendered?.excerpt ?? "");
  const [title, description] = [seo.title || edits.title, seo.description || about];
  const picture = seo.og_image || edits.cover_image;
  const address = rendered?.url ?? session().site.url;
  const { host, href } = address ? new URL(address) : { host: NO_ADDRESS, href: NO_ADDRESS };
  const aboutOptions = { type: "textarea", placeholder: about, counter: `${description.length} of 160` };
  const help = "Only if it was published elsewhere first.";
  const texts = { title, description };
  const titleOptions = { placeholder: edits.title, counter: `${title.length} of 60` };
  return html`<div>${renderSample({ ...texts, label: "Search result", host: href })}
      ${renderSample({ ...texts, label: "Card", host, kind: "card", picture })}</div>
    ${renderInput(page, "seo.title", "Title elsewhere", titleOptions)}
    ${renderInput(page, "seo.description", "Description elsewhere", aboutOptions)}
    ${renderInput(page, "seo.canonical_url", "Original address", { help })}`;
}
