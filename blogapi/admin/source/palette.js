/** The palette "Go to…" (Ctrl P): one field that finds the links of the menu, articles, and pages of the blog. */

import { html, nothing } from "../static/vendor/lit.js";
import { get } from "./api.js";
import { badge, icon } from "./components.js";
import { openDialog } from "./dialogs.js";
import { getNextIndex } from "./listbox.js";
import { hasRole, getArticlesPath } from "./roles.js";

const ROW_FIELDS = "uuid,title,status,published_at";
const NEW_ARTICLE = { href: "/admin/articles/new/", text: "New article", mark: icon("plus") };

/** @typedef {{href: string, text: string, mark: Renderable}} PaletteEntry */

/** @param {HTMLAnchorElement} link @returns {PaletteEntry} */
const makeLinkEntry = (link) => ({
  href: link.href,
  text: link.textContent.trim(),
  mark: link.querySelector("svg")?.cloneNode(true),
});

/** @param {string} collection @returns {(item: Article) => PaletteEntry} */
const makeItemEntry = (collection) => (item) => {
  return { href: `/admin/${collection}/${item.uuid}/`, text: item.title, mark: badge(item) };
};

export function openPalette() {
  if (document.querySelector(".palette")) return;
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll(".bottom-bar a:not([hidden])")]);
  const offered = links.filter((link) => hasRole(link.dataset.for ?? ""));
  const fixed = [NEW_ARTICLE, ...offered.map(makeLinkEntry)];
  let [words, at, items] = ["", 0, /** @type {PaletteEntry[]} */ ([])];
  const listEntries = () => [...fixed.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase())), ...items];
  /** @param {FieldEvent} event */
  const searchEntries = async ({ target }) => {
    const asked = target.value.trim();
    [words, at, items] = [asked, 0, []];
    dialog.update();
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (!asked || asked !== words) return;
    const query = { q: asked, status: "any", page: 1, page_size: 8, fields: ROW_FIELDS };
    /** @param {string} collection @param {string} path @returns {Promise<PaletteEntry[]>} */
    const findItems = async (collection, path) => (await get(path, { query })).data.map(makeItemEntry(collection));
    const searches = [findItems("articles", getArticlesPath())];
    if (hasRole("editor")) searches.push(findItems("pages", "blog/pages/"));
    const found = await Promise.all(searches).catch(() => []);
    if (asked === words) items = found.flat();
    dialog.update();
  };
  /** @param {KeyboardEvent} event */
  const handleKey = (event) => {
    const count = listEntries().length;
    const next =
      getNextIndex(event, at, count) ?? (event.key === "Enter" && count && !event.isComposing ? at : undefined);
    if (next === undefined) return;
    event.preventDefault();
    at = next;
    dialog.update();
    const option = document.getElementById(`go-${at}`);
    option?.scrollIntoView({ block: "nearest" });
    if (event.key === "Enter") option?.click();
  };
  /** @param {PaletteEntry} entry @param {number} n */
  const renderOption = ({ href, text, mark }, n) => html`<a id="go-${n}" role="option" class="menu-item"
    href=${href} tabindex="-1" aria-selected=${n === at}><span>${text}</span>${mark}</a>`;
  const renderContent = () => html`
    <div class="search">${icon("search")}<input role="combobox" aria-label="Page, action or article" autofocus
      placeholder="Page, action or article" autocomplete="off" spellcheck="false" aria-expanded="true"
      aria-controls="go-list" aria-activedescendant="go-${at}" @input=${searchEntries} @keydown=${handleKey}></div>
    <div id="go-list" role="listbox" aria-label="Places">${listEntries().map(renderOption)}</div>
    <p role="status">${listEntries().length ? nothing : `Nothing is called “${words}”.`}</p>`;
  const dialog = openDialog({ title: "Go to", content: renderContent, kind: "palette" });
}
