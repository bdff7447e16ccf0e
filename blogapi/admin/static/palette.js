/** "Go to…" (Ctrl P): one field that finds places, actions and articles. */

import { html, nothing } from "./vendor/lit.js";
import { get } from "./api.js";
import { badge, icon, openDialog } from "./components.js";
import { pageAddress, PLACES } from "./shell.js";

const listActions = () => [
  { text: "New article", icon: "plus", href: "/admin/articles/new/" },
  ...PLACES.flatMap(([, places]) => places.map(([place, text, name]) => ({ text, icon: name, href: pageAddress(place) }))),
  { text: "Export", icon: "upload", href: "/admin/export/" },
  { text: "Profile", icon: "user", href: "/admin/profile/" },
];

let open = null;

export function openPalette() {
  if (open) return;
  const state = { words: "", at: 0, articles: [], timer: 0, search: null };
  const found = () => {
    const words = state.words.toLowerCase();
    return [...listActions().filter(({ text }) => text.toLowerCase().includes(words)), ...state.articles];
  };
  const find = async (words) => {
    state.search?.abort();
    state.search = new AbortController();
    const query = { q: words, status: "any", page: 1, page_size: 8, fields: "uuid,title,status,published_at" };
    try {
      const { data } = await get("blog/articles/", { query, signal: state.search.signal });
      state.articles = data.map((article) => ({
        text: article.title || "Without a title", article, href: `/admin/articles/${article.uuid}/`,
      }));
    } catch {
      state.articles = [];
    }
    open?.update();
  };
  const type = ({ target }) => {
    Object.assign(state, { words: target.value.trim(), at: 0, articles: [] });
    clearTimeout(state.timer);
    if (state.words) state.timer = setTimeout(find, 200, state.words);
    open.update();
  };
  const press = (event) => {
    const items = found();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) state.at = (state.at + step + items.length) % (items.length || 1);
    else if (event.key === "Enter" && items[state.at]) location.href = items[state.at].href;
    else return;
    event.preventDefault();
    open.update();
    document.getElementById(`go-${state.at}`)?.scrollIntoView({ block: "nearest" });
  };
  const content = () => {
    const items = found();
    return html`<div class="search">${icon("search")}<input type="text" role="combobox" aria-label="Page, action or article"
        placeholder="Page, action or article" autocomplete="off" spellcheck="false" autofocus aria-expanded="true"
        aria-controls="go-list" aria-activedescendant=${items.length ? `go-${state.at}` : nothing}
        @input=${type} @keydown=${press}></div>
      <div id="go-list" role="listbox" aria-label="Places">${items.map((item, n) => html`<a id="go-${n}" role="option"
        tabindex="-1" class="menu-item" aria-selected=${String(n === state.at)} href=${item.href}
        >${item.icon ? icon(item.icon) : nothing}<span>${item.text}</span>${item.article ? badge(item.article) : nothing}</a>`)}
      </div>
      ${items.length ? nothing : html`<p class="soft" role="status">Nothing is called “${state.words}”.</p>`}`;
  };
  open = openDialog({ title: "Go to", content, kind: "palette", onClose: () => (open = null) });
}
