/** The list of articles to which an author links: "[[" in the text, or Ctrl K. */

import { html, nothing } from "../vendor/lit.js";
import { get } from "../api.js";
import { badge, icon } from "../components.js";
import { openDialog } from "../dialogs.js";
import { formatChanged, formatDay } from "../format.js";
import { hasRole, listPath } from "../roles.js";
import { asksForArticle, checkLinks, findLinks, makeLink } from "./links.js";
import { run } from "./markdown.js";
import { letterOf } from "../shortcuts.js";

const FIELDS = "uuid,title,status,published_at,last_updated";
const MAX_LINKS = 100;
const WAIT_MS = 150;
const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/i;

/** Open the list if the last change of the text has typed "[[". `page` is an Editor. */
export function followTyping(page, former, text) {
  const { from, to } = page.area.field.getSelection();
  if (from !== to || !asksForArticle(former, text, from)) return;
  // The field is still in its update, and has no layout yet.
  queueMicrotask(() => pickLink(page, { from: from - 2, to: from }));
}

/** Let the author choose an article, or enter an address, and link to it; `opened` is the place of "[[". */
export async function pickLink(page, opened) {
  if (document.querySelector(".link-picker")) return;
  const { field } = page.area;
  const range = opened ?? field.getSelection();
  const text = opened ? "" : field.getText().slice(range.from, range.to);
  if (ADDRESS.test(text)) return page.edit((input) => run("link", input));
  const choice = await new LinkPicker(page.uuid, { place: place(field, range.to) }).ask();
  const insert = (words, selectFrom = range.from + words.length, selectTo = selectFrom) =>
    field.edit({ ...range, insert: words, selectFrom, selectTo });
  if (choice?.article) insert(makeLink(choice.article, text));
  else if (choice?.address) insert(`[${text || choice.address}](${choice.address})`);
  else if (choice?.isAddress) {
    field.select(range.from, range.to);
    if (opened) insert("");
    page.edit((input) => run("link", input));
  } else if (opened && choice?.words) insert(`[[${choice.words}`);
  field.focus();
}

/**
 * Let the author choose an article, except the one that is edited; return it, or nothing. list(query): read other
 * items than articles.
 */
export async function pickArticle(edited, title, list = listArticles) {
  return (await new LinkPicker(edited, { title, list, takesAddresses: false }).ask()).article;
}

/** Return the uuids and titles of those of the articles that the author may read; none if the server fails. */
export async function findArticles(uuids) {
  return (await listArticles(selectUuids(uuids)).catch(() => ({ data: [] }))).data;
}

/** Return the warnings about the links of a text; none if the server does not answer. */
export async function findBrokenLinks(text) {
  const links = findLinks(text).slice(0, MAX_LINKS);
  const uuids = [...new Set(links.map(({ uuid }) => uuid))];
  if (!uuids.length) return [];
  const answer = await listArticles(selectUuids(uuids)).catch(() => null);
  return answer ? checkLinks(links, new Map(answer.data.map((article) => [article.uuid, article]))) : [];
}

const selectUuids = (uuid) => ({ uuid, status: "any", fields: FIELDS, page: 1, page_size: MAX_LINKS });

// Authors find their own articles, and the published ones of others.
async function listArticles(/** @type {Record<string, unknown>} */ query) {
  const own = get(listPath(), { query });
  if (hasRole("editor")) return own;
  const { status, ordering, ...rest } = query;
  const published = get("blog/articles/", { query: rest });
  const found = (await Promise.all([own, published])).flatMap(({ data }) => data);
  return { data: [...new Map(found.map((article) => [article.uuid, article])).values()] };
}

// The place below the character in the window, if the field knows it.
function place(field, at) {
  const { left, bottom } = field.rectangleAt?.(at) ?? {};
  return bottom === undefined ? null : { left, top: bottom };
}

class LinkPicker {
  words = "";
  at = 0;
  /** @type {any[] | null} */
  articles = null;

  /** @type {any} */
  dialog = null;
  timer = 0;

  /** @param {string} uuid @param {{place?: any, title?: string, list?: any, takesAddresses?: boolean}} options */
  constructor(uuid, { place, title = "Link to an article", list = listArticles, takesAddresses = true }) {
    this.uuid = uuid;
    this.list = list;
    this.place = place;
    this.title = title;
    this.takesAddresses = takesAddresses;
  }

