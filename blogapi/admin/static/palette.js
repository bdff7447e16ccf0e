/** "Go to…" (Ctrl P): one field that finds places, actions, articles and pages. */

import { html, nothing } from "./vendor/lit.js";
import { get } from "./api.js";
import { badge, icon } from "./components.js";
import { openDialog } from "./dialogs.js";
import { hasRole, listPath } from "./roles.js";

const FIELDS = "uuid,title,status,published_at";
const NEW_ARTICLE = { href: "/admin/articles/new/", text: "New article", mark: icon("plus") };

// The places are the links of the menu.
const readPlace = (link) => {
  const mark = link.querySelector("svg").cloneNode(true);
  return { href: link.href, text: link.textContent.trim(), mark };
};

const isOffered = (link) => hasRole(link.dataset.for);

const makeEntry = (place) => (article) => {
  const { uuid, title: text } = article;
  return { href: `/admin/${place}/${uuid}/`, text, mark: badge(article) };
};

export function openPalette() {
  if (document.querySelector(".palette")) return;
  const places = [NEW_ARTICLE, ...[...document.querySelectorAll(".bottom-bar a")].filter(isOffered).map(readPlace)];
  let [words, at, articles] = ["", 0, /** @type {any[]} */ ([])];
  const list = () => [...places.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase())), ...articles];
  const type = async ({ target }) => {
    const asked = target.value.trim();
    [words, at, articles] = [asked, 0, []];
    dialog.update();
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (!asked || asked !== words) return;
    const query = { q: asked, status: "any", page: 1, page_size: 8, fields: FIELDS };
    const find = async (place, path) => (await get(path, { query })).data.map(makeEntry(place));
    const searches = [find("articles", listPath()), ...(hasRole("editor") ? [find("pages", "blog/pages/")] : [])];
    const found = await Promise.all(searches).catch(() => []);
    if (asked === words) articles = found.flat();
    dialog.update();
  };
  const press = (event) => {
    const count = list().length;
    const step = { ArrowDown: 1, ArrowUp: count - 1, Enter: 0 }[event.key];
    if (step === undefined || !count || event.isComposing) return;
    event.preventDefault();
    at = (at + step) % count;
    dialog.update();
    const option = document.getElementById(`go-${at}`);
    option?.scrollIntoView({ block: "nearest" });
    if (event.key === "Enter") option?.click();
  };
  const option = ({ href, text, mark }, n) => html`<a id="go-${n}" role="option" class="menu-item"
    href=${href} tabindex="-1" aria-selected=${n === at}><span>${text}</span>${mark}</a>`;
  const content = () => html`
    <div class="search">${icon("search")}<input role="combobox" aria-label="Page, action or article" autofocus
      placeholder="Page, action or article" autocomplete="off" spellcheck="false" aria-expanded="true"
      aria-controls="go-list" aria-activedescendant="go-${at}" @input=${type} @keydown=${press}></div>
    <div id="go-list" role="listbox" aria-label="Places">${list().map(option)}</div>
    <p role="status">${list().length ? nothing : `Nothing is called “${words}”.`}</p>`;
  const dialog = openDialog({ title: "Go to", content, kind: "palette" });
}
