/** Shows an article as readers see it, in a shadow root, which separates its styles from those of the page. */

import { html, render } from "../../static/vendor/lit.js";
import { TEXT_FIELDS } from "./edits.js";

const TEXTS = TEXT_FIELDS.filter((text) => text.is_previewed);
const STYLES = `${document.documentElement.dataset.assets}/reading.css`;
const EXTERNAL_CONTENT = "iframe, object, embed, video, audio, img[src^='http:']";

/**
 * Show the article in the element.
 * @param {HTMLElement} host @param {Json} article text: safe HTML of the server; category: its name
 */
export function showPreview(host, { category, title, text, ...edits }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  // The name of the category has its own text direction, so that it does not decide the direction of the article.
  const article = html`<link rel="stylesheet" href=${STYLES} @load=${unveil} @error=${unveil}>
    <article dir="auto" @click=${follow} ?hidden=${!styled.has(root)}>
    ${category && html`<p class="category" dir="auto">${category}</p>`}
    ${title && html`<h1>${title}</h1>`}
    ${TEXTS.map(({ name }) => edits[name] && html`<p class="subtitle">${edits[name]}</p>`)}
    <div class="text" dir="auto">${keepNodes(host, listNodes(text))}</div></article>`;
  render(article, root);
}

// The roots whose styles are loaded. Before that, the article is hidden, because it would move when they arrive.
const styled = new WeakSet();

/** @param {FieldEvent} event the load or error event of the link to the styles */
function unveil({ target }) {
  const root = /** @type {ShadowRoot} */ (target.getRootNode());
  styled.add(root);
  for (const article of root.querySelectorAll("article")) article.hidden = false;
}

/** The nodes that each element shows. @type {WeakMap<HTMLElement, Node[]>} */
const shown = new WeakMap();

// Return the nodes, with those that are already shown in place of equal ones: a long article is not laid out again
// for one paragraph.
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
function follow(event) {
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]"));
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute("href") ?? "";
  if (!address.startsWith("#")) return window.open(link.href, "_blank", "noopener");
  const root = /** @type {ShadowRoot} */ (link.getRootNode());
  root.getElementById(decodeURIComponent(address.slice(1)))?.scrollIntoView();
}

// Replace content of other hosts with a link, so that nothing is loaded from them before somebody opens it.
/** @param {any} element */
function replaceWithLink(element) {
  const address = element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "";
  if (address.startsWith("/") && !address.startsWith("//")) return;
  const link = Object.assign(document.createElement("a"), { href: address, className: "frame" });
  link.textContent = element.alt || element.title || `Open ${address}`;
  element.replaceWith(link);
}
