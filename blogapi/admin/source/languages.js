/** The languages of a blog, by their tags (BCP 47). */

import { html, nothing } from "../static/vendor/lit.js";
import { getSession } from "./shell.js";

const COMMON_TAGS = [
  ...["ar", "bg", "ca", "cs", "cy", "da", "de", "de-AT", "de-CH", "el", "en-AU", "en-CA", "en-GB", "en-IE", "en-IN"],
  ...["en-US", "es", "es-MX", "et", "fa", "fi", "fr", "fr-CA", "fr-CH", "he", "hi", "hr", "hu", "id", "it", "ja", "ko"],
  ...["lt", "lv", "nb", "nl", "pl", "pt-BR", "pt-PT", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi", "zh-Hans"],
  "zh-Hant",
];

/**
 * Return the name of a language in English: "English (United Kingdom)". For an unknown tag, return the tag.
 * @param {string} tag
 */
export function getLanguageName(tag) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Return the tags of common languages and of this one, ordered by their names. @param {string} own */
export function listLanguageTags(own) {
  const tags = [...new Set([own, ...COMMON_TAGS])].filter(Boolean);
  return tags.sort((a, b) => getLanguageName(a).localeCompare(getLanguageName(b), "en"));
}

/** Render the language of an item if another item has the same title. @param {Article} item @param {Article[]} items */
export function renderLanguageHint({ uuid, title, language }, items) {
  const isAlone = !items.some((other) => other.uuid !== uuid && other.title === title && other.language !== language);
  const getName = () => getLanguageName(language || getSession().site.language);
  return isAlone ? nothing : html` <span class="soft small">${getName()}</span>`;
}
