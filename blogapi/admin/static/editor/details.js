/** The panel with everything about an article that is not its text. */

import { html, nothing } from "../vendor/lit.js";
import { ACTIONS } from "../actions.js";
import { get, post } from "../api.js";
import { button, checkbox, field } from "../components.js";
import { hasRole } from "../roles.js";
import { session } from "../shell.js";
import { describeAddress, isPage, pathOf } from "./article.js";
import { TEXT_FIELDS } from "./edits.js";
import { loadCustomFields, customFields } from "./custom-field-controls.js";
import { choosePictures } from "./pictures.js";
import "./picker.js";
import { languages } from "./translations.js";

// Only lists of articles show featured ones.
const TEXTS = TEXT_FIELDS.filter(
  ({ control, name }) => control === "details" && name !== "language" && !(isPage && name === "featured"),
);
const NO_ADDRESS = "The site has no address yet";
// For each kind of term: the field of the article, its label, and the noun for one term.
const TERMS = {
  categories: ["category", "Category", "category"],
  tags: ["tags", "Tags", "tag"],
  authors: ["authors", "Authors", "author"],
};

/** Return the terms that can be chosen: {categories, tags, authors}, each [{uuid, name, articles_by_status}]. */
export async function loadTerms() {
  const query = { fields: "uuid,name,articles_by_status" };
  const read = async (kind) => [kind, (await get(`blog/${kind}/`, { query })).data];
  const [, ...terms] = await Promise.all([loadCustomFields(), ...Object.keys(TERMS).map(read)]);
  return Object.fromEntries(terms);
}

/** Load the title of the page above a page into `page.above`. */
export async function loadAbove(page) {
  const parent = page.article?.parent;
  if (parent) page.set({ above: (await get(pathOf(parent), { query: { fields: "title" } })).data.title });
}

// A page changes its place at once, so that is done in the list, which shows the other pages.
const place = ({ above, article }) => html`<div class="field"><span class="label">Place</span>
  <p dir="auto">${above ? `Below “${above}”` : "At the top"}, position ${article.position}</p>
  <p class="help"><a href="/admin/pages/">Move it in the list of pages</a></p></div>`;

/** `page` has edits, article, rendered, terms, errors and change(fields). */
export function details(page) {
  const { edits, article, rendered } = page;
  const { excerpt } = edits;
  const isFree = ACTIONS.publish.from.includes(article?.status ?? "draft");
  const start = isFree ? "Free to change until you publish. After that the" : "The";
  const help = html`<span class="address">${rendered?.url}</span> ${start} old address keeps leading here.`;
  // Editors choose the byline.
  const kinds = Object.keys(TERMS).filter((kind) =>
    kind === "categories" ? !isPage : kind !== "authors" || hasRole("editor"),
  );
  const lists = {
    help: isPage ? "For search results and cards" : "For lists, feeds and search results",
    counter: excerpt && `${excerpt.length} of 160`,
  };
  return html`
    ${languages(page)}
    ${input(page, "slug", "Address", { placeholder: rendered?.slug, help })}
    ${isPage && article ? place(page) : nothing}
    ${input(page, "excerpt", "Excerpt", { type: "textarea", rows: 4, placeholder: rendered?.excerpt, ...lists })}
    ${TEXTS.map((text) => detail(page, text))}
    ${kinds.map((kind) => picker(page, kind))} ${customFields(page)} ${cover(page)} ${appearance(page)}`;
}

// The field for a text of the article, such as "slug" or "seo.title".
function input(page, name, label, options) {
  const [key, inner] = name.split(".");
  const { edits, errors } = page;
  const text = edits[key];
  const write = (value) => page.change({ [key]: inner ? { ...page.edits[key], [inner]: value } : value });
  const faults = { slug: describeAddress(page), ...errors };
  return field({ name, label, errors: faults, value: inner ? text[inner] : text, onInput: write, ...options });
}

