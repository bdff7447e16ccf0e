/**
 * The edits of an article: the body of its working copy. A slug, an excerpt or a text for search engines that the
 * author leaves to the server is an empty string.
 */

import { toCustomBody } from "./custom-fields.js";

/**
 * The text fields of articles, as the server declares them.
 * @type {{name: string, label: string, control: string, is_previewed: boolean, default: string | boolean,
 *   choices: Record<string, string> | null}[]}
 */
export const TEXT_FIELDS = JSON.parse(/** @type {any} */ (document.getElementById("text-fields")).textContent);

/** The edits of a new article. @type {Edits} */
export const EMPTY_EDITS = {
  .../** @type {any} */ (Object.fromEntries(TEXT_FIELDS.map((text) => [text.name, text.default]))),
  ...{ content_type: "markdown", slug: "", category: null, tags: [], authors: [] },
  custom: {},
  seo: { title: "", description: "", og_image: "", canonical_url: "" },
};

/**
 * The fields whose values the server uses for the texts for search engines that an author leaves out.
 * @type {Record<string, string>}
 */
export const SEO_SOURCES = { title: "title", description: "subtitle", og_image: "cover_image" };

/** Return the edits of a working copy. @param {any} copy @returns {Edits} */
export const getCopyEdits = (copy) => ({
  ...pickFields(EMPTY_EDITS, copy),
  seo: pickFields(EMPTY_EDITS.seo, copy.seo),
});

/**
 * Return the values of the fields in `defaults`; a missing value is taken from `defaults`.
 * @param {Record<string, any>} defaults @param {Record<string, any>} values @returns {any}
 */
const pickFields = (defaults, values) =>
  Object.fromEntries(Object.keys(defaults).map((name) => [name, values[name] ?? defaults[name]]));
const getUuid = (/** @type {Term} */ { uuid }) => uuid;

/**
 * Return the edits for an article. excerpt: the excerpt that the server generates from the content.
 * @param {Article} article @param {string} [excerpt]
 */
export function getArticleEdits(article, excerpt) {
  const isWritten = (/** @type {[string, string]} */ [name, text]) => text !== article[SEO_SOURCES[name]];
  return getCopyEdits({
    ...article,
    custom: { ...article.custom, ...article.custom_unfit },
    excerpt: article.excerpt === excerpt ? "" : article.excerpt,
    // The slug of a draft follows its title, unless the author chooses one in the edits.
    slug: article.status === "draft" ? "" : article.slug,
    category: article.category?.uuid,
    tags: article.tags.map(getUuid),
    authors: article.authors.map(getUuid),
    seo: Object.fromEntries(Object.entries(article.seo).filter(isWritten)),
  });
}

/** Return the request body that saves a working copy. @param {Edits} edits */
export const makeEditsBody = (edits) => ({
  ...edits,
  title: edits.title.trim() ? edits.title : "Untitled",
  custom: toCustomBody(edits.custom ?? {}),
});

/** Return the request body that creates a draft. @param {Edits} edits */
export function makeDraftBody(edits) {
  const { category, tags, authors, seo, ...texts } = makeEditsBody(edits);
  const dropEmpty = (/** @type {object} */ fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  const toReferences = (/** @type {string[]} */ uuids) => uuids.map((uuid) => ({ uuid }));
  const terms = { category: category && { uuid: category }, tags: toReferences(tags) };
  return dropEmpty({ ...texts, ...terms, authors: authors[0] && toReferences(authors), seo: dropEmpty(seo) });
}

/**
 * Return whether the server stores the same content for both edits. A slug, a category or authors that they lack are
 * taken from the article.
 * @param {Edits} left @param {Edits} right @param {Article | null} [article]
 */
export const hasSameContent = (left, right, article = null) =>
  serializeEdits(left, article) === serializeEdits(right, article);

/** @param {Edits} edits @param {Article | null} article */
const serializeEdits = (edits, article) => JSON.stringify(normalizeEdits(edits, article));

/**
 * Return the edits in a form that is equal for equal content. A slug, a category or authors that they lack are taken
 * from the article.
 * @param {Edits} edits @param {Article | null} article @returns {Edits}
 */
export function normalizeEdits(edits, article) {
  const { slug, category, authors, tags, ...body } = pickFields(EMPTY_EDITS, makeEditsBody(edits));
  const filled = {
    slug: slug || article?.slug,
    category: category ?? article?.category?.uuid,
    authors: authors[0] ? authors : article?.authors?.map(getUuid),
    tags: tags.toSorted(),
  };
  // The address of a file of the library may or may not contain the host.
  return JSON.parse(JSON.stringify({ ...body, ...filled }).replace(/"https?:\/\/[^/"]+(?=\/media\/)/g, '"'));
}

/**
 * Return the text of a field with the line breaks of `original`, because text fields show every line break as "\n".
 * Text that an author did not change stays the same byte for byte.
 * @param {string} original @param {string} shown
 */
export function restoreLineBreaks(original, shown) {
  if (!original.includes("\r")) return shown;
  const usual = original.includes("\r\n") ? "\r\n" : "\r";
  const breaks = original.match(/\r\n?|\n/g) ?? [];
  const [before, after] = [normalizeLineBreaks(original).split("\n"), shown.split("\n")];
  // start: the number of equal lines at the beginning; end: the index of the first of the equal lines at the end.
  const start = after.findIndex((line, n) => n === breaks.length || line !== before[n]);
  const added = after.length - before.length;
  const end = after.findLastIndex((line, n) => n - added < 0 || line !== before[n - added]) + 1;
  const getBreakAfter = (/** @type {number} */ n) =>
    n < start || start < 0 ? breaks[n] : n + 1 >= end ? (breaks[n - added] ?? usual) : usual;
  const kept = after.map((line, n) => line + (n + 1 < after.length ? getBreakAfter(n) : "")).join("");
  return normalizeLineBreaks(kept) === shown ? kept : shown.replaceAll("\n", usual);
}

/** Return the text with the line breaks that text fields use, `\n`. @param {string} text */
export const normalizeLineBreaks = (text) => text.replace(/\r\n?/g, "\n");
