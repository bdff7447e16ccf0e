/** The language of an article, and its translations. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { badge, button, field, foldBox, onButton, listRow } from "../components.js";
import { formatCount } from "../format.js";
import { getLanguageName } from "../languages.js";
import { getListPath } from "../roles.js";
import { session } from "../shell.js";
import { getLastChange } from "../pages/lists.js";
import { makeAddress, COLLECTION, isPage } from "./article.js";

const FIELDS = "uuid,title,language,status,published_at,last_updated,working_copy";
const getOwnLanguage = () => session().site.language;

/** Load the items with the same translation key, in any status, into `page.translations`. @param {EditorPage} page */
export async function loadTranslations(page) {
  const key = page.edits.translation_key;
  const query = { translation_key: key, status: "any", fields: FIELDS };
  /** @type {Article[]} */
  const found = key ? (await get(isPage ? `blog/${COLLECTION}/` : getListPath(), { query })).data : [];
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
  const writeLanguage = (/** @type {string} */ language) => page.change({ language });
  const named = [...languages, edits, ...translations].map(({ language }) => language);
  const tags = new Set(named.filter(Boolean));
  /** @type {Record<string, string>} */
  const items = { "": getLanguageName(getOwnLanguage()) };
  for (const tag of tags) if (tag !== getOwnLanguage()) items[tag] = getLanguageName(tag);
  const options = { name: "language", label: "Language", type: "select", errors, items, onInput: writeLanguage };
  const control = field({ ...options, value: edits.language, help: "Spelling is checked in it." });
  return foldBox("Language", items[edits.language], control, "language" in errors);
}

/** The line of the translations. @param {EditorPage} page */
export function renderTranslations(page) {
  const { edits, article, translations, isTranslating } = page;
  if (!article || !hasLanguages(page)) return nothing;
  const used = [edits, ...translations].map(({ language }) => language || getOwnLanguage());
  /** @param {Article} item */
  const renderItem = (item) => {
    const title = html`<a href=${makeAddress(item.uuid)} dir="auto">${item.title || "Without a title"}</a>`;
    // A draft does not mark older translations, because the text from which it was copied is always older.
    const isOlder = article.status !== "draft" && getLastChange(item) < getLastChange(article);
    const text = html`${badge(item)}${isOlder ? ", older than this text" : nothing}`;
    return listRow({ title, text, side: getLanguageName(item.language || getOwnLanguage()) });
  };
  const list = html`<ul class="rows">${translations.map(renderItem)}</ul>`;
  const open = onButton(async (anchor) => {
    const { openTranslation } = await import("./add-translation.js");
    openTranslation(anchor, page, used);
  });
  const add = button("Add a translation", open, { "data-ref": "addTranslation", icon: "languages", popup: "dialog" });
  const content = html`<div class="field translations" role="group" aria-label="Translations">
    ${translations.length ? list : nothing}${add}</div>`;
  return foldBox(
    "Translations",
    translations.length ? formatCount(translations.length, "text") : "None",
    content,
    isTranslating,
  );
}
