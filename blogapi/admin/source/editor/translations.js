/** The language of an article, and its translations. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { badge, button, field, fold, onButton, row } from "../components.js";
import { count } from "../format.js";
import { languageName } from "../languages.js";
import { listPath } from "../roles.js";
import { session } from "../shell.js";
import { changeOf } from "../pages/lists.js";
import { addressOf, COLLECTION, isPage } from "./article.js";

const FIELDS = "uuid,title,language,status,published_at,last_updated,working_copy";
const ownLanguage = () => session().site.language;

/** Load the items with the same translation key, in any status, into `page.translations`. @param {EditorPage} page */
export async function loadTranslations(page) {
  const key = page.edits.translation_key;
  const query = { translation_key: key, status: "any", fields: FIELDS };
  /** @type {Article[]} */
  const found = key ? (await get(isPage ? `blog/${COLLECTION}/` : listPath(), { query })).data : [];
  page.set({ translations: found.filter(({ uuid }) => uuid !== page.uuid) });
}

// A blog with one language shows nothing of languages until a translation is asked for.
const hasLanguages = (/** @type {EditorPage} */ { edits, translations, isTranslating }) =>
  Boolean(session().site.languages.length || edits.language || translations.length || isTranslating);

/** The line of the language. @param {EditorPage} page */
export function renderLanguage(page) {
  const { edits, errors } = page;
  /** @type {Article[]} */
  const translations = page.translations;
  /** @type {{languages: {language: string}[]}} */
  const { languages } = session().site;
  if (!hasLanguages(page)) return nothing;
  const write = (/** @type {string} */ language) => page.change({ language });
  const named = [...languages, edits, ...translations].map(({ language }) => language);
  const tags = new Set(named.filter(Boolean));
  /** @type {Record<string, string>} */
  const items = { "": languageName(ownLanguage()) };
  for (const tag of tags) if (tag !== ownLanguage()) items[tag] = languageName(tag);
  const options = { name: "language", label: "Language", type: "select", errors, items, onInput: write };
  const control = field({ ...options, value: edits.language, help: "Spelling is checked in it." });
  return fold("Language", items[edits.language], control, "language" in errors);
}

/** The line of the translations. @param {EditorPage} page */
export function renderTranslations(page) {
  const { edits, article, translations, isTranslating } = page;
  if (!article || !hasLanguages(page)) return nothing;
  const used = [edits, ...translations].map(({ language }) => language || ownLanguage());
  /** @param {Article} item */
  const renderItem = (item) => {
    const title = html`<a href=${addressOf(item.uuid)} dir="auto">${item.title || "Without a title"}</a>`;
    // A draft does not mark older translations, because the text from which it was copied is always older.
    const isOlder = article.status !== "draft" && changeOf(item) < changeOf(article);
    const text = html`${badge(item)}${isOlder ? ", older than this text" : nothing}`;
    return row({ title, text, side: languageName(item.language || ownLanguage()) });
  };
  const list = html`<ul class="rows">${translations.map(renderItem)}</ul>`;
  const open = onButton(async (anchor) => {
    const { openTranslation } = await import("./add-translation.js");
    openTranslation(anchor, page, used);
  });
  const add = button("Add a translation", open, { "data-ref": "addTranslation", icon: "languages", popup: "dialog" });
  const content = html`<div class="field translations" role="group" aria-label="Translations">
    ${translations.length ? list : nothing}${add}</div>`;
  return fold(
    "Translations",
    translations.length ? count(translations.length, "text") : "None",
    content,
    isTranslating,
  );
}
