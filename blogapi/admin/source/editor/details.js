/** The panel Details, with the fields of an article other than its text. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ACTIONS, MAIN_ACTIONS } from "../actions.js";
import { get, patch, post } from "../api.js";
import { button, checkbox, field, foldBox, withButton, renderSample } from "../components.js";
import { formatDayAndTime, toDateInputs, toDate } from "../format.js";
import { indexOfPage, listNewParents, positionField, makeMoveChanges } from "../page-tree.js";
import { hasRole, mayChangeItem } from "../roles.js";
import { getSession } from "../shell.js";
import { changeFieldsAtOnce, describeAddressProblem, EDITED_FIELDS, isPage } from "./article.js";
import { findPictureAddresses } from "./blocks.js";
import { TEXT_FIELDS } from "./edits.js";
import { loadCustomFields, renderCustomFields } from "./custom-field-controls.js";
import { getTitle } from "../pages/items.js";
import { TERM_KINDS } from "../pages/term-kinds.js";
import { choosePicture, renderPictureField } from "./pictures.js";
import "./term-picker.js";
import { renderLanguageField, renderTranslations } from "./translations.js";

/** @typedef {keyof typeof TERM_KINDS} TermKindName */

// A page has no control for `featured`, because only lists of articles use it.
const TEXT_INPUTS = TEXT_FIELDS.filter(
  ({ control, name }) => control === "details" && name !== "language" && !(isPage && name === "featured"),
);
const NO_ADDRESS = "The site has no address yet";
const TERM_KIND_NAMES = /** @type {TermKindName[]} */ (Object.keys(TERM_KINDS));

/**
 * Return the terms of each kind that a user can choose, and load the custom fields.
 * @returns {Promise<Record<TermKindName, Term[]>>}
 */
export async function loadTermsAndFields() {
  const query = { fields: "uuid,name,articles_by_status" };
  const loadKind = async (/** @type {TermKindName} */ kind) => [kind, (await get(`blog/${kind}/`, { query })).data];
  const [terms] = await Promise.all([Promise.all(TERM_KIND_NAMES.map(loadKind)), loadCustomFields()]);
  return Object.fromEntries(terms);
}

/** Load all pages of the blog, ordered by position, for the choice of the place of a page. @param {EditorPage} page */
export async function loadPages(page) {
  const query = { status: "any", fields: "uuid,title,parent,position" };
  if (isPage) page.setFields({ pages: (await get("blog/pages/", { query })).data });
}

/** Render the fields for the parent and the place of a page; a change is saved at once. @param {EditorPage} page */
function renderParentAndPosition(page) {
  const { article, uuid } = page;
  /** @type {Article[]} */
  const pages = page.pages;
  /** @type {string | null} */
  const parent = article?.parent ?? null;
  /** @param {string | null} above @param {number} index */
  const movePage = (above, index) =>
    page.runTask("move", async () => {
      const changes = makeMoveChanges(pages, uuid, above, index);
      const others = changes.filter((change) => change.uuid !== uuid);
      const own = changes.find((change) => change.uuid === uuid) ?? {};
      await page.saveAndSend(async () => {
        if (others.length) await patch("blog/pages/", others);
        return changeFieldsAtOnce(page, own);
      });
      await loadPages(page);
      page.schedulePreview(0);
    });
  const noParent = { uuid: "", name: "None" };
  const items = [noParent, ...listNewParents(pages, uuid).map((item) => ({ uuid: item.uuid, name: getTitle(item) }))];
  const chooseParent = (/** @type {CustomEvent<string[]>} */ { detail: [above] }) =>
    above !== (parent ?? "") && movePage(above || null, pages.length);
  const movePageToIndex = (/** @type {number} */ index) => movePage(parent, index);
  return html`<term-picker class="field" .label=${"Parent"} .items=${items} .chosen=${[parent ?? ""]} .single=${true}
      @choose=${chooseParent}></term-picker>
    ${positionField(pages, uuid, parent, indexOfPage(pages, uuid, parent), movePageToIndex, page.errors)}`;
}

/**
 * Render the fields in the order of their use. The fields that each article needs are open; each other field is folded
 * to one line with its value.
 * @param {EditorPage} page
 */
