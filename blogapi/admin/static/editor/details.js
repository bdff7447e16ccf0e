// The panel with everything about an article that is not its text.

import { html, nothing } from "../vendor/lit.js";
import { get, post } from "../api.js";
import { button, field, segments } from "../components.js";
import { count } from "../format.js";
import { session } from "../shell.js";
import { guessSlug } from "./document.js";
import { choosePictures } from "./pictures.js";
import "./picker.js";

const NAMES = { categories: "category", tags: "tag", authors: "author" };
const PUBLIC_SLUG = "The old address keeps leading here.";
const FREE_SLUG = "Free to change until you publish. After that the old address keeps leading here.";

// Return the terms that can be chosen: {categories, tags, authors}, each [{uuid, name, note}].
export async function loadTerms() {
  const lists = Object.keys(NAMES).map(async (kind) => {
    const { data } = await get(`blog/${kind}/`, { query: { fields: "uuid,name,articles_count" } });
    return [kind, data.map((term) => ({ ...term, note: count(term.articles_count, "article") }))];
  });
  return Object.fromEntries(await Promise.all(lists));
}

// `page` has document, article, terms, errors, excerpt (generated), look, ownSeo and change(fields).
export function details(page) {
  const { document: text, article, errors } = page;
  const write = (name) => (value) => page.change({ [name]: value });
  const isFree = ["draft", "scheduled"].includes(article?.status ?? "draft");
  const category = text.category ?? article?.category.uuid;
  return html`
    ${field({ name: "slug", label: "Address", prefix: "/articles/", value: text.slug, errors,
      placeholder: slugOf(page), help: isFree ? FREE_SLUG : PUBLIC_SLUG, onInput: write("slug") })}
    ${field({ name: "excerpt", label: "Excerpt", type: "textarea", rows: 4, value: text.excerpt, errors,
      placeholder: page.excerpt, help: "For lists, feeds and search results", onInput: write("excerpt"),
      counter: text.excerpt && `${text.excerpt.length} of 160` })}
    ${picker(page, "categories", "Category", category ? [category] : [], ([uuid]) => write("category")(uuid))}
    ${picker(page, "tags", "Tags", text.tags, write("tags"))}
    ${picker(page, "authors", "Authors", text.authors, write("authors"))}
    ${cover(page)} ${elsewhere(page)}`;
}

function picker(page, kind, label, chosen, choose) {
  const create = (name) => page.act("create", async () => {
    const { data } = await post(`blog/${kind}/`, { name });
    const created = { uuid: data.uuid, name: data.name, note: "" };
    page.set({ terms: { ...page.terms, [kind]: [...page.terms[kind], created] } });
    return created;
  });
  return html`<term-picker class="field" .label=${label} .kind=${NAMES[kind]} .items=${page.terms[kind]}
    .chosen=${chosen} .single=${kind === "categories"} .create=${kind === "authors" ? null : create}
    @choose=${(event) => choose(event.detail)}></term-picker>`;
}

export function slugOf({ document: text, article }) {
  const follows = !article || (article.status === "draft" && article.title !== text.title);
  return text.slug || (follows ? guessSlug(text.title) : article.slug);
}

// The alternative text belongs to the picture in the library.
const mediaPage = (address) => `/admin/media/?q=${address.split("/").at(-1)}`;

function cover(page) {
  const address = page.document.cover_image;
  const remove = () => page.change({ cover_image: "" });
  const choose = async () => {
    const [picture] = await choosePictures({ single: true, title: "Choose the cover" });
    if (picture) page.change({ cover_image: picture.url });
  };
  return html`<div class="field cover" role="group" aria-label="Cover"><span class="label">Cover</span>
    ${address ? html`<img src=${address} alt="">` : nothing}
    <div class="cover-buttons">${button({ text: address ? "Replace" : "Choose a picture", onClick: choose })}
      ${address ? button({ text: "Alternative text", kind: "bare", href: mediaPage(address) }) : nothing}
      ${address ? button({ text: "Remove", kind: "bare", onClick: remove }) : nothing}</div></div>`;
}

function elsewhere(page) {
  const { document: text, errors, look } = page;
  const { seo } = text;
  const write = (name) => (value) => page.change({ seo: { ...page.document.seo, [name]: value } });
  const about = text.subtitle || text.excerpt || page.excerpt;
  const [title, description] = [seo.title || text.title, seo.description || about];
  const { url } = session().site;
  const host = url ? new URL(url).host : location.host;
  const picture = look === "card" && (seo.og_image || text.cover_image);
  const isOwn = page.ownSeo || seo.title || seo.description || seo.canonical_url;
  const items = [{ value: "search", label: "Search result" }, { value: "card", label: "Card" }];
  const label = "How it looks elsewhere";
  const source = text.subtitle ? "subtitle" : "excerpt";
  const open = () => page.set({ ownSeo: true });
  return html`<div class="field"><span class="label">${label}</span>
    ${segments({ label, name: "look", items, value: look, onChange: (value) => page.set({ look: value }) })}
    <div class="elsewhere ${look}" dir="auto">${picture ? html`<img src=${picture} alt="">` : nothing}
      <p class="host">${host}${look === "search" ? " › articles" : ""}</p>
      <p class="title">${title}</p><p>${description}</p></div>
    ${isOwn ? nothing : html`<p class="help">Made from the title and the ${source}.
      <button type="button" class="link-button" @click=${open}>Write others</button></p>`}</div>
    ${isOwn ? html`${field({ name: "seo.title", label: "Title elsewhere", value: seo.title, errors,
      placeholder: text.title, counter: `${title.length} of 60`, onInput: write("title") })}
    ${field({ name: "seo.description", label: "Description elsewhere", type: "textarea", errors,
      value: seo.description, placeholder: about, counter: `${description.length} of 160`,
      onInput: write("description") })}
    ${field({ name: "seo.canonical_url", label: "Original address", value: seo.canonical_url, errors,
      help: "Only if it was published elsewhere first.", onInput: write("canonical_url") })}` : nothing}`;
}
