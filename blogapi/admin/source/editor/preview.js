/** Shows an article as readers see it, in a shadow root, so that its styles and the styles of the page are separate. */

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
  const article = html`<link rel="stylesheet" href=${STYLES_URL} @load=${revealArticle} @error=${revealArticle}>
    <article dir="auto" @click=${handleLinkClick} ?hidden=${!styledRoots.has(root)}>
    ${category && html`<p class="category" dir="auto">${category}</p>`}
    ${title && html`<h1>${title}</h1>`}
    ${PREVIEWED_FIELDS.map(({ name }) => edits[name] && html`<p class="subtitle">${edits[name]}</p>`)}
    <div class="text" dir="auto">${reuseNodes(host, parseNodes(text))}</div></article>`;
  render(article, root);
}

// The shadow roots whose styles are loaded. An article is hidden until then, because it would move when they are
// loaded.
const styledRoots = new WeakSet();

/** @param {FieldEvent} event the load or error event of the link to the styles */
function revealArticle({ target }) {
  const root = /** @type {ShadowRoot} */ (target.getRootNode());
  styledRoots.add(root);
  for (const article of root.querySelectorAll("article")) article.hidden = false;
}

/** The nodes that each element shows. @type {WeakMap<HTMLElement, Node[]>} */
const shownNodes = new WeakMap();

// Return the nodes, with the shown node in place of each equal new node: after a change of one paragraph, the browser
// then does not lay out the whole article again.
/** @param {HTMLElement} host @param {Node[]} nodes */
function reuseNodes(host, nodes) {
  const former = shownNodes.get(host) ?? [];
  const kept = nodes.map((node, n) => (former[n]?.isEqualNode(node) ? former[n] : node));
  shownNodes.set(host, kept);
  return kept;
}

/** @param {string} text @returns {Node[]} */
function parseNodes(text) {
  const { body } = new DOMParser().parseFromString(text, "text/html");
  body.querySelectorAll(EXTERNAL_CONTENT).forEach(replaceWithLink);
  for (const box of body.querySelectorAll("input")) box.ariaLabel = box.checked ? "Done" : "Open";
  return [...body.childNodes];
}

/** @param {ButtonEvent} event */
function handleLinkClick(event) {
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]"));
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute("href") ?? "";
  if (!address.startsWith("#")) return window.open(link.href, "_blank", "noopener");
  const root = /** @type {ShadowRoot} */ (link.getRootNode());
  root.getElementById(decodeURIComponent(address.slice(1)))?.scrollIntoView();
}

// Replace content of another host with a link, so that the browser loads nothing from the host before the author opens
// the link.
/** @param {any} element */
function replaceWithLink(element) {
  const address = element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "";
  if (address.startsWith("/") && !address.startsWith("//")) return;
  const link = Object.assign(document.createElement("a"), { href: address, className: "frame" });
  link.textContent = element.alt || element.title || `Open ${address}`;
  element.replaceWith(link);
}
