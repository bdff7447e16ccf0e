/** Shows an article as readers see it, in a shadow root, which separates its styles from those of the page. */

import { html, render } from "../../static/vendor/lit.js";
import { TEXT_FIELDS } from "./edits.js";

const PREVIEWED_FIELDS = TEXT_FIELDS.filter((text) => text.is_previewed);
const STYLES_URL = `${document.documentElement.dataset.assets}/reading.css`;
const EXTERNAL_CONTENT = "iframe, object, embed, video, audio, img[src^='http:']";

/**
 * Show the article in the element.
 * @param {HTMLElement} host @param {Json} article text: safe HTML of the server; category: its name
 */
export function showPreview(host, { category, title, text, ...edits }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  // The name of the category has its own text direction, so that it does not decide the direction of the article.
  const article = html`<link rel="stylesheet" href=${STYLES_URL} @load=${showArticle} @error=${showArticle}>
    <article dir="auto" @click=${followLink} ?hidden=${!styledRoots.has(root)}>
    ${category && html`<p class="category" dir="auto">${category}</p>`}
    ${title && html`<h1>${title}</h1>`}
    ${PREVIEWED_FIELDS.map(({ name }) => edits[name] && html`<p class="subtitle">${edits[name]}</p>`)}
    <div class="text" dir="auto">${keepNodes(host, listNodes(text))}</div></article>`;
  render(article, root);
}

// The roots whose styles are loaded. Until then, the article is hidden, because the styles would move it.
const styledRoots = new WeakSet();

/** @param {FieldEvent} event the load or error event of the link to the styles */
function showArticle({ target }) {
  const root = /** @type {ShadowRoot} */ (target.getRootNode());
  styledRoots.add(root);
  for (const article of root.querySelectorAll("article")) article.hidden = false;
}

/** The nodes that each element shows. @type {WeakMap<HTMLElement, Node[]>} */
const shown = new WeakMap();

// Return the nodes; a node that equals a shown node is replaced with the shown one, so that a change of one paragraph
// does not lay out a long article again.
/** @param {HTMLElement} host @param {Node[]} nodes */
function keepNodes(host, nodes) {
  const former = shown.get(host) ?? [];
  const kept = nodes.map((node, n) => (former[n]?.isEqualNode(node) ? former[n] : node));
  shown.set(host, kept);
  return kept;
}

/** @param {string} text @returns {Node[]} */
function listNodes(text) {
  const { body } = new DOMParser().parseFromString(text, "text/html");
  body.querySelectorAll(EXTERNAL_CONTENT).forEach(replaceWithLink);
  for (const box of body.querySelectorAll("input")) box.ariaLabel = box.checked ? "Done" : "Open";
  return [...body.childNodes];
}

/** @param {ButtonEvent} event */
function followLink(event) {
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]"));
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute("href") ?? "";
  if (!address.startsWith("#")) return window.open(link.href, "_blank", "noopener");
  const root = /** @type {ShadowRoot} */ (link.getRootNode());
  root.getElementById(decodeURIComponent(address.slice(1)))?.scrollIntoView();
}

// Replace content of other hosts with a link, so that nothing is loaded from these hosts before somebody opens the
// link.
/** @param {any} element */
function replaceWithLink(element) {
  const address = element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "";
  if (address.startsWith("/") && !address.startsWith("//")) return;
  const link = Object.assign(document.createElement("a"), { href: address, className: "frame" });
  link.textContent = element.alt || element.title || `Open ${address}`;
  element.replaceWith(link);
}
