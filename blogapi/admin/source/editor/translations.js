/** The language of an article, and its translations. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { badge, button, field, foldBox, withButton, listRow } from "../components.js";
import { formatCount } from "../format.js";
import { getLanguageName } from "../languages.js";
import { getArticlesPath } from "../roles.js";
import { getSession } from "../shell.js";
import { getChangeTime } from "../pages/items.js";
import { makeEditorAddress, COLLECTION, isPage } from "./article.js";

const TRANSLATION_FIELDS = "uuid,title,language,status,published_at,last_updated,working_copy";
const getSiteLanguage = () => getSession().site.language;

/** Load the items with the same translation key, in any status, into `page.translations`. @param {EditorPage} page */
export async function loadTranslations(page) {
  const key = page.edits.translation_key;
  const query = { translation_key: key, status: "any", fields: TRANSLATION_FIELDS };
  /** @type {Article[]} */
  const found = key ? (await get(isPage ? `blog/${COLLECTION}/` : getArticlesPath(), { query })).data : [];
  page.setFields({ translations: found.filter(({ uuid }) => uuid !== page.uuid) });
}

// Whether to show the fields for languages: a blog with one language has them only after "Add a translation".
const hasLanguages = (/** @type {EditorPage} */ { edits, translations, isTranslating }) =>
  Boolean(getSession().site.languages.length || edits.language || translations.length || isTranslating);

/** Render the fold with the language of the article. @param {EditorPage} page */
export function renderLanguageField(page) {
  const { edits, errors } = page;
  /** @type {Article[]} */
  const translations = page.translations;
  /** @type {{languages: {language: string}[]}} */
  const { languages } = getSession().site;
  if (!hasLanguages(page)) return nothing;
  const writeLanguage = (/** @type {string} */ language) => page.changeEdits({ language });
  const named = [...languages, edits, ...translations].map(({ language }) => language);
  const tags = new Set(named.filter(Boolean));
  /** @type {Record<string, string>} */
  const items = { "": getLanguageName(getSiteLanguage()) };
  for (const tag of tags) if (tag !== getSiteLanguage()) items[tag] = getLanguageName(tag);
  const options = { name: "language", label: "Language", type: "select", errors, items, onInput: writeLanguage };
  const control = field({ ...options, value: edits.language, help: "Browsers check the spelling in it." });
  return foldBox("Language", items[edits.language], control, "language" in errors);
}

/** Render the fold with the translations of the article. @param {EditorPage} page */
export function renderTranslations(page) {
  const { edits, article, translations, isTranslating } = page;
  if (!article || !hasLanguages(page)) return nothing;
  const used = [edits, ...translations].map(({ language }) => language || getSiteLanguage());
  /** @param {Article} item */
  const renderItem = (item) => {
    const title = html`<a href=${makeEditorAddress(item.uuid)} dir="auto">${item.title || "Without a title"}</a>`;
    // A draft does not mark older translations: the text from which it was copied is always older.
    const isOlder = article.status !== "draft" && getChangeTime(item) < getChangeTime(article);
    const text = html`${badge(item)}${isOlder ? ", older than this text" : nothing}`;
    return listRow({ title, text, side: getLanguageName(item.language || getSiteLanguage()) });
  };
  const list = html`<ul class="rows">${translations.map(renderItem)}</ul>`;
  const open = withButton(async (anchor) => {
    const { openTranslationPopover } = await import("./add-translation.js");
    openTranslationPopover(anchor, page, used);
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
