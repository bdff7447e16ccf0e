// The search of the guide, and the buttons that copy the samples on its pages.

/** @typedef {{ url: string, page: string, heading: string, text: string }} Section */

const MAX_RESULTS = 20;
const SNIPPET_LENGTH = 160;
const COPIED_MS = 2000;

/** @type {<T extends Element>(selector: string) => T} */
const findElement = (selector) => /** @type {any} */ (document.querySelector(selector));

const dialog = /** @type {HTMLDialogElement} */ (findElement("#guide-search"));
const input = /** @type {HTMLInputElement} */ (findElement("#guide-search input"));
const results = findElement("#guide-search ol");
const message = findElement("#guide-search [role=status]");
const openButton = /** @type {HTMLButtonElement} */ (findElement("#open-search"));

/** @type {Promise<Section[]> | undefined} */
let loadingSections;

openButton.hidden = false;
openButton.addEventListener("click", () => dialog.showModal());
input.addEventListener("focus", loadSections);
input.addEventListener("input", searchGuide);
dialog.addEventListener("keydown", moveFocus);
dialog.addEventListener("click", (event) => {
  // The target of a click on the backdrop is the dialog. A link to a section of this page loads no new page.
  if (event.target === dialog || /** @type {Element} */ (event.target).closest("a")) dialog.close();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  if (!dialog.open) dialog.showModal();
});

addCopyButtons();
makeScrollersFocusable();

function loadSections() {
  loadingSections ??= fetch("/docs/search.json").then((response) => {
    if (!response.ok) throw new Error(`The status is ${response.status}.`);
    return response.json();
  });
  // After an error, the next focus or input loads the sections again.
  loadingSections.catch(() => {
    loadingSections = undefined;
  });
  return loadingSections;
}

async function searchGuide() {
  try {
    const sections = await loadSections();
    const words = input.value.toLowerCase().match(/\S+/g) ?? [];
    const found = sections
      .map((section) => ({ section, score: scoreSection(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((first, second) => second.score - first.score);
    results.replaceChildren(...found.slice(0, MAX_RESULTS).map(({ section }) => makeResultItem(section, words)));
    message.textContent = words.length ? describeResultCount(found.length) : "";
  } catch {
    message.textContent = "The search does not work now, because the server does not answer.";
  }
}

/** @param {number} number */
function describeResultCount(number) {
  if (number === 0) return "No section has all these words.";
  return number === 1 ? "1 section" : `${number} sections`;
}

/**
 * Returns a score for how well a section matches the words; 0 if a word is missing.
 * @param {Section} section
 * @param {string[]} words
 */
function scoreSection({ page, heading, text }, words) {
  let sum = 0;
  for (const word of words) {
    const pattern = makeWordPattern([word]);
    const score = 9 * scoreText(heading, pattern) + 4 * scoreText(page, pattern) + scoreText(text, pattern);
    if (!score) return 0;
    sum += score;
  }
  return sum;
}

/**
 * Returns 2 if the text contains the word as a whole word, 1 if as a part of a word, otherwise 0.
 * @param {string} text
 * @param {RegExp} pattern
 */
function scoreText(text, pattern) {
  if (!pattern.test(text)) return 0;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern.source})(?![\\p{L}\\p{N}])`, "iu").test(text) ? 2 : 1;
}

/** @param {string[]} words */
function makeWordPattern(words) {
  return new RegExp(`(${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`, "iu");
}

/**
 * @param {Section} section
 * @param {string[]} words
 */
function makeResultItem({ url, page, heading, text }, words) {
  const link = document.createElement("a");
  link.href = url;
  const title = document.createElement("strong");
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const snippet = document.createElement("span");
  const match = words.map((word) => text.search(makeWordPattern([word]))).find((position) => position >= 0) ?? 0;
  const near = Math.max(0, match - SNIPPET_LENGTH / 3);
  const start = near && text.indexOf(" ", near) + 1;
  const end = start + SNIPPET_LENGTH;
  // split() returns the matches at odd positions.
  const parts = `${text.slice(start, end)}${end < text.length ? "…" : ""}`.split(makeWordPattern(words));
  for (const [position, part] of parts.entries()) {
    const mark = document.createElement("mark");
    mark.textContent = part;
    snippet.append(position % 2 ? mark : part);
  }
  link.append(title, snippet);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** @param {KeyboardEvent} event */
function moveFocus(event) {
  const links = [...results.querySelectorAll("a")];
  if (event.key === "Enter" && event.target === input) links[0]?.click();
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const places = [input, ...links];
  const position = places.indexOf(/** @type {any} */ (document.activeElement)) + (event.key === "ArrowDown" ? 1 : -1);
  places.at(Math.min(Math.max(position, 0), places.length - 1))?.focus();
}

function addCopyButtons() {
  // Browsers offer the clipboard only on pages with https and on pages of the same machine.
  if (!navigator.clipboard) return;
  for (const sample of document.querySelectorAll("main pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.ariaLive = "polite";
    button.addEventListener("click", () => copySample(button, sample.textContent.trimEnd()));
    const frame = document.createElement("div");
    frame.className = "sample";
    sample.replaceWith(frame);
    frame.append(sample, button);
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copySample(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, COPIED_MS);
}

// Makes samples and tables that are wider than the page focusable, so that the arrow keys can scroll them.
function makeScrollersFocusable() {
  for (const element of document.querySelectorAll("main pre, main table")) {
    if (element instanceof HTMLElement && element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  }
}