export function renderDetails(page) {
  const { edits, rendered } = page;
  const { excerpt, seo } = edits;
  const isOffered = ({ field = "", chooser = "" }) => EDITED_FIELDS.includes(field) && hasRole(chooser);
  const kinds = TERM_KIND_NAMES.filter((kind) => isOffered(TERM_KINDS[kind]));
  const renderTermFields = (/** @type {boolean} */ areAuthors) =>
    kinds.filter((kind) => (kind === "authors") === areAuthors).map((kind) => renderTermPicker(page, kind));
  const renderTextFields = (/** @type {boolean} */ areRobots) =>
    TEXT_INPUTS.filter(({ name }) => (name === "robots") === areRobots).map((text) => renderDeclaredField(page, text));
  const ownNames = [seo.title, seo.description, seo.canonical_url].filter(Boolean);
  const names = listChosenTerms(page, "authors").map(({ name }) => name);
  const defineLink = button("Define custom fields", null, { kind: "bare", href: "/admin/custom-fields/" });
  const slugFault = page.errors.slug || describeAddressProblem(page);
  const excerptMore = {
    help: excerpt ? "" : "Made from the text until you write one",
    counter: excerpt && `${excerpt.length} of 160`,
  };
  return html`
    ${page.pages ? renderParentAndPosition(page) : nothing} ${renderCoverField(page)} ${renderTermFields(false)}
    ${renderTextField(page, "excerpt", "Excerpt", { type: "textarea", placeholder: rendered?.excerpt, ...excerptMore })}
    <div class="folds">
      ${foldBox("Address", edits.slug || rendered?.slug || "", renderAddressField(page), Boolean(slugFault))}
      ${kinds.includes("authors") ? foldBox("Authors", names.join(", ") || "Empty", renderTermFields(true)) : nothing}
      ${renderLanguageField(page)} ${renderTextFields(false)}
      ${foldBox("Search and cards", ownNames.length ? ownNames[0] : "From the text", renderSearchAndCards(page))}
      ${renderTextFields(true)}
      ${renderCustomFields(page)} ${renderTranslations(page)} ${renderPublicationDate(page)}</div>
    ${hasRole("admin") ? defineLink : nothing}`;
}

/** Render the fold with the date of publication; a change is saved at once. @param {EditorPage} page */
function renderPublicationDate(page) {
  const { status, published_at: date } = page.article ?? { status: "draft" };
  const value = date ? formatDayAndTime(date) : "Not published";
  const main = MAIN_ACTIONS[/** @type {Status} */ (status)];
  if (main !== ACTIONS.update || !mayChangeItem(page.article))
    return foldBox("Date of publication", value, html`<p class="help">Set by the button ${main.name}.</p>`);
  const [own, now] = [date, new Date()].map((time) => Object.values(toDateInputs(time)).join("T"));
  const applyDate = withButton(({ previousElementSibling: row }) => {
    const input = /** @type {HTMLInputElement} */ (row?.querySelector("input"));
    const [day, time] = input.value.split("T");
    const sendDate = () => changeFieldsAtOnce(page, { published_at: toDate(day, time) });
    return input.reportValidity() && page.runTask("date", () => page.saveAndSend(sendDate));
  });
  const help = `Time zone of the site: ${getSession().site.time_zone}`;
  const input = { name: "published_at", label: "Date and time", type: "datetime-local", max: now, required: true };
  return foldBox(
    "Date of publication",
    value,
    html`${field({ ...input, value: own, errors: page.errors, help })}${button("Change the date", applyDate)}`,
    "published_at" in page.errors,
  );
}

/** @param {EditorPage} page */
function renderAddressField(page) {
  const { article, rendered } = page;
  const isFree = ACTIONS.publish.from.includes(article?.status ?? "draft");
  const start = isFree ? "Free to change until you publish. After that the" : "The";
  const help = html`<span class="address">${rendered?.url}</span> ${start} old address keeps leading here.`;
  return renderTextField(page, "slug", "Address", { placeholder: rendered?.slug, help });
}

/**
 * Render the input for a text of the article, such as "slug" or "seo.title".
 * @param {EditorPage} page @param {string} name @param {string} label @param {Json} options
 */
function renderTextField(page, name, label, options) {
  const [key, inner] = name.split(".");
  const { edits, errors } = page;
  const text = edits[key];
  /** @param {string} value */
  const writeField = (value) => page.changeEdits({ [key]: inner ? { ...page.edits[key], [inner]: value } : value });
  const faults = { slug: describeAddressProblem(page), ...errors };
  return field({ name, label, errors: faults, value: inner ? text[inner] : text, onInput: writeField, ...options });
}

/**
 * Render the control of a text field from the declaration of the server.
 * @param {EditorPage} page @param {typeof TEXT_FIELDS[0]} text
 */
function renderDeclaredField(page, { name, label, default: initial, choices }) {
  const value = page.edits[name];
  const writeText = (/** @type {string | boolean} */ changed) => page.changeEdits({ [name]: changed });
  const isFaulty = name in page.errors;
  if (typeof initial === "boolean") {
    const box = checkbox({ id: `field-${name}`, label, value, onChange: writeText });
    return foldBox(label, value ? "Yes" : "No", box, isFaulty);
  }
  if (!choices)
    return foldBox(label, value || "Empty", renderTextField(page, name, label, { type: "textarea" }), isFaulty);
  const options = { type: "select", value, items: choices, onInput: writeText };
  return foldBox(label, choices[value], field({ name, label, errors: page.errors, ...options }), isFaulty);
}

