/**
 * Shows an article as readers see it, in a shadow root, which separates its styles from those of the page.
 */

import { html, render } from "../vendor/lit.js";
import { TEXT_FIELDS } from "./edits.js";

const TEXTS = TEXT_FIELDS.filter((text) => text.is_previewed);
const STYLES = new URL("../reading.css", import.meta.url).href;
const FRAMES = "iframe, object, embed, video, audio, img[src^='http:']";

/** Show the article in the element; `text` is safe HTML of the server. */
export function show(host, { category, title, text, ...edits }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  // The name of the category has its own text direction, so that it does not decide that of the article.
  const article = html`<link rel="stylesheet" href=${STYLES} @load=${unveil} @error=${unveil}>
    <article dir="auto" @click=${follow} ?hidden=${!styled.has(root)}>
    ${category && html`<p class="category" dir="auto">${category}</p>`}
    ${title && html`<h1>${title}</h1>`}
    ${TEXTS.map(({ name }) => edits[name] && html`<p class="subtitle">${edits[name]}</p>`)}
    ${keepNodes(host, listNodes(text))}</article>`;
  render(article, root);
}

// The roots whose styles are loaded: without them, the article would move when they arrive.
const styled = new WeakSet();

function unveil({ target }) {
  const root = target.getRootNode();
  styled.add(root);
  root.querySelector("article").hidden = false;
}

// The nodes that each element shows.
const shown = new WeakMap();

// Return the nodes, with those that are already shown in place of equal ones: a long article is not laid out again
// for one paragraph.
function keepNodes(host, nodes) {
  const former = shown.get(host) ?? [];
  const kept = nodes.map((node, n) => (former[n]?.isEqualNode(node) ? former[n] : node));
  shown.set(host, kept);
  return kept;
}

function listNodes(text) {
  const { body } = new DOMParser().parseFromString(text, "text/html");
  body.querySelectorAll(FRAMES).forEach(replaceFrame);
  for (const box of body.querySelectorAll("input")) box.ariaLabel = box.checked ? "Done" : "Open";
  return [...body.childNodes];
}

function follow(event) {
  const anchor = event.target.closest("a[href]");
  if (!anchor) return;
  event.preventDefault();
  const address = anchor.getAttribute("href");
  if (!address.startsWith("#")) return window.open(anchor.href, "_blank", "noopener");
  const target = anchor.getRootNode().getElementById(decodeURIComponent(address.slice(1)));
  target?.scrollIntoView();
}

// Replace content of other hosts with a link, so that nothing is loaded from them before somebody opens it.
function replaceFrame(element) {
  const address = element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "";
  if (address.startsWith("/") && !address.startsWith("//")) return;
  const link = Object.assign(document.createElement("a"), { href: address, className: "frame" });
  link.textContent = element.alt || element.title || `Open ${address}`;
  element.replaceWith(link);
}
