/** The panel with everything about an article that is not its text. */

import { html, nothing } from "../vendor/lit.js";
import { get, post } from "../api.js";
import { button, field, segments } from "../components.js";
import { session } from "../shell.js";
import { guessSlug } from "./document.js";
import { choosePictures } from "./pictures.js";
import "./picker.js";

// For each kind of terms: the field of the document, its label, and what one term is called.
const TERMS = {
  categories: ["category", "Category", "category"],
  tags: ["tags", "Tags", "tag"],
  authors: ["authors", "Authors", "author"],
};

/** Return the terms that can be chosen: {categories, tags, authors}, each [{uuid, name, articles_count}]. */
export async function loadTerms() {
  const query = { fields: "uuid,name,articles_count" };
  const read = async (kind) => [kind, (await get(`blog/${kind}/`, { query })).data];
  return Object.fromEntries(await Promise.all(Object.keys(TERMS).map(read)));
}

/** `page` has document, article, terms, errors, excerpt (generated), look, ownSeo and change(fields). */
export function details(page) {
  const { document: { excerpt }, article } = page;
  const isFree = ["draft", "scheduled"].includes(article?.status ?? "draft");
  const start = isFree ? "Free to change until you publish. After that the" : "The";
  return html`
    ${input(page, "slug", "Address", { prefix: "/articles/", placeholder: slugOf(page),
      help: `${start} old address keeps leading here.` })}
    ${input(page, "excerpt", "Excerpt", { type: "textarea", rows: 4, placeholder: page.excerpt,
      help: "For lists, feeds and search results", counter: excerpt && `${excerpt.length} of 160` })}
    ${Object.keys(TERMS).map((kind) => picker(page, kind))} ${cover(page)} ${elsewhere(page)}`;
}

// The field for a text of the document, such as "slug" or "seo.title".
function input(page, name, label, options) {
  const [key, inner] = name.split(".");
  const { document: { [key]: text }, errors } = page;
  const write = (value) => page.change({ [key]: inner ? { ...page.document[key], [inner]: value } : value });
  return field({ name, label, errors, value: inner ? text[inner] : text, onInput: write, ...options });
}

function picker(page, kind) {
  const [name, label, one] = TERMS[kind];
  const isSingle = name === "category";
  const { document: text, article, terms } = page;
  const chosen = isSingle ? [text.category ?? article?.category.uuid] : text[name];
  const choose = ({ detail }) => page.change({ [name]: isSingle ? detail[0] : detail });
  const create = (words) => page.act("create", async () => {
    const { data } = await post(`blog/${kind}/`, { name: words });
    page.set({ terms: { ...page.terms, [kind]: [...page.terms[kind], data] } });
    return data;
  });
  return html`<term-picker class="field" .label=${label} .kind=${one} .items=${terms[kind]} .chosen=${chosen}
    .single=${isSingle} .create=${kind === "authors" ? null : create} @choose=${choose}></term-picker>`;
}

/** Return the slug that the article has, or probably gets. */
export function slugOf({ document: text, article }) {
  const follows = !article || (article.status === "draft" && article.title !== text.title);
  return text.slug || (follows ? guessSlug(text.title) : article.slug);
}

function cover(page) {
  const address = page.document.cover_image;
  const take = (picture) => page.change({ cover_image: picture.url });
  const choose = (text, kind, options) => button({ text, kind,
    onClick: async () => (await choosePictures({ single: true, ...options })).forEach(take) });
  const replace = { title: "Choose the cover", action: "Use as cover" };
  // The alternative text belongs to the picture in the library.
  const describe = { title: "Alternative text of the cover", action: "Save text", address };
  return html`<div class="field cover" role="group" aria-label="Cover"><span class="label">Cover</span>
    ${address ? html`<img src=${address} alt="">` : nothing}
    <div class="cover-buttons">${choose(address ? "Replace" : "Choose a picture", "", replace)}
      ${address.includes("/media/") ? choose("Alternative text", "bare", describe) : nothing}
      ${address ? button({ text: "Remove", kind: "bare", onClick: () => take({ url: "" }) }) : nothing}
    </div></div>`;
}

function elsewhere(page) {
  const { document: text, look } = page;
  const { seo } = text;
  const about = text.subtitle || text.excerpt || page.excerpt;
  const [title, description] = [seo.title || text.title, seo.description || about];
  const picture = look === "card" && (seo.og_image || text.cover_image);
  const isOwn = page.ownSeo || seo.title || seo.description || seo.canonical_url;
  const { host } = new URL(session().site.url || location);
  const label = "How it looks elsewhere";
  const items = [{ value: "search", label: "Search result" }, { value: "card", label: "Card" }];
  return html`<div class="field"><span class="label">${label}</span>
    ${segments({ label, name: "look", items, value: look, onChange: (value) => page.set({ look: value }) })}
    <div class="elsewhere ${look}" dir="auto">${picture ? html`<img src=${picture} alt="">` : nothing}
      <p class="host">${host}${look === "search" ? " › articles" : ""}</p>
      <p class="title">${title}</p><p>${description}</p></div>
    ${isOwn ? nothing : html`<p class="help">Made from the title and the
      ${text.subtitle ? "subtitle" : "excerpt"}. <button type="button" class="link-button"
        @click=${() => page.set({ ownSeo: true })}>Write others</button></p>`}</div>
    ${isOwn ? [
      input(page, "seo.title", "Title elsewhere", { placeholder: text.title,
        counter: `${title.length} of 60` }),
      input(page, "seo.description", "Description elsewhere", { type: "textarea", placeholder: about,
        counter: `${description.length} of 160` }),
      input(page, "seo.canonical_url", "Original address", {
        help: "Only if it was published elsewhere first." }),
    ] : nothing}`;
}
