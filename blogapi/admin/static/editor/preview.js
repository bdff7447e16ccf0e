// Shows an article as readers see it, in a shadow root, which separates its styles from those of the page.

import { get, post } from "../api.js";
import { fromArticle, fromCopy } from "./document.js";

const STYLES = new URL("../reading.css", import.meta.url).href;
const FRAMES = "iframe, object, embed, video, audio, img[src^='http:']";

const FIELDS =
  "uuid,title,subtitle,content,content_type,excerpt,slug,status,published_at,last_updated,category,tags," +
  "authors,cover_image,seo,url,working_copy";

// Return {article, document, etag, saved, user}: an article, and its working copy if it has one.
export async function load(uuid, { asPublished = false } = {}) {
  const path = `blog/articles/${uuid}/`;
  const { data: article, etag } = await get(path, { query: { fields: FIELDS } });
  if (!article.working_copy || asPublished) {
    const { excerpt } = await render(article, uuid);
    return { article, document: fromArticle(article, excerpt), etag, saved: article.last_updated };
  }
  try {
    const { data: copy, etag } = await get(`${path}working-copy/`);
    return { article, document: fromCopy(copy), etag, saved: copy.last_updated, user: copy.user };
  } catch (error) {
    // It was published or discarded between the two requests.
    if (error.status === 404) return load(uuid);
    throw error;
  }
}

// Return the server's rendering of a text: {html, toc, excerpt, word_count, reading_minutes}.
export async function render(document, article, options) {
  const { content, content_type } = document;
  return (await post("blog/render/", { content, content_type, article }, options)).data;
}

// Show the article in the element; `html` is safe because the server made it.
export function show(host, { category, title, subtitle, html }) {
  const root = host.shadowRoot ?? attach(host);
  const article = document.createElement("article");
  article.dir = "auto";
  // The name of the category has its own text direction, so that it does not decide that of the article.
  const head = [["p", category, "category"], ["h1", title, ""], ["p", subtitle, "subtitle"]];
  for (const [name, text, className] of head) {
    if (!text) continue;
    const element = Object.assign(document.createElement(name), { className, textContent: text });
    if (className === "category") element.dir = "auto";
    article.append(element);
  }
  const body = new DOMParser().parseFromString(html, "text/html").body;
  body.querySelectorAll(FRAMES).forEach(replaceFrame);
  body.querySelectorAll("input").forEach((box) => (box.ariaLabel = box.checked ? "Done" : "Open"));
  article.append(...body.childNodes);
  root.querySelector("article").replaceWith(article);
}

function attach(host) {
  const root = host.attachShadow({ mode: "open" });
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLES });
  root.append(link, document.createElement("article"));
  root.addEventListener("click", (event) => {
    const anchor = event.target.closest("a[href]");
    if (!anchor) return;
    event.preventDefault();
    const address = anchor.getAttribute("href");
    if (!address.startsWith("#")) window.open(anchor.href, "_blank", "noopener");
    else root.getElementById(decodeURIComponent(address.slice(1)))?.scrollIntoView();
  });
  return root;
}

// Replace content of other hosts with a link, so that nothing is loaded from them before somebody opens it.
function replaceFrame(element) {
  const address = element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "";
  if (address.startsWith("/") && !address.startsWith("//")) return;
  const link = Object.assign(document.createElement("a"), { href: address, className: "frame" });
  link.textContent = element.alt || element.title || `Open ${address}`;
  element.replaceWith(link);
}