  // Return {article}, {address}, {isAddress}, or {words} that were typed.
  async ask() {
    this.dialog = openDialog({ title: this.title, kind: "link-picker", content: () => this.render() });
    const { element, close, result } = this.dialog;
    if (this.place) this.move(element, this.place);
    // A click beside the list closes it.
    element.addEventListener("click", (event) => event.target === element && close());
    this.search();
    return (await result) ?? { words: this.words };
  }

  move(element, { left, top }) {
    const { innerWidth, innerHeight } = window;
    if (innerWidth < 768) return;
    const [width, height] = [element.offsetWidth, 400];
    element.style.margin = "0";
    element.style.left = `${Math.max(16, Math.min(left - 16, innerWidth - width - 16))}px`;
    element.style.top = `${Math.max(16, Math.min(top + 8, innerHeight - height))}px`;
  }

  async search() {
    const { words } = this;
    const query = { status: "any", page: 1, page_size: 9, fields: FIELDS };
    const order = words.trim() ? { q: words.trim() } : { ordering: "-last_updated" };
    const { data } = await this.list({ ...query, ...order }).catch(() => ({ data: [] }));
    if (words !== this.words) return;
    this.articles = data.filter(({ uuid }) => uuid !== this.uuid).slice(0, 8);
    this.at = 0;
    this.dialog.update();
  }

  type(words) {
    this.words = words;
    this.dialog.update();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.search(), WAIT_MS);
  }

  /**
   * The choices: the articles, and an address at the end.
   * @returns {{article?: any, address?: string, isAddress?: boolean}[]}
   */
  get options() {
    const words = this.words.trim();
    const articles = (this.articles ?? []).map((article) => ({ article }));
    if (!this.takesAddresses) return articles;
    return ADDRESS.test(words) ? [{ address: words }] : [...articles, { isAddress: true }];
  }

  press(event) {
    const { options } = this;
    const step = { ArrowDown: 1, ArrowUp: options.length - 1 }[event.key];
    if (event.isComposing) return;
    if (step && options.length) this.at = (this.at + step) % options.length;
    // Closed by the browser, the dialog would tell so only after the next key.
    else if (event.key === "Escape") this.dialog.close();
    else if (event.key === "Enter" && options.length) this.dialog.close(options[this.at]);
    else if (letterOf(event) === "K" && this.takesAddresses) this.dialog.close(options[options.length - 1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.dialog.update();
  }

  render() {
    const { words, articles, options, at, takesAddresses } = this;
    const [take, leave] = takesAddresses ? ["link", "keep the text"] : ["use it", "close"];
    const empty = words.trim() && articles?.length === 0 && !options[0]?.address;
    return html`<div class="search">${icon("search")}<input role="combobox" aria-label="Title of an article" autofocus
        placeholder="Title of an article" autocomplete="off" spellcheck="false" dir="auto" aria-expanded="true"
        aria-controls="link-list" aria-activedescendant=${options.length ? `link-${at}` : nothing} .value=${words}
        @input=${({ target }) => this.type(target.value)} @keydown=${(event) => this.press(event)}></div>
      <p class="none" role="status">${empty ? `No article contains '${words.trim()}'` : nothing}</p>
      <div id="link-list" role="listbox" aria-label="Articles">
        ${options.map((option, n) => this.renderOption(option, n))}</div>
      <p class="keys"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span> <span><kbd>Enter</kbd> ${take}</span>
        <span><kbd>Esc</kbd> ${leave}</span></p>`;
  }

  renderOption(option, n) {
    const { article, address } = option;
    const day = ({ status, published_at: time, last_updated: changed }) =>
      status === "published" ? formatDay(time) : formatChanged(changed);
    const inner = article
      ? html`<span class="title" dir="auto">${mark(article.title, this.words)}</span>${badge(article)}
          <span class="day">${day(article)}</span>`
      : html`${icon("globe")}<span class="title">${address ? `Link to ${address}` : "Link to an address…"}</span>
          <kbd>Ctrl K</kbd>`;
    return html`<div id="link-${n}" role="option" class="menu-item ${article ? "" : "address"}"
      aria-selected=${n === this.at} @click=${() => this.dialog.close(option)}>${inner}</div>`;
  }
}

// Mark the words at the beginnings of the words of a title.
function mark(title, words) {
  const found = words.trim().split(/\s+/).filter(Boolean);
  if (!found.length) return title;
  const escaped = found.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = title.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "giu"));
  return parts.map((part, n) => (n % 2 ? html`<mark>${part}</mark>` : part));
}
