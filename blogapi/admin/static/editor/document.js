// The document that the editor edits: the body of a working copy. A value that the server derives (slug,
// excerpt, texts for search engines) is an empty string in it, so that it stays derived.

export const EMPTY = {
  ...{ title: "", subtitle: "", content: "", content_type: "markdown", excerpt: "", slug: "" },
  ...{ cover_image: "", category: null, tags: [], authors: [] },
  seo: { title: "", description: "", og_image: "", canonical_url: "" },
};
// Fields that the server fills in if they are empty in a document.
const LEFT_OUT = ["slug", "category", "authors"];

// Return the document of a working copy.
export const fromCopy = (copy) => ({ ...pick(EMPTY, copy), seo: pick(EMPTY.seo, copy.seo) });

function pick(names, values) {
  return Object.fromEntries(Object.keys(names).map((name) => [name, values[name] ?? names[name]]));
}

// Return the document of an article; `excerpt` is what the server generates from its content.
export function fromArticle(article, excerpt) {
  const derived = { title: article.title, description: article.subtitle, og_image: article.cover_image };
  const seo = Object.entries(article.seo).map(([name, text]) => [name, text === derived[name] ? "" : text]);
  const isDerived = [article.slug, article.slug.replace(/-\d+$/, "")].includes(guessSlug(article.title));
  return fromCopy({
    ...article,
    excerpt: article.excerpt === excerpt ? "" : article.excerpt,
    slug: article.status === "draft" && isDerived ? "" : article.slug,
    category: article.category.uuid,
    tags: article.tags.map((tag) => tag.uuid),
    authors: article.authors.map((author) => author.uuid),
    seo: Object.fromEntries(seo),
  });
}

// Return the body with which a working copy is saved.
export const toCopy = (document) => (document.title.trim() ? document : { ...document, title: "Untitled" });

// Return the body with which a draft is created.
export function toArticle(document) {
  const { category, tags, authors, seo, ...texts } = toCopy(document);
  const written = (fields) => Object.fromEntries(Object.entries(fields).filter(([, text]) => text));
  const references = (uuids) => uuids.map((uuid) => ({ uuid }));
  const body = { ...written(texts), tags: references(tags), seo: written(seo) };
  if (category) body.category = { uuid: category };
  if (authors.length) body.authors = references(authors);
  return body;
}

// Return whether the server stores the same content for both documents.
export function isSame(left, right) {
  const [a, b] = [comparable(left), comparable(right)];
  const isLeftOut = (name) => LEFT_OUT.includes(name) && !(a[name] && b[name]);
  return Object.keys(a).every((name) => a[name] === b[name] || isLeftOut(name));
}

function comparable(document) {
  const { seo, tags, ...body } = toCopy(document);
  const values = { ...body, tags: [...tags].sort(), seo: Object.values(pick(EMPTY.seo, seo)).join("\n") };
  const bare = (value) => `${value ?? ""}`.replace(/^https?:\/\/[^/]+(?=\/media\/)/gm, "");
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bare(value)]));
}

// Return the text of a field with the line breaks of `original`: text fields show every line break as "\n",
// and the lines that an author did not touch stay the same byte for byte.
export function keepBreaks(original, shown) {
  if (!original.includes("\r")) return shown;
  const parts = original.split(/(\r\n|\r|\n)/);
  const [old, breaks] = [parts.filter((_, n) => n % 2 === 0), parts.filter((_, n) => n % 2)];
  const usual = breaks.includes("\r\n") ? "\r\n" : "\r";
  const lines = shown.split("\n");
  const moved = lines.length - old.length;
  let [head, tail] = [0, lines.length];
  while (head < old.length && old[head] === lines[head]) head += 1;
  while (tail > head && tail - moved > head && old[tail - moved - 1] === lines[tail - 1]) tail -= 1;
  const keep = (n) => (n < head ? breaks[n] : n >= tail - 1 ? breaks[n - moved] : null) ?? usual;
  const kept = lines.map((line, n) => (n ? keep(n - 1) : "") + line).join("");
  return showBreaks(kept) === shown ? kept : shown.replaceAll("\n", usual);
}

// Return the text as fields show it.
export const showBreaks = (text) => text.replace(/\r\n?/g, "\n");

// Return the slug that the server probably derives from a title, to show it; the server decides.
export function guessSlug(title) {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
}
