/** The dialog in which an author chooses the target of a link; "[[" in the text or Ctrl K opens it. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { badge, icon, withValue } from "../components.js";
import { openDialog } from "../dialogs.js";
import { formatTimeAgo, formatDay } from "../format.js";
import { getNextIndex } from "../listbox.js";
import { hasRole, getArticlesPath } from "../roles.js";
import { hasTypedBrackets, describeLinkProblems, findArticleLinks, formatArticleLink } from "./links.js";
import { runCommand } from "./markdown.js";
import { getShortcutKey } from "../shortcuts.js";

const LISTED_FIELDS = "uuid,title,slug,status,url,published_at,last_updated";
/** The largest number of articles that one request finds. */
export const MAX_LINKS = 100;
const SEARCH_DELAY_MS = 150;
const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/i;

/**
 * Open the dialog if the last change of the text has typed "[[".
 * @param {EditorPage} page @param {string} former @param {string} text
 */
export function openPickerAfterBrackets(page, former, text) {
  const { from, to } = page.area.field.getSelection();
  if (from !== to || !hasTypedBrackets(former, text, from)) return;
  // The text field calls this function before it has updated its layout.
  queueMicrotask(() => chooseLink(page, { from: from - 2, to: from }));
}

/**
 * Let the author choose an article or enter an address, and insert a link to it. brackets: the range of "[[".
 * @param {EditorPage} page @param {TextRange} [brackets]
 */
export async function chooseLink(page, brackets) {
  if (document.querySelector(".link-picker")) return;
  const { field } = page.area;
  const range = brackets ?? field.getSelection();
  page.area.range = range;
  const text = brackets ? "" : field.getText().slice(range.from, range.to);
  const linkSelection = () => page.applyCommand((/** @type {TextInput} */ input) => runCommand("link", input));
  if (ADDRESS.test(text)) return linkSelection();
  // A plain text area does not know where a character is.
  const choice = await new LinkPicker(page.uuid, { place: field.getRectangleAt?.(range.to) }).askForChoice();
  /** @param {string} insert */
  const replaceRange = (insert) => {
    const end = range.from + insert.length;
    field.applyChange({ ...range, insert, selectFrom: end, selectTo: end });
  };
  if (choice.article) replaceRange(formatArticleLink(choice.article, text));
  else if (choice.address) replaceRange(`[${text || choice.address}](${choice.address})`);
  else if (choice.isAddress) {
    field.selectRange(range.from, range.to);
    if (brackets) replaceRange("");
    linkSelection();
  } else if (brackets && choice.words) replaceRange(`[[${choice.words}`);
  field.focus();
}

/**
 * Let the author choose an article other than the edited one; return it, or undefined.
 * @param {string} edited the uuid of the edited article @param {string} title @param {ListItems} [list] loads pages
 *   instead of articles
 */
export async function chooseArticle(edited, title, list = listArticles) {
  return (await new LinkPicker(edited, { title, list, takesAddresses: false }).askForChoice()).article;
}

/**
 * Return the articles with these uuids that the author may read; null if the server fails.
 * @param {string[]} uuids @returns {Promise<Article[] | null>}
 */
export async function findArticles(uuids) {
  const query = { uuid: uuids, status: "any", fields: LISTED_FIELDS, page: 1, page_size: MAX_LINKS };
  const { data } = await listArticles(query).catch(() => ({ data: null }));
  return data;
}

/**
 * Return the warnings about the links of a text, without warnings if the server does not answer.
 * @param {string} text
 */
export async function findBrokenLinks(text) {
  const links = findArticleLinks(text).slice(0, MAX_LINKS);
  const uuids = [...new Set(links.map(({ uuid }) => uuid))];
  const found = uuids.length ? await findArticles(uuids) : null;
  return found ? describeLinkProblems(links, new Map(found.map((article) => [article.uuid, article]))) : [];
}

/** A function that loads articles or pages. @typedef {(query: Json) => Promise<{data: Article[]}>} ListItems */

/** Load articles: for authors, their own and the published articles of others. @type {ListItems} */
async function listArticles(query) {
  const own = get(getArticlesPath(), { query });
  if (hasRole("editor")) return own;
  const { status, ordering, ...rest } = query;
  const published = get("blog/articles/", { query: rest });
  const found = (await Promise.all([own, published])).flatMap(({ data }) => data);
  return { data: [...new Map(found.map((article) => [article.uuid, article])).values()] };
}

/**
 * The choice of an author: an article or an address. isAddress: the author wants to enter an address in the text;
 * words: the typed words, if the author has chosen nothing.
 *
 * @typedef {{article?: Article, address?: string, isAddress?: boolean, words?: string}} LinkChoice
 * @typedef {{left: number, bottom: number}} WindowPlace
 */

class LinkPicker {
  words = "";
  /** The index of the option that Enter chooses. */
  at = 0;
  /** @type {Article[] | null} */
  articles = null;

  /** @type {any} */
  dialog = null;
  timer = 0;

