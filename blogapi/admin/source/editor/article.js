/** Reads and writes an article and its working copy. */

import { loadItemWithCopy } from "../actions.js";
import { ApiError, get, patch, post, put } from "../api.js";
import { hasRole } from "../roles.js";
import { EMPTY_EDITS, getArticleEdits, getCopyEdits, makeDraftBody, makeEditsBody } from "./edits.js";

/** Whether the editor edits a page of the blog, and not an article. */
export const isPage = location.pathname.startsWith("/admin/pages/");
/** The last segment of the path of the list, on the admin pages and in the API. */
export const COLLECTION = isPage ? "pages" : "articles";
/** The word for the edited item. */
export const ITEM = isPage ? "page" : "article";

const UNEDITED_FIELDS = [
  "uuid,status,published_at,created,last_updated,url,editor,working_copy,custom_unfit",
  ...(isPage ? ["parent,position"] : []),
].join();

// A page has no category.
export const EDITED_FIELDS = Object.keys(EMPTY_EDITS).filter((name) => !(isPage && name === "category"));
export const WHOLE_ARTICLE_QUERY = { query: { fields: [UNEDITED_FIELDS, ...EDITED_FIELDS].join() } };

/** @param {string} uuid */
export const getItemPath = (uuid) => `blog/${COLLECTION}/${uuid}/`;
/** @param {string} uuid */
export const makeEditorAddress = (uuid, part = "") => `/admin/${COLLECTION}/${uuid}/${part}`;
/** @param {string} uuid */
export const getCopyPath = (uuid) => `${getItemPath(uuid)}working-copy/`;

/**
 * Return an article with its edits, which are those of its working copy if it has one.
 * @param {string} uuid
 * @returns {Promise<Required<Pick<LoadedArticle, "article" | "edits" | "etag" | "saved">> & LoadedArticle>}
 */
export async function loadArticle(uuid, { asPublished = false } = {}) {
  const [{ data: article, etag }, copy] = await loadItemWithCopy(getItemPath(uuid), WHOLE_ARTICLE_QUERY);
  if (!copy || asPublished) {
    const { excerpt } = await requestRendering({ ...article, title: "" }, uuid);
    return { article, edits: getArticleEdits(article, excerpt), etag, saved: article.last_updated };
  }
  const { last_updated: saved, user } = copy.data;
  article.working_copy = copy.data;
  return { article, edits: getCopyEdits(copy.data), etag: copy.etag, saved, user };
}

/**
 * Return the version on which the edits of the working copy are based, or null if it is unknown.
 * @param {string} uuid
 */
export async function loadBaseVersion(uuid) {
  try {
    const { data: copy } = await get(getCopyPath(uuid));
    const { data } = await get(`${getItemPath(uuid)}revisions/${copy.base_version}/`);
    const toRefs = (/** @type {string[]} */ uuids) => uuids.map((uuid) => ({ uuid }));
    const terms = { category: { uuid: data.category }, tags: toRefs(data.tags), authors: toRefs(data.authors) };
    const { excerpt } = await requestRendering({ ...data, title: "" }, uuid);
    return getArticleEdits({ ...data, ...terms }, excerpt);
  } catch {
    return null;
  }
}

/**
 * Return the server's rendering of a text: {html, toc, excerpt, word_count, reading_minutes, slug, free_slug, url,
 * removed, shown_as_text}. published_at: the publication time for which the server computes slug and url (null: now).
 * @param {Edits | Article} edits @param {string} article the uuid of the article @param {Date | null} [published_at]
 * @param {import("../api.js").RequestOptions} [options]
 */
export async function requestRendering(edits, article, published_at, options) {
  const { content, content_type, category, slug, title } = edits;
  const named = title.trim() && { title, slug, category, published_at };
  return (await post("blog/render/", { content, content_type, article, type: ITEM, ...named }, options)).data;
}

/**
 * Return what is wrong with the address that the author chose, or "". rendered: the result of requestRendering().
 * @param {{edits: Edits, rendered?: Json}} page
 */
export function describeAddressProblem({ edits: { slug }, rendered }) {
  const { slug: shown, free_slug: free } = rendered ?? {};
  return slug && slug === shown && free && free !== slug ? `This address is taken. “${free}” is free.` : "";
}

/**
 * Create a draft with a uuid that this page has chosen, so that a repeated request creates no second draft. If the role
 * of the user is author, the byline is this user, because only editors choose the byline. position: the parent and the
 * position of a page.
 * @param {string} uuid @param {Edits} edits @param {import("../api.js").RequestOptions} [options]
 * @param {Json} [position]
 */
export const createArticle = (uuid, edits, options, position) => {
  const body = { ...makeDraftBody(hasRole("editor") ? edits : { ...edits, authors: [] }), ...position };
  return put(getItemPath(uuid), body, { ...options, ...WHOLE_ARTICLE_QUERY, etag: null, create: true });
};

/** @param {Edits} edits */
const makeWorkingCopyBody = (edits) => {
  const { category, ...others } = makeEditsBody(edits);
  return isPage ? others : { ...others, category };
};

/** @param {string} uuid @param {Edits} edits @param {import("../api.js").RequestOptions} [options] */
export const saveWorkingCopy = (uuid, edits, options) => put(getCopyPath(uuid), makeWorkingCopyBody(edits), options);

/**
 * Change fields of the article that the edits do not contain, such as the parent of a page. Return the article, and the
 * ETag for the next save.
 * @param {EditorPage} page @param {Json} fields
 */
export async function changeFieldsAtOnce({ uuid, article, edits, saver }, fields) {
  const { data, etag: current } = await get(getItemPath(uuid), { query: { fields: "last_updated" } });
  if (data.last_updated !== article.last_updated)
    throw new ApiError(409, { detail: "It was changed in the meantime. Load the page again." });
  const changed = await patch(getItemPath(uuid), fields, { etag: current, ...WHOLE_ARTICLE_QUERY });
  if (!changed.data.working_copy) return changed;
  // From now on, the edits are based on the changed article.
  const { etag } = await saveWorkingCopy(uuid, edits, { etag: `${saver.etag}, ${changed.etag}` });
  return { data: changed.data, etag };
}

/**
 * Add a version to the history: the edits, by default the working copy.
 * @param {string} uuid @param {string} name @param {Edits} [edits]
 */
export const addVersion = (uuid, name, edits) =>
  post(`${getItemPath(uuid)}revisions/`, { name, ...(edits && makeWorkingCopyBody(edits)) });
