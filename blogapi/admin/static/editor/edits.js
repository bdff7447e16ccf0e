/**
 * What an editor edits: the body of a working copy. A value that the server derives (slug,
 * excerpt, texts for search engines) is an empty string in it, so that it stays derived.
 */

/** The text fields of articles, as the server declares them: [{name, label, control, is_previewed}]. */
export const TEXT_FIELDS = JSON.parse(document.getElementById("text-fields").textContent);

export const EMPTY = {
  ...Object.fromEntries(TEXT_FIELDS.map(({ name }) => [name, ""])),
  ...{ content_type: "markdown", slug: "", category: null, tags: [], authors: [] },
  seo: { title: "", description: "", og_image: "", canonical_url: "" },
};

/** The fields from which the server derives the texts for search engines that an author leaves out. */
export const SEO_SOURCES = { title: "title", description: "subtitle", og_image: "cover_image" };

/** Return the edits of a working copy. */
export const fromCopy = (copy) => ({ ...pick(EMPTY, copy), seo: pick(EMPTY.seo, copy.seo) });

const pick = (names, values) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, values[name] ?? names[name]]));
const getUuid = ({ uuid }) => uuid;

/** Return the edits that an article starts with. excerpt: what the server generates from its content. */
export function fromArticle(article, excerpt) {
  const isOwn = ([name, text]) => text !== article[SEO_SOURCES[name]];
  return fromCopy({
    ...article,
    excerpt: article.excerpt === excerpt ? "" : article.excerpt,
    // A draft keeps a slug that its author chose; any other one follows the title.
    slug: article.status === "draft" ? "" : article.slug,
    category: article.category.uuid,
    tags: article.tags.map(getUuid),
    authors: article.authors.map(getUuid),
    seo: Object.fromEntries(Object.entries(article.seo).filter(isOwn)),
  });
}

/** Return the body with which a working copy is saved. */
export const toCopy = (edits) => (edits.title.trim() ? edits : { ...edits, title: "Untitled" });

/** Return the body with which a draft is created. */
export function toArticle(edits) {
  const { category, tags, authors, seo, ...texts } = toCopy(edits);
  const written = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  const refer = (uuids) => uuids.map((uuid) => ({ uuid }));
  const terms = { category: category && { uuid: category }, tags: refer(tags) };
  return written({ ...texts, ...terms, authors: authors[0] && refer(authors), seo: written(seo) });
}

/**
 * Return whether the server stores the same content for both. It takes the slug, the category and
 * the authors that the edits lack from the article.
 */
export const isSame = (left, right, article = null) => describe(left, article) === describe(right, article);

function describe(edits, article) {
  const { slug, category, authors, tags, ...body } = pick(EMPTY, toCopy(edits));
  const filled = {
    slug: slug || article?.slug,
    category: category ?? article?.category?.uuid,
    authors: authors[0] ? authors : article?.authors?.map(getUuid),
    tags: tags.toSorted(),
  };
  // The address of a file can have a host or not.
  return JSON.stringify({ ...body, ...filled }).replace(/"https?:\/\/[^/"]+(?=\/media\/)/g, '"');
}

/**
 * Return the text of a field with the line breaks of `original`: text fields show every line break as "\n",
 * and what an author did not touch stays the same byte for byte.
 */
export function keepBreaks(original, shown) {
  if (!original.includes("\r")) return shown;
  const usual = original.includes("\r\n") ? "\r\n" : "\r";
  const isKept = (character, other) => character === other || (character === "\r" && other === "\n");
  const size = (at) => (original.startsWith("\r\n", at) ? 2 : 1);
  // What is between `start` and `end` in the original differs from what is between `from` and `to`.
  let [start, end, from, to] = [0, original.length, 0, shown.length];
  for (; start < end && from < to && isKept(original[start], shown[from]); from += 1) start += size(start);
  for (; start < end && from < to && isKept(original[end - 1], shown[to - 1]); to -= 1) end -= size(end - 2);
  const written = shown.slice(from, to).replaceAll("\n", usual);
  const kept = original.slice(0, start) + written + original.slice(end);
  return showBreaks(kept) === shown ? kept : shown.replaceAll("\n", usual);
}

/** Return the text as fields show it. */
export const showBreaks = (text) => text.replace(/\r\n?/g, "\n");
