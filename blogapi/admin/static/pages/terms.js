/** Categories, tags and authors: a list with search and merging, and a dialog; `data-page` is the kind. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { button, choiceCards, problem } from "../components.js";
import { confirmRisk, menuButton, openPopover, toast } from "../dialogs.js";
import "../editor/picker.js";
import { count, formatChanged, formatNumber } from "../format.js";
import { openForm } from "../forms.js";
import { content, session } from "../shell.js";
import { ListPage, PAGE_SIZE, defineList } from "./list-page.js";
import { byUuid, newButton } from "./lists.js";
import { describeNumbers, totalOf } from "./term-words.js";

const place = document.body.dataset.page;
const path = `blog/${place}/`;
const one = { categories: "category", tags: "tag", authors: "author" }[place];
const [form, none] = content;
const fields = [...new FormData(form).keys()].join();
const LISTED = `*,${fields},last_updated,articles_by_status`;

const TABS = { all: "All", hidden: "Not public", never: "Unused", similar: "Nearly alike" };
const FILTERS = { hidden: { used: "hidden" }, never: { used: "never" }, similar: { similar: "true" } };
const COLUMNS = [
  ["title", "Name"],
  ["slug", "Address"],
  ["num", "Articles"],
  ["uses", html`<span class="sr-only">In which status</span>`],
  ["num changed", "Changed"],
  ["menu-cell", html`<span class="sr-only">Actions</span>`],
];

class Terms extends ListPage {
  usual = { q: "", page: "1", show: "all" };
  words = [one, place];
  counts = {};
  main = newButton(one, () => this.edit());

  /** All categories by uuid, to name those above others; no tags or authors. @type {Map<string, any>} */
  all = new Map();

  async read(/** @type {any} */ { q, page, show }) {
    // The names that begin with the words come first; without words, the terms that most articles have.
    const ordering = q ? "" : "-articles";
    const query = { q, page, page_size: PAGE_SIZE, ordering, ...FILTERS[show] };
    const count = async (name) => {
      const { total } = await get(path, { query: { ...FILTERS[name], page: 1, page_size: 1, fields: "uuid" } });
      return [name, total];
    };
    const listing = get(path, { query: { ...query, fields: LISTED } });
    const [{ data: items, total }, ...counts] = await Promise.all([listing, ...Object.keys(TABS).map(count)]);
    const all = form.elements.parent ? (await get(path, { query: { fields: "uuid,name,parent" } })).data : [];
    return { items, total, counts: Object.fromEntries(counts), all: new Map(all.map((term) => [term.uuid, term])) };
  }

  renderPage() {
    const { q, show } = this.query;
    if (!this.counts.all) return none;
    const link = (key) => ({ key, text: TABS[key], count: this.counts[key] ?? null, href: this.link({ show: key }) });
    const rows = repeat(this.items, byUuid, (term) => this.renderTerm(term));
    const order = show === "similar" ? ", alike ones together" : q ? ", by name" : ", most used first";
    const empty = html`<p class="section soft" role="status">${q ? `No ${one} contains “${q}”.` : `No ${place}`}</p>`;
    return html`${this.renderTabs(Object.keys(TABS).map(link), show, `Search ${place}`)}
      ${this.items.length ? this.renderTable("terms", COLUMNS, this.renderBulk(), rows) : empty}
      ${this.items.length ? this.renderFoot(order) : nothing}`;
  }

  renderBulk() {
    const { chosen } = this;
    return html`${button("Merge…", ({ currentTarget }) => this.merge(currentTarget, chosen), { popup: "dialog" })}
      ${button("Delete", () => this.delete(chosen), { kind: "risk" })}`;
  }

  renderTerm(term) {
    const { uuid, name, slug, articles_by_status: numbers } = term;
    const total = totalOf(numbers);
    const above = this.all.get(term.parent);
    const menu = menuButton(`Actions for ${name}`, [
      { label: "Show articles", icon: "file-text", href: `/admin/articles/?${one}=${slug}` },
      { label: "Edit", icon: "pencil", action: () => this.edit(term) },
      { label: `Delete ${one}`, icon: "trash-2", risk: true, action: () => this.delete([term]) },
    ]);
    const articles = total ? html`<a href="/admin/articles/?${one}=${slug}">${formatNumber(total)}</a>` : total;
    return html`<tr class=${this.selected.has(uuid) ? "selected" : ""}>
      <td class="check-cell">${this.renderCheck(`Select ${name}`, [term])}</td>
      <th class="title" scope="row">
        <button class="link-button" type="button" @click=${() => this.edit(term)} dir="auto">${name}</button>
        ${above ? html`<span class="soft" dir="auto">in ${above.name}</span>` : nothing}</th>
      <td class="slug mono">${slug}</td><td class="num ink">${articles}</td>
      <td class="uses">${describeNumbers(numbers)}</td>
      <td class="num changed nowrap">${formatChanged(term.last_updated)}</td>
      <td class="menu-cell">${menu}</td></tr>`;
  }

  /** Open the dialog of a term, or of a new one. The server refuses to overwrite changes made meanwhile. */
  async edit(term) {
    const old = term && (await this.act("open", () => get(`${path}${term.uuid}/`, { query: { fields } })));
    if (term && !old) return;
    const { data = {}, etag } = old ?? {};
    this.listParents(term);
    const { language } = form.elements;
    language.closest(".field").hidden = !session().site.languages.length && !data.language;
    if ("parent" in data) data.parent ??= "";
    const save = (values) => {
      // Fields that stay empty are left out. Without an address, the server derives it or keeps it.
      // With an address, the name may be that of another term.
      const isGiven = ([name, value]) => (name === "slug" ? value && value !== data.slug : value || data[name]);
      const body = Object.fromEntries(Object.entries(values).filter(isGiven));
      if (body.parent === "") body.parent = null;
      return term ? patch(`${path}${term.uuid}/`, body, { etag }) : post(path, body);
    };
    await openForm(this, form, { title: `${term ? "Edit" : "New"} ${one}`, values: data, save });
  }

  /** Offer the categories that can be above the term: all but itself and those below it. */
  listParents(term) {
    const { parent } = form.elements;
    if (!parent) return;
    /** @type {(item: any) => any[]} the category after those above it */
    const chain = (item) => (item ? [...chain(this.all.get(item.parent)), item] : []);
    const options = [...this.all.values()].map(chain).filter((items) => !items.some(({ uuid }) => uuid === term?.uuid));
    const named = options.map((items) => [items.map(({ name }) => name).join(" › "), items.at(-1).uuid]);
    named.sort(([a], [b]) => a.localeCompare(b));
    parent.replaceChildren(parent.options[0], ...named.map(([name, uuid]) => new Option(name, uuid)));
  }

  /**
   * Delete terms. The server refuses those that articles need. A tag that articles have cannot be brought back,
   * so the page asks first.
   */
  async delete(terms) {
    const subject = terms.length === 1 ? `“${terms[0].name}”` : count(terms.length, one, place);
    const used = terms.map(({ articles_by_status: numbers }) => totalOf(numbers)).reduce((sum, number) => sum + number);
    if (place === "tags" && used) {
      const title = terms.length === 1 ? `Delete the tag ${subject}?` : `Delete ${subject}?`;
      const lost = terms.length === 1 ? "it" : "them";
      const text = `${count(used, "article")}, drafts included, will lose ${lost}. The articles stay.`;
      const action = terms.length === 1 ? "Delete tag" : "Delete tags";
      if (!(await confirmRisk({ title, text, action }))) return;
    }
    const query = { uuid: terms.map(({ uuid }) => uuid) };
    const { all } = this;
    const isDeleted = await this.actAndReload("delete", () => del(path, { query }));
    if (!isDeleted) return;
    this.clear();
    // The one above another comes first, as each needs it. The categories below them had moved up.
    const depth = (term) => (term ? depth(all.get(term.parent)) + 1 : 0);
    const ordered = [...terms].sort((a, b) => depth(a) - depth(b));
    const bodies = ordered.map(({ articles_by_status, last_updated, created, ...term }) => term);
    const deleted = new Set(terms.map(({ uuid }) => uuid));
    const below = [...all.values()].filter(({ uuid, parent }) => deleted.has(parent) && !deleted.has(uuid));
    const moved = below.map(({ uuid, parent }) => ({ uuid, parent }));
    const undo = () =>
      this.actAndReload("undo", async () => {
        await put(path, bodies);
        if (moved.length) await patch(path, moved, { etag: "*" });
      });
    toast(`${subject} deleted.`, { undo: !(place === "tags" && used) && undo });
  }

  /** Ask which of the terms stays, and merge the others into it. */
  async merge(anchor, terms) {
    const state = { terms, stays: [...terms].sort((a, b) => articlesOf(b) - articlesOf(a))[0].uuid, both: null };
    this.set({ problem: "" });
    const draw = (close) => this.renderMerge(state, close);
    const float = openPopover(anchor, draw, { label: `Merge ${place}`, kind: "merge" });
    if (!float) return;
    await this.findBoth(state);
    float.update();
  }

  /** Count the articles that have both of two tags. */
  async findBoth(state) {
    const [first, second] = state.terms;
    if (place !== "tags" || state.terms.length !== 2) return;
    const query = { tags_all: [first.uuid, second.uuid], status: "any", page: 1, page_size: 1, fields: "uuid" };
    state.both = (await get("blog/articles/", { query })).total;
  }

  renderMerge(state, close) {
    const { terms, stays, both } = state;
    if (terms.length < 2) return this.renderOther(state);
    const kept = terms.find(({ uuid }) => uuid === stays);
    const others = terms.filter((term) => term !== kept);
    const card = (term, at) => {
      const shared = both && at ? `, ${formatNumber(both)} of them ${both === 1 ? "has" : "have"} both` : "";
      return [term.uuid, term.name, `${count(articlesOf(term), "article")}${shared}`];
    };
    const choose = (uuid) => {
      state.stays = uuid;
      this.requestUpdate();
    };
    const merge = async () => {
      const uuids = others.map(({ uuid }) => uuid);
      const merged = await this.actAndReload("merge", () =>
        post(`${path}${stays}/merge/`, { uuids }, { timeout: 120 }),
      );
      if (!merged) return;
      close();
      this.clear();
      toast(`Merged into “${kept.name}”.`);
    };
    const cards = choiceCards({
      label: "Which one stays?",
      name: "stays",
      items: terms.map(card),
      value: stays,
      onChange: choose,
    });
    const main = { kind: "main", busyText: "Merging…", busy: this.busy === "merge" };
    return html`<h2>Merge ${count(terms.length, one, place)}</h2>${problem(this.problem)}
      <div class="merge-choice">${cards}</div>
      <p>${this.describeMerge(kept, others, both)}</p>
      <p class="soft">This cannot be undone.</p>
      <div class="popover-buttons">${button("Cancel", () => close(), { kind: "bare" })}
        ${button(`Merge into “${kept.name}”`, merge, main)}</div>`;
  }

  describeMerge(kept, others, both) {
    const pattern = session().site[`${one}_path`];
    const addressOf = ({ slug }) => html`<code>${pattern.replace("{slug}", slug)}</code>`;
    const names = others.map(({ name }) => `“${name}”`).join(", ");
    const hasOne = others.length === 1;
    const sum = [kept, ...others].reduce((total, term) => total + articlesOf(term), 0);
    const isKnown = place === "categories" || both !== null;
    const articles = isKnown ? count(sum - (both ?? 0), "article") : `The articles of ${names}`;
    const addresses =
      hasOne && pattern.includes("{slug}")
        ? html`its address ${addressOf(others[0])} leads to ${addressOf(kept)}.`
        : `${hasOne ? "its address leads" : "their addresses lead"} to “${kept.name}”.`;
    const moves = place === "categories" && session().site.article_path.includes("{category}");
    const moved = moves ? " The addresses of its articles change too: the category is a part of them." : "";
    return html`${articles} will have “${kept.name}”. ${names} ${hasOne ? "goes" : "go"}, and ${addresses}${moved}`;
  }

  /** Ask for the term with which a single one is merged. */
  renderOther(state) {
    const [term] = state.terms;
    const find = async (q) => {
      const query = { q, page: 1, page_size: 20, fields: LISTED };
      state.found = (await get(path, { query })).data.filter(({ uuid }) => uuid !== term.uuid);
      return state.found;
    };
    const take = async ({ detail: [uuid] }) => {
      state.terms = [term, state.found.find((other) => other.uuid === uuid)];
      await this.findBoth(state);
      this.requestUpdate();
    };
    return html`<h2>Merge “${term.name}”</h2>
      <term-picker class="field" .find=${find} .single=${true} .label=${"With"} @choose=${take}></term-picker>`;
  }
}

const articlesOf = ({ articles_by_status: numbers }) => totalOf(numbers);

// The buttons beside the addresses of pictures in the dialog. The code for pictures is not needed before.
document.addEventListener("click", async (/** @type {any} */ { target }) => {
  const chooser = target.closest(".choose-picture");
  if (!chooser) return;
  const { choosePictures } = await import("../editor/pictures.js");
  const options = { single: true, title: chooser.ariaLabel, action: "Use picture" };
  for (const { url } of await choosePictures(options)) chooser.previousElementSibling.value = url;
});

defineList(Terms);
