/** Reads and writes an article and its working copy. */

import { get, post, put } from "../api.js";
import { fromArticle, fromCopy, toArticle, toCopy } from "./document.js";

const FIELDS = "uuid,title,subtitle,content,content_type,excerpt,slug,status,published_at,created," +
  "last_updated,category,tags,authors,cover_image,seo,working_copy";
const WHOLE = { query: { fields: FIELDS } };

export const pathOf = (uuid) => `blog/articles/${uuid}/`;
export const copyOf = (uuid) => `${pathOf(uuid)}working-copy/`;

/** Return {article, document, etag, saved, user}: an article, and its working copy if it has one. */
export async function load(uuid, { asPublished = false } = {}) {
  const { data: article, etag } = await get(pathOf(uuid), WHOLE);
  if (!article.working_copy || asPublished) {
    const { excerpt } = await renderText(article, uuid);
    return { article, document: fromArticle(article, excerpt), etag, saved: article.last_updated };
  }
  // It can be published or discarded between the two requests.
  const isGone = (error) => (error.status === 404 ? null : Promise.reject(error));
  const copy = await get(copyOf(uuid)).catch(isGone);
  if (!copy) return load(uuid);
  const { last_updated: saved, user } = copy.data;
  return { article, document: fromCopy(copy.data), etag: copy.etag, saved, user };
}

/** Return the server's rendering of a text: {html, toc, excerpt, word_count, reading_minutes}. */
export async function renderText({ content, content_type }, article, options) {
  return (await post("blog/render/", { content, content_type, article }, options)).data;
}

/**
 * Create a draft with a uuid that the page has chosen: if the request is repeated, there is still one draft.
 */
export const create = (uuid, document, options) =>
  put(pathOf(uuid), toArticle(document), { ...options, ...WHOLE, etag: null, create: true });

export const saveCopy = (uuid, document, options) => put(copyOf(uuid), toCopy(document), options);

export const publishCopy = (uuid, body, options) =>
  post(`${copyOf(uuid)}publish/`, body, { ...options, ...WHOLE });

/** Add the working copy, or this document, to the history. */
export const keepVersion = (uuid, name, document) =>
  post(`${pathOf(uuid)}revisions/`, { name, ...(document && toCopy(document)) });
