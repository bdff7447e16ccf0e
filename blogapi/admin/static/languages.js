/** The languages of a blog, by their tags (BCP 47). */

const COMMON = [
  ...["ar", "cs", "da", "de", "de-AT", "de-CH", "el", "en-AU", "en-CA", "en-GB", "en-IE", "en-IN", "en-US", "es"],
  ...["es-MX", "et", "fi", "fr", "fr-CA", "fr-CH", "he", "hi", "hu", "id", "it", "ja", "ko", "nb", "nl", "pl"],
  ...["pt-BR", "pt-PT", "ro", "ru", "sk", "sv", "tr", "uk", "vi", "zh-Hans", "zh-Hant"],
];

/**
 * Return the name of a language in English: "English (United Kingdom)". A tag that is not known is its name.
 * @param {string} tag
 */
export function languageName(tag) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Return the tags of common languages and of this one, ordered by their names.
 * @param {string} own
 */
export function listLanguages(own) {
  const tags = [...new Set([own, ...COMMON])].filter(Boolean);
  return tags.sort((one, other) => languageName(one).localeCompare(languageName(other), "en"));
}
