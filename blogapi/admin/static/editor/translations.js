/** The language of an article, its translations, and a new translation. */

import { html, nothing } from "../vendor/lit.js";
import { get, patch } from "../api.js";
import { badge, button, field, row } from "../components.js";
import { languageName, listLanguages } from "../languages.js";
import { listPath } from "../roles.js";
import { session } from "../shell.js";
import { changeOf } from "../pages/lists.js";
import { addressOf, create, isPage, load, PLACE, pathOf } from "./article.js";
import { newUuid } from "./journal.js";

const FIELDS = "uuid,title,language,status,published_at,last_updated,working_copy";
const ownLanguage = () => session().site.language;

/** Load the items with the same translation key, in any status, into `page.translations`. */
export async function loadTranslations(page) {
  const key = page.edits.translation_key;
  const query = { translation_key: key, status: "any", fields: FIELDS };
  const found = key ? (await get(isPage ? `blog/${PLACE}/` : listPath(), { query })).data : [];
  page.set({ translations: found.filter(({ uuid }) => uuid !== page.uuid) });
}

/**
 * The field for the language, with the translations. It is hidden in a blog with one language until a translation
 * is asked for. `page` is an Editor.
 */
export function languages(page) {
  const { edits, errors, translations, isTranslating } = page;
  const named = session().site.languages.map(({ language }) => language);
  if (!named.length && !edits.language && !translations.length && !isTranslating) return nothing;
  const write = (language) => page.change({ language });
  const tags = new Set([...named, edits.language, ...translations.map(({ language }) => language)].filter(Boolean));
  const items = { "": languageName(ownLanguage()) };
  for (const tag of tags) if (tag !== ownLanguage()) items[tag] = languageName(tag);
  const options = { name: "language", label: "Language", type: "select", errors, items, onInput: write };
  return html`${field({ ...options, value: edits.language, help: "Spelling is checked in it." })}
    ${page.article ? renderTranslations(page) : nothing}`;
}

function renderTranslations(page) {
  const { edits, translations } = page;
  const used = [edits, ...translations].map(({ language }) => language || ownLanguage());
  const free = listLanguages(ownLanguage()).filter((tag) => !used.includes(tag));
  const items = Object.fromEntries(["", ...free].map((tag) => [tag, tag ? languageName(tag) : "Choose a language"]));
  const onInput = (newLanguage) => page.set({ newLanguage });
  const choose = { name: "new-language", label: "Add a translation", type: "select", items, onInput, errors: {} };
  const help = "A draft with this text, its pictures, terms and own fields. Readers see it when you publish it.";
  const translation = (one) => {
    const title = html`<a href=${addressOf(one.uuid)} dir="auto">${one.title || "Without a title"}</a>`;
    const isOlder = changeOf(one) < changeOf(page.article);
    const text = html`${badge(one)}${isOlder ? ", older than this text" : nothing}`;
    return row({ title, text, side: languageName(one.language || ownLanguage()) });
  };
  const list = html`<span class="label">Translations</span><ul class="rows">${translations.map(translation)}</ul>`;
  const make = button("Create the draft", () => add(page), { busy: page.busy === "translate", busyText: "Creating…" });
  const group = html`<div class="field" role="group" aria-label="Translations">${list}</div>`;
  return html`${translations.length ? group : nothing}
    ${field({ ...choose, value: page.newLanguage, help })}
    ${page.newLanguage ? html`<div class="field">${make}</div>` : nothing}`;
}

/** Create the draft of a translation with the texts and the terms of the article, and open it. */
async function add(page) {
  const { newLanguage } = page;
  const language = newLanguage === ownLanguage() ? "" : newLanguage;
  await page.act("translate", async () => {
    await page.store();
    if (!page.edits.translation_key) await giveKey(page, newUuid());
    const { edits } = page;
    const copy = newUuid();
    const copied = { ...edits, slug: "", language, seo: { ...edits.seo, canonical_url: "" } };
    await create(copy, copied, {}, isPage ? await findPlace(page.article, newLanguage) : {});
    location.assign(addressOf(copy));
  });
}

/** Return the place of a translation of a page: below the translation of the page above, if there is one. */
async function findPlace({ parent, position }, language) {
  if (!parent) return { position };
  const { data: above } = await get(pathOf(parent), { query: { fields: "translation_key" } });
  const query = { translation_key: above.translation_key, language, status: "any", fields: "uuid" };
  const found = above.translation_key ? (await get(`blog/${PLACE}/`, { query })).data : [];
  return { parent: found[0]?.uuid ?? parent, position };
}

/** Give the article the key that its translations share. Edits that are not published keep it until then. */
async function giveKey(page, key) {
  if (page.article.working_copy) {
    page.change({ translation_key: key });
    return page.store();
  }
  await patch(pathOf(page.uuid), { translation_key: key });
  page.take(await load(page.uuid));
}