  /**
   * @param {string} uuid of the edited article, which is not offered
   * @param {{place?: WindowPlace | null, title?: string, list?: ListItems, takesAddresses?: boolean}} options place: of
   *   the character below which the dialog opens
   */
  constructor(uuid, { place, title = "Link to an article", list = listArticles, takesAddresses = true }) {
    this.uuid = uuid;
    this.place = place;
    this.title = title;
    this.list = list;
    this.takesAddresses = takesAddresses;
  }

  /** @returns {Promise<LinkChoice>} */
  async askForChoice() {
    this.dialog = openDialog({ title: this.title, kind: "link-picker", content: () => this.render() });
    const { element, close, result } = this.dialog;
    if (this.place) this.placeDialog(element, this.place);
    // A click outside of the dialog closes it.
    element.addEventListener("pointerdown", (/** @type {Event} */ { target }) => target === element && close());
    this.searchArticles();
    return (await result) ?? { words: this.words };
  }

  /** @param {HTMLElement} element @param {WindowPlace} place */
  placeDialog(element, { left, bottom }) {
    const { innerWidth, innerHeight } = window;
    if (innerWidth < 768) return;
    const [width, height] = [element.offsetWidth, 400];
    element.style.margin = "0";
    element.style.left = `${Math.max(16, Math.min(left - 16, innerWidth - width - 16))}px`;
    element.style.top = `${Math.max(16, Math.min(bottom + 8, innerHeight - height))}px`;
  }

  async searchArticles() {
    const { words } = this;
    const query = { status: "any", page: 1, page_size: 9, fields: LISTED_FIELDS };
    const order = words.trim() ? { q: words.trim() } : { ordering: "-last_updated" };
    const { data } = await this.list({ ...query, ...order }).catch(() => ({ data: [] }));
    if (words !== this.words) return;
    this.articles = data.filter(({ uuid }) => uuid !== this.uuid).slice(0, 8);
    this.at = 0;
    this.dialog.update();
  }

  /** @param {string} words */
  setWords(words) {
    this.words = words;
    this.dialog.update();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.searchArticles(), SEARCH_DELAY_MS);
  }

  /** The options: the articles found and, last, an address. @returns {LinkChoice[]} */
  get options() {
    const words = this.words.trim();
    const articles = (this.articles ?? []).map((article) => ({ article }));
    if (!this.takesAddresses) return articles;
    return ADDRESS.test(words) ? [{ address: words }] : [...articles, { isAddress: true }];
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { options } = this;
    const next = getNextIndex(event, this.at, options.length);
    if (event.isComposing) return;
    if (next !== undefined) this.at = next;
    // Close the dialog here, because the browser would report that it has closed it only after the next key.
    else if (event.key === "Escape") this.dialog.close();
    else if (event.key === "Enter" && options.length) this.dialog.close(options[this.at]);
    else if (getShortcutKey(event) === "K" && this.takesAddresses) this.dialog.close(options[options.length - 1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.dialog.update();
  }

  render() {
    const { words, articles, options, at, takesAddresses } = this;
    const [take, leave] = takesAddresses ? ["link", "keep the text"] : ["use it", "close"];
    const empty = words.trim() && articles?.length === 0 && !options[0]?.address;
    const handleKey = (/** @type {KeyboardEvent} */ event) => this.handleKey(event);
    return html`<div class="search">${icon("search")}<input role="combobox" aria-label="Title of an article" autofocus
        placeholder="Title of an article" autocomplete="off" spellcheck="false" dir="auto" aria-expanded="true"
        aria-controls="link-list" aria-activedescendant=${options.length ? `link-${at}` : nothing} .value=${words}
        @input=${withValue((text) => this.setWords(text))} @keydown=${handleKey}></div>
      <p class="none" role="status">${empty ? `No article contains '${words.trim()}'` : nothing}</p>
      <div id="link-list" role="listbox" aria-label="Articles">
        ${options.map((option, n) => this.renderOption(option, n))}</div>
      <p class="keys"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span> <span><kbd>Enter</kbd> ${take}</span>
        <span><kbd>Esc</kbd> ${leave}</span></p>`;
  }

  /** @param {LinkChoice} option @param {number} n */
  renderOption(option, n) {
    const { article, address } = option;
    const inner = article
      ? html`<span class="title" dir="auto">${highlightWords(article.title, this.words)}</span>${badge(article)}
          <span class="day">${formatArticleDay(article)}</span>`
      : html`${icon("globe")}<span class="title">${address ? `Link to ${address}` : "Link to an address…"}</span>
          <kbd>Ctrl K</kbd>`;
    return html`<div id="link-${n}" role="option" class="menu-item ${article ? "" : "address"}"
      aria-selected=${n === this.at} @click=${() => this.dialog.close(option)}>${inner}</div>`;
  }
}

/** @param {Article} article */
const formatArticleDay = ({ status, published_at: time, last_updated: changed }) =>
  status === "published" && time ? formatDay(time) : formatTimeAgo(changed);

/**
 * Return the title with each search term highlighted where it begins a word.
 * @param {string} title @param {string} words
 */
function highlightWords(title, words) {
  const found = words.trim().split(/\s+/).filter(Boolean);
  if (!found.length) return title;
  const escaped = found.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = title.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "giu"));
  return parts.map((part, n) => (n % 2 ? html`<mark>${part}</mark>` : part));
}