// The field for a text that only the declaration of the text fields names.
function detail(page, { name, label, default: initial, choices }) {
  const value = page.edits[name];
  if (typeof initial === "boolean") {
    const onChange = (checked) => page.change({ [name]: checked });
    return checkbox({ id: `field-${name}`, label, value, onChange });
  }
  if (!choices) return input(page, name, label, { type: "textarea", rows: 2 });
  const write = (chosen) => page.change({ [name]: chosen });
  return field({ name, label, errors: page.errors, type: "select", value, items: choices, onInput: write });
}

// Authors create tags; profiles are made on their own page.
const mayCreate = (/** @type {string} */ kind) => kind === "tags" || (kind === "categories" && hasRole("editor"));

function picker(page, kind) {
  const [name, label, one] = TERMS[kind];
  const isSingle = name === "category";
  const { edits, article, terms } = page;
  // A new article has the byline that the server gives it.
  const own = name === "authors" ? article?.authors?.map(({ uuid }) => uuid) : null;
  const chosen = isSingle
    ? [edits.category ?? article?.category?.uuid]
    : edits[name].length
      ? edits[name]
      : (own ?? []);
  const choose = ({ detail }) => page.change({ [name]: isSingle ? detail[0] : detail });
  const add = async (words) => {
    const { data } = await post(`blog/${kind}/`, { name: words });
    page.set({ terms: { ...page.terms, [kind]: [...page.terms[kind], data] } });
    return data;
  };
  const create = (words) => page.act("create", () => add(words));
  return html`<term-picker class="field" .label=${label} .kind=${one} .items=${terms[kind]} .chosen=${chosen}
    .single=${isSingle} .create=${mayCreate(kind) ? create : null} @choose=${choose}></term-picker>`;
}

function cover(page) {
  const address = page.edits.cover_image;
  const take = (picture) => page.change({ cover_image: picture.url });
  const choose = (text, kind, options) =>
    button(text, async () => (await choosePictures({ single: true, ...options })).forEach(take), { kind });
  const replace = { title: "Choose the cover", action: "Use as cover" };
  // The alternative text belongs to the picture in the library.
  const describe = { title: "Alternative text of the cover", action: "Save text", address };
  return html`<div class="field cover" role="group" aria-label="Cover"><span class="label">Cover</span>
    ${address ? html`<img src=${address} alt="">` : nothing}
    <div class="cover-buttons">${choose(address ? "Replace" : "Choose a picture", "", replace)}
      ${address.includes("/media/") ? choose("Alternative text", "bare", describe) : nothing}
      ${address ? button("Remove", () => take({ url: "" }), { kind: "bare" }) : nothing}
    </div></div>`;
}

function appearance(page) {
  const { edits, rendered } = page;
  const { seo } = edits;
  const about = edits.subtitle || edits.excerpt || (rendered?.excerpt ?? "");
  const [title, description] = [seo.title || edits.title, seo.description || about];
  const picture = seo.og_image || edits.cover_image;
  const address = rendered?.url ?? session().site.url;
  const { host, href } = address ? new URL(address) : { host: NO_ADDRESS, href: NO_ADDRESS };
  const counter = `${description.length} of 160`;
  const help = "Only if it was published elsewhere first.";
  const sample = (label, kind, address) => html`<div class="elsewhere ${kind}" role="group"
    aria-label=${label} dir="auto">${kind && picture ? html`<img src=${picture} alt="">` : nothing}
      <p class="host">${address}</p><p class="title">${title}</p><p>${description}</p></div>`;
  return html`<div class="field"><span class="label">How it looks elsewhere</span>
      ${sample("Search result", "", href)} ${sample("Card", "card", host)}</div>
    <details class="field">
      <summary class="link-button">Write others</summary>
      ${input(page, "seo.title", "Title elsewhere", { placeholder: edits.title, counter: `${title.length} of 60` })}
      ${input(page, "seo.description", "Description elsewhere", { type: "textarea", placeholder: about, counter })}
      ${input(page, "seo.canonical_url", "Original address", { help })}</details>`;
}
