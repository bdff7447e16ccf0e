/** Reads and writes an article and its working copy. */

import { loadItemWithCopy } from "../actions.js";
import { ApiError, get, patch, post, put } from "../api.js";
import { hasRole } from "../roles.js";
import { EMPTY, fromArticle, fromCopy, toArticle, toCopy } from "./edits.js";

/** Whether this page edits a page, and not an article. */
export const isPage = location.pathname.startsWith("/admin/pages/");
/** The last segment of the path of the list, on the admin pages and in the API. */
export const COLLECTION = isPage ? "pages" : "articles";
/** The word for the edited item. */
export const ITEM = isPage ? "page" : "article";

const OTHER_FIELDS = [
  "uuid,status,published_at,created,last_updated,url,editor,working_copy,custom_unfit",
  ...(isPage ? ["parent,position"] : []),
].join();

// A page has no category.
export const FIELDS = Object.keys(EMPTY).filter((name) => !(isPage && name === "category"));
export const WHOLE = { query: { fields: [OTHER_FIELDS, ...FIELDS].join() } };

/** @param {string} uuid */
export const getPath = (uuid) => `blog/${COLLECTION}/${uuid}/`;
/** @param {string} uuid */
export const makeAddress = (uuid, part = "") => `/admin/${COLLECTION}/${uuid}/${part}`;
/** @param {string} uuid */
export const getCopyPath = (uuid) => `${getPath(uuid)}working-copy/`;

/**
 * Return an article with its edits: those of its working copy, if it has one.
 * @param {string} uuid @returns {Promise<Required<Pick<Loaded, "article" | "edits" | "etag" | "saved">> & Loaded>}
 */
export async function loadArticle(uuid, { asPublished = false } = {}) {
  const [{ data: article, etag }, copy] = await loadItemWithCopy(getPath(uuid), WHOLE);
  if (!copy || asPublished) {
    const { excerpt } = await renderText({ ...article, title: "" }, uuid);
    return { article, edits: fromArticle(article, excerpt), etag, saved: article.last_updated };
  }
  const { last_updated: saved, user } = copy.data;
  article.working_copy = copy.data;
  return { article, edits: fromCopy(copy.data), etag: copy.etag, saved, user };
}

/**
 * Return the version on which the edits of the working copy are based, or null if it is unknown.
 * @param {string} uuid
 */
export async function loadBaseVersion(uuid) {
  try {
    const { data: copy } = await get(getCopyPath(uuid));
    const { data } = await get(`${getPath(uuid)}revisions/${copy.base_version}/`);
    const toRefs = (/** @type {string[]} */ uuids) => uuids.map((uuid) => ({ uuid }));
    const terms = { category: { uuid: data.category }, tags: toRefs(data.tags), authors: toRefs(data.authors) };
    const { excerpt } = await renderText({ ...data, title: "" }, uuid);
    return fromArticle({ ...data, ...terms }, excerpt);
  } catch {
    return null;
  }
}

/**
 * Return the server's rendering of a text: {html, toc, excerpt, word_count, reading_minutes, slug, free_slug, url,
 * removed, shown_as_text}. The slug and the url are those that the article gets if it is published at that time; null:
 * now.
 * @param {Edits | Article} edits @param {string} article its uuid @param {Date | null} [published_at]
 * @param {import("../api.js").Options} [options]
 */
export async function renderText(edits, article, published_at, options) {
  const { content, content_type, category, slug, title } = edits;
  const named = title.trim() && { title, slug, category, published_at };
  return (await post("blog/render/", { content, content_type, article, type: ITEM, ...named }, options)).data;
}

/**
 * Return what is wrong with the address that the author chose, or "". rendered: what renderText() returns.
 * @param {{edits: Edits, rendered?: Json}} page
 */
export function describeAddressProblem({ edits: { slug }, rendered }) {
  const { slug: shown, free_slug: free } = rendered ?? {};
  return slug && slug === shown && free && free !== slug ? `This address is taken. “${free}” is free.` : "";
}

/**
 * Create a draft with a uuid that the page has chosen: if the request is repeated, there is still one draft. If the
 * role of the user is author, the byline is this user, because only editors choose the byline. position: {parent,
 * position} of a page.
 * @param {string} uuid @param {Edits} edits @param {import("../api.js").Options} [options] @param {Json} [position]
 */
export const createArticle = (uuid, edits, options, position) => {
  const body = { ...toArticle(hasRole("editor") ? edits : { ...edits, authors: [] }), ...position };
  return put(getPath(uuid), body, { ...options, ...WHOLE, etag: null, create: true });
};

/** @param {Edits} edits */
const toCopyBody = (edits) => {
  const { category, ...others } = toCopy(edits);
  return isPage ? others : { ...others, category };
};

/** @param {string} uuid @param {Edits} edits @param {import("../api.js").Options} [options] */
export const saveCopy = (uuid, edits, options) => put(getCopyPath(uuid), toCopyBody(edits), options);

/**
 * Change fields that the edits do not contain, such as the parent of a page: this applies at once. Return the article,
 * and the ETag for the next save.
 * @param {EditorPage} page @param {Json} fields
 */
export async function changeFieldsAtOnce({ uuid, article, edits, saver }, fields) {
  const { data, etag: current } = await get(getPath(uuid), { query: { fields: "last_updated" } });
  if (data.last_updated !== article.last_updated)
    throw new ApiError(409, { detail: "It was changed in the meantime. Load the page again." });
  const changed = await patch(getPath(uuid), fields, { etag: current, ...WHOLE });
  if (!changed.data.working_copy) return changed;
  // From now on, the edits are based on the changed article.
  const { etag } = await saveCopy(uuid, edits, { etag: `${saver.etag}, ${changed.etag}` });
  return { data: changed.data, etag };
}

/**
 * Add the working copy, or these edits, to the history.
 * @param {string} uuid @param {string} name @param {Edits} [edits]
 */
export const addVersion = (uuid, name, edits) =>
  post(`${getPath(uuid)}revisions/`, { name, ...(edits && toCopyBody(edits)) });
