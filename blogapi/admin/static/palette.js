/** "Go to…" (Ctrl P): one field that finds places, actions and articles. */

import { html, nothing } from "./vendor/lit.js";
import { get } from "./api.js";
import { badge, icon, openDialog } from "./components.js";

let dialog = null;

/** places: [[path below /admin/, text, icon]]. */
export function openPalette(places) {
  if (dialog) return;
  let [words, at, articles, timer] = ["", 0, []];
  const list = () => [
    ...places.filter(([, text]) => text.toLowerCase().includes(words.toLowerCase())),
    ...articles.map((article) => [`articles/${article.uuid}`, article.title, null, article]),
  ];
  const find = async () => {
    const asked = words;
    const fields = "uuid,title,status,published_at";
    const query = { q: asked, status: "any", page: 1, page_size: 8, fields };
    const { data } = await get("blog/articles/", { query }).catch(() => ({ data: [] }));
    if (asked === words) articles = data;
    dialog?.update();
  };
  const type = ({ target }) => {
    [words, at, articles] = [target.value.trim(), 0, []];
    clearTimeout(timer);
    if (words) timer = setTimeout(find, 200);
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
    option.scrollIntoView({ block: "nearest" });
    if (event.key === "Enter") option.click();
  };
  const option = ([path, text, name, article], n) =>
    html`<a id="go-${n}" role="option" class="menu-item" tabindex="-1" aria-selected=${n === at}
      href="/admin/${path}${path && "/"}">${name ? icon(name) : nothing}<span>${text}</span>
      ${article ? badge(article) : nothing}</a>`;
  const content = () => html`
    <div class="search">${icon("search")}<input role="combobox" aria-label="Page, action or article" autofocus
      placeholder="Page, action or article" autocomplete="off" spellcheck="false" aria-expanded="true"
      aria-controls="go-list" aria-activedescendant="go-${at}" @input=${type} @keydown=${press}></div>
    <div id="go-list" role="listbox" aria-label="Places">${list().map(option)}</div>
    <p role="status">${list().length ? nothing : `Nothing is called “${words}”.`}</p>`;
  dialog = openDialog({ title: "Go to", content, kind: "palette", onClose: () => (dialog = null) });
}
