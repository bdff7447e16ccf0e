/** The panel with everything about an article that is not its text. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ACTIONS } from "../actions.js";
import { get, post } from "../api.js";
import { button, checkbox, field, renderSample } from "../components.js";
import { hasRole } from "../roles.js";
import { session } from "../shell.js";
import { describeAddress, FIELDS, isPage, pathOf } from "./article.js";
import { TEXT_FIELDS } from "./edits.js";
import { loadCustomFields, renderCustomFields } from "./custom-field-controls.js";
import { TERM_KINDS } from "../pages/term-words.js";
import { choosePicture, renderPictureField } from "./pictures.js";
import "./picker.js";
import { renderLanguages } from "./translations.js";

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
  const read = async (/** @type {Kind} */ kind) => [kind, (await get(`blog/${kind}/`, { query })).data];
  const [terms] = await Promise.all([Promise.all(KINDS.map(read)), loadCustomFields()]);
  return Object.fromEntries(terms);
}

/** Load the title of the page above a page into `page.parentTitle`. @param {EditorPage} page */
export async function loadParent(page) {
  const parent = page.article?.parent;
  if (parent) page.set({ parentTitle: (await get(pathOf(parent), { query: { fields: "title" } })).data.title });
}

/**
 * Render the position of a page. The editor cannot change it, because a move applies at once.
 * @param {EditorPage} page
 */
const renderPosition = ({ parentTitle, article }) => html`<div class="field"><span class="label">Place</span>
  <p dir="auto">${parentTitle ? `Below “${parentTitle}”` : "At the top"}, position ${article.position}</p>
  <p class="help"><a href="/admin/pages/">Move it in the list of pages</a></p></div>`;

/** @param {EditorPage} page */
export function renderDetails(page) {
  const { edits, article, rendered } = page;
  const { excerpt } = edits;
  const isFree = ACTIONS.publish.from.includes(article?.status ?? "draft");
  const start = isFree ? "Free to change until you publish. After that the" : "The";
  const help = html`<span class="address">${rendered?.url}</span> ${start} old address keeps leading here.`;
  const kinds = KINDS.filter((kind) => FIELDS.includes(TERM_KINDS[kind].field) && hasRole(TERM_KINDS[kind].chooser));
  const lists = {
    help: isPage ? "For search results and cards" : "For lists, feeds and search results",
    counter: excerpt && `${excerpt.length} of 160`,
  };
  return html`
    ${renderLanguages(page)}
    ${renderInput(page, "slug", "Address", { placeholder: rendered?.slug, help })}
    ${isPage && article ? renderPosition(page) : nothing}
    ${renderInput(page, "excerpt", "Excerpt", { type: "textarea", rows: 4, placeholder: rendered?.excerpt, ...lists })}
    ${TEXTS.map((text) => renderText(page, text))}
    ${kinds.map((kind) => renderTerms(page, kind))}
    ${renderCustomFields(page)} ${renderCover(page)} ${renderAppearance(page)}`;
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
  const write = (value) => page.change({ [key]: inner ? { ...page.edits[key], [inner]: value } : value });
  const faults = { slug: describeAddress(page), ...errors };
  return field({ name, label, errors: faults, value: inner ? text[inner] : text, onInput: write, ...options });
}

/**
 * The field for a text field that needs no code of its own, only its declaration.
 * @param {EditorPage} page @param {typeof TEXT_FIELDS[0]} text
 */
function renderText(page, { name, label, default: initial, choices }) {
  const value = page.edits[name];
  const write = (/** @type {string | boolean} */ changed) => page.change({ [name]: changed });
  if (typeof initial === "boolean") return checkbox({ id: `field-${name}`, label, value, onChange: write });
  if (!choices) return renderInput(page, name, label, { type: "textarea", rows: 2 });
  return field({ name, label, errors: page.errors, type: "select", value, items: choices, onInput: write });
}

/** @param {EditorPage} page @param {Kind} kind */
function renderTerms(page, kind) {
  const { noun, field: name, label, isSingle, creator } = TERM_KINDS[kind];
  const { edits, article, terms } = page;
  /** @type {Term[]} */
  const stored = [article?.[name] ?? []].flat();
  // If the edits have no category or byline, the field shows that of the article. An empty list of tags is a valid
  // choice.
  const isGiven = name === "tags" || (isSingle ? edits[name] !== null : edits[name].length > 0);
  const chosen = isGiven ? [edits[name]].flat() : stored.map(({ uuid }) => uuid);
  /** @param {CustomEvent<string[]>} event */
  const choose = ({ detail }) => page.change({ [name]: isSingle ? detail[0] : detail });
  /** @param {string} words */
  const create = (words) =>
    page.act("create", async () => {
      const { data } = await post(`blog/${kind}/`, { name: words });
      page.set({ terms: { ...page.terms, [kind]: [...page.terms[kind], data] } });
      return data;
    });
  return html`<term-picker class="field" .label=${label} .kind=${noun} .items=${terms[kind]} .chosen=${chosen}
    .single=${Boolean(isSingle)} .create=${creator && hasRole(creator) ? create : null}
    @choose=${choose}></term-picker>`;
}

/** @param {EditorPage} page */
function renderCover(page) {
  const address = page.edits.cover_image;
  const write = (/** @type {string} */ url) => page.change({ cover_image: url });
  // The alternative text belongs to the picture in the library.
  const describe = async () => {
    const options = { title: "Alternative text of the cover", action: "Save text", address };
    const picture = await choosePicture(options);
    if (picture) write(picture.url);
  };
  const more = address.includes("/media/") ? button("Alternative text", describe, { kind: "bare" }) : nothing;
  const words = { name: "Cover", label: "Cover", title: "Choose the cover", action: "Use as cover" };
  return renderPictureField({ ...words, address, more, write });
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
  return html`<div class="field"><span class="label">How it looks elsewhere</span>
      ${renderSample({ ...texts, label: "Search result", host: href })}
      ${renderSample({ ...texts, label: "Card", host, kind: "card", picture })}</div>
    <details class="field">
      <summary class="link-button">Write others</summary>
      ${renderInput(page, "seo.title", "Title elsewhere", titleOptions)}
      ${renderInput(page, "seo.description", "Description elsewhere", aboutOptions)}
      ${renderInput(page, "seo.canonical_url", "Original address", { help })}</details>`;
}