/**
 * Return the chosen terms of a kind. If the edits have no category or authors, return the article's; an empty list of
 * tags is a valid choice.
 * @param {EditorPage} page @param {TermKindName} kind @returns {Term[]}
 */
function listChosenTerms({ edits, article, terms }, kind) {
  const { field: name, isSingle } = TERM_KINDS[kind];
  /** @type {Term[]} */
  const stored = [article?.[name] ?? []].flat();
  const isGiven = name === "tags" || (isSingle ? edits[name] !== null : edits[name].length > 0);
  if (!isGiven) return stored;
  /** @type {string[]} */
  const uuids = [edits[name]].flat();
  return uuids.flatMap((uuid) => [...terms[kind], ...stored].find((term) => term.uuid === uuid) ?? []);
}

/** @param {EditorPage} page @param {TermKindName} kind */
function renderTermPicker(page, kind) {
  const { noun, field: name, label, isSingle, creator } = TERM_KINDS[kind];
  const { terms } = page;
  const chosen = listChosenTerms(page, kind).map(({ uuid }) => uuid);
  /** @param {CustomEvent<string[]>} event */
  const chooseTerms = ({ detail }) => page.changeEdits({ [name]: isSingle ? detail[0] : detail });
  /** @param {string} words */
  const createTerm = (words) =>
    page.runTask("create", async () => {
      const { data } = await post(`blog/${kind}/`, { name: words });
      page.setFields({ terms: { ...page.terms, [kind]: [...page.terms[kind], data] } });
      return data;
    });
  return html`<term-picker class="field" .label=${label} .kind=${noun} .items=${terms[kind]} .chosen=${chosen}
    .single=${Boolean(isSingle)} .create=${creator && hasRole(creator) ? createTerm : null}
    @choose=${chooseTerms}></term-picker>`;
}

/** @param {EditorPage} page */
function renderCoverField(page) {
  const address = page.edits.cover_image;
  const writeCover = (/** @type {string} */ url) => page.changeEdits({ cover_image: url });
  // The alternative text belongs to the picture in the library.
  const describeCover = async () => {
    const options = { title: "Alternative text of the cover", action: "Save text", address };
    const picture = await choosePicture(options);
    if (picture) writeCover(picture.url);
  };
  const [first] = findPictureAddresses(page.area?.field.getText() ?? "");
  // The text has only the uuid of a picture of the library, so the API is asked for its address.
  const useFirstPicture = async () => {
    const uuid = /^media:(.+)$/.exec(first)?.[1];
    writeCover(uuid ? (await get(`blog/media/${uuid}/`, { query: { fields: "url" } })).data.url : first);
  };
  const more = address
    ? address.includes("/media/") && button("Alternative text", describeCover, { kind: "bare" })
    : [
        first &&
          button("Take the first picture of the text", () => page.runTask("cover", useFirstPicture), { kind: "bare" }),
        html`<span class="help">Or drop one here</span>`,
      ];
  const words = { name: "Cover", label: "Cover", title: "Choose the cover", action: "Use as cover" };
  return renderPictureField({ ...words, address, more: more || nothing, write: writeCover });
}

/**
 * Upload a picture that was dropped on the field Cover, and use it as the cover.
 * @param {EditorPage} page @param {File} file
 */
export async function useDroppedCover(page, file) {
  const picture = await choosePicture({ files: [file], title: "Choose the cover", action: "Use as cover" });
  if (picture) page.changeEdits({ cover_image: picture.url });
}

/** @param {EditorPage} page */
function renderSearchAndCards(page) {
  const { edits, rendered } = page;
  const { seo } = edits;
  const about = edits.subtitle || edits.excerpt || (rendered?.excerpt ?? "");
  const [title, description] = [seo.title || edits.title, seo.description || about];
  const picture = seo.og_image || edits.cover_image;
  const address = rendered?.url ?? getSession().site.url;
  const { host, href } = address ? new URL(address) : { host: NO_ADDRESS, href: NO_ADDRESS };
  const aboutOptions = { type: "textarea", placeholder: about, counter: `${description.length} of 160` };
  const help = "Only if it was published elsewhere first.";
  const texts = { title, description };
  const titleOptions = { placeholder: edits.title, counter: `${title.length} of 60` };
  return html`<div>${renderSample({ ...texts, label: "Search result", host: href })}
      ${renderSample({ ...texts, label: "Card", host, kind: "card", picture })}</div>
    ${renderTextField(page, "seo.title", "Title for search engines", titleOptions)}
    ${renderTextField(page, "seo.description", "Description for search engines", aboutOptions)}
    ${renderTextField(page, "seo.canonical_url", "Canonical address", { help })}`;
}
