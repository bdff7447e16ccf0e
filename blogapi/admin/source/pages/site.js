/** The page of the site: title, languages, time zone, addresses and navigation. Its form is in site.html. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { ApiError, get, makeFileAddress, patch, post } from "../api.js";
import { button, field, icon, iconButton, renderSample, tabs } from "../components.js";
import { announceText } from "../dialogs.js";
import { formatCount, formatTime, parseTime } from "../format.js";
import { handleSubmit, setHelpText, showFieldErrors } from "../forms.js";
import { getLanguageName, listLanguageTags } from "../languages.js";
import { definePage, Page, refs, getSession, setSession } from "../shell.js";
import { offerTimeZones } from "../time-zones.js";
import "../editor/term-picker.js";

const SITE_PATH = "blog/site/";
/** The text and the address of each tab. @type {Record<string, [string, string]>} */
const TABS = {
  blog: ["The blog", "/admin/site/"],
  addresses: ["Addresses", "/admin/site/addresses/"],
  languages: ["Languages", "/admin/site/languages/"],
};
const LANGUAGE_LABELS = { language: "Language", title: "Title in it", description: "Description in it" };
/**
 * The lists of the form: the field, its element, the button that adds an entry, and the labels of the parts of an
 * entry.
 * @type {[string, HTMLElement, HTMLButtonElement, Record<string, string>][]}
 */
const ENTRY_LISTS = [
  ["navigation", refs.navigation, refs.addNavigation, { label: "Word", url: "Leads to" }],
  ["languages", refs.languages, refs.addLanguage, LANGUAGE_LABELS],
];
const { form } = refs;
const sections = /** @type {HTMLElement[]} */ ([...form.querySelectorAll("[data-tab]")]);
const pictureFields = /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".site-picture"));
/** @param {unknown} left @param {unknown} right */
const isEqual = (left, right) => JSON.stringify(left) === JSON.stringify(right);
/** Return the value of a field as text, with the labels or languages of a list. @param {any} value */
const formatValue = (value) =>
  Array.isArray(value) ? value.map(({ label, language }) => label ?? language).join(", ") : value;

// The help texts of these fields in the HTML template.
const [TITLE_HELP, ABOUT_HELP, PATH_HELP] = ["title", "description", "article_path"].map(
  (name) => form.querySelector(`#${name}-help`)?.textContent ?? "",
);

/**
 * Return the path of an article by the pattern of paths, as the server does.
 * @param {string} pattern @param {Json} article @param {string} zone
 */
function fillPathPattern(pattern, { uuid, slug, category, published_at: time }, zone) {
  const parts = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone: zone }).format(parseTime(time));
  const [year, month, day] = parts.split("-");
  const { language } = getSession().site;
  /** The placeholders of an article in the language of the site. @type {Record<string, string>} */
  const values = { uuid, slug, category: category.slug, year, month, day, language, "/language": "", local_slug: slug };
  return pattern.replace(/\{(\/?\w+)\}/g, (whole, name) => values[name] ?? whole);
}

class Site extends Page {
  /** @type {Json} the values in the form */
  values = {};
  /** @type {any} the values on the server */
  stored = null;
  /** @type {any} the newest published article */
  newest = null;
  published = 0;
  /** @type {any} the pages for the navigation; null until the user looks for one */
  pages = null;
  /** @type {any} the result of the check of the address; null before a check */
  checked = null;

  async loadData() {
    const query = { page: 1, page_size: 1, fields: "title,uuid,slug,category,published_at,cover_image" };
    const [site, { data: articles, total }] = await Promise.all([get(SITE_PATH), get("blog/articles/", { query })]);
    this.newest = articles[0] ?? null;
    this.published = total;
    this.showStoredSite(site);
  }

  /**
   * Show the values of the server; fields that were changed in the form keep their values.
   * @param {import("../api.js").Answer} answer
   */
  showStoredSite({ data, etag }) {
    const values = { ...structuredClone(data), ...Object.fromEntries(this.changes) };
    const tags = listLanguageTags(values.language).map((tag) => new Option(getLanguageName(tag), tag));
    form.elements.language.replaceChildren(...tags);
    offerTimeZones(form.elements.time_zone, values.time_zone);
    for (const [name, value] of Object.entries(values)) if (form.elements[name]) form.elements[name].value = value;
    form.elements.built_in.checked = values.built_in;
    this.setFields({ stored: data, values, etag });
  }

  get changes() {
    return Object.entries(this.values).filter(([name, value]) => !isEqual(value, this.stored[name]));
  }

  renderMainButton() {
    if (!this.stored) return nothing;
    const state = this.changes.length ? "Not saved yet" : this.saved;
    const save = { busyText: "Saving…", kind: "main", type: "submit", form: "site", busy: this.busy === "save" };
    return html`<div class="actions"><span class="soft small">${state}</span>${button("Save", null, save)}</div>`;
  }

  /** @returns {string} */
  get tab() {
    return location.pathname.split("/")[3] || "blog";
  }

  /** Show a tab, and put its address into the address bar. @param {string | undefined} tab */
  showTab(tab = this.tab) {
    if (tab !== this.tab) history.pushState(null, "", TABS[tab][1]);
    for (const section of sections) section.hidden = section.dataset.tab !== tab;
    this.requestUpdate();
  }

  /** Show the tab of the first faulty field. @param {Record<string, unknown>} errors */
  showFaultyTab(errors = {}) {
    const selector = Object.keys(errors).map((name) => `[id="field-${name}"], [id="${name}-error"]`);
    const section = selector.length && sections.find((element) => element.querySelector(selector.join()));
    if (section) this.showTab(section.dataset.tab);
  }

  renderTabs() {
    const items = Object.entries(TABS).map(([key, [text, href]]) => ({ key, text, href }));
    const openTab = (/** @type {any} */ event) => {
      const item = items.find(({ href }) => event.target.closest("a")?.pathname === href);
      if (!item || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.showTab(item.key);
    };
    return html`<div @click=${openTab}>${tabs(items, this.tab)}</div>`;
  }

  /** Render the field that adds a page to the navigation. */
  renderAddPage() {
    const findPages = async (/** @type {string} */ words) => {
      this.pages ??= (await get("blog/pages/", { query: { fields: "uuid,title,slug,parent,url" } })).data;
      const isFound = ({ title = "" }) => title.toLowerCase().includes(words.toLowerCase());
      return this.pages.filter(isFound).map((/** @type {Article} */ page) => ({ ...page, name: page.title }));
    };
    /** @param {CustomEvent<string[]>} event */
    const addPage = ({ detail: [uuid] }) => {
      const { title: label } = this.pages.find((/** @type {Article} */ page) => page.uuid === uuid);
      this.setValue("navigation", [...this.values.navigation, { label, url: this.getPagePath(uuid) }]);
    };
    return html`<term-picker class="field" .find=${findPages} .single=${true} .label=${"Add a page"}
      @choose=${addPage}></term-picker>`;
  }

  /** Return the address of a page without the address of the site. @param {string} uuid @returns {string} */
  getPagePath(uuid) {
    const pages = new Map(this.pages.map((/** @type {Article} */ item) => [item.uuid, item]));
    const { url } = pages.get(uuid);
    if (url) return url.slice(this.stored.url.length);
    const slugs = [];
    for (let item = pages.get(uuid); item; item = pages.get(item.parent)) slugs.unshift(item.slug);
    return this.stored.page_path.replace("{path}", slugs.join("/")).replace(/\{\/?\w+\}/g, "");
  }

  renderPage() {
    showFieldErrors(form, this.errors);
    for (const [name, list, , parts] of ENTRY_LISTS) {
      /** @param {Json} entry @param {number} n */
      const renderEntry = (entry, n) => this.renderEntry(name, parts, entry, n);
      render(this.values[name].map(renderEntry), list);
    }
    for (const field of pictureFields) this.renderPicture(field);
    this.describeFields();
    render(this.renderAddressCheck(), refs.siteCheck);
    render(this.renderSamples(), refs.samples);
    render(this.renderAddPage(), refs.addPage);
    const hasSamples = this.tab !== "languages";
    return html`${this.renderTabs()}
      <div class="${hasSamples ? "columns" : ""} site">${form}${hasSamples ? refs.shown : nothing}</div>`;
  }

  updated() {
    super.updated();
    // A link of the overview leads to the checkbox of the built-in site.
    if (this.state !== "ready" || this.isFocused || location.hash !== `#${form.elements.built_in.id}`) return;
    this.isFocused = true;
    form.elements.built_in.focus();
  }

  /** Show the effects of the values below some fields. */
  describeFields() {
    const { title, description, time_zone: zone, article_path: path } = this.values;
    setHelpText(form, "title", `${TITLE_HELP}. ${title.length} of about 60 characters.`);
    setHelpText(form, "description", `${ABOUT_HELP}. ${description.length} of about 160 characters.`);
    const inZone = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: zone });
    setHelpText(form, "time_zone", `It is ${inZone.format(new Date())} there`);
    const moved = `${formatCount(this.published, "address", "addresses")} of articles change with it; the blog keeps no
      redirects from the old ones.`;
    setHelpText(form, "article_path", path === this.stored.article_path ? PATH_HELP : moved);
  }

  /** Show the picture of a field. @param {HTMLElement} field */
  renderPicture(field) {
    const { name = "" } = field.dataset;
    const address = this.values[name];
    const [thumbnail, text, remove] = /** @type {NodeListOf<HTMLElement>} */ (
      field.querySelectorAll(".thumb, .name, .remove")
    );
    const missing = name === "logo" ? "None. The title is shown instead." : "None";
    text.textContent = address ? decodeURIComponent(address.split("/").at(-1)) : missing;
    remove.hidden = !address;
    render(address ? html`<img src=${makeFileAddress(address)} alt="">` : icon("image"), thumbnail);
  }

  /** Render the button that checks the stored address, and the result of the check. */
  renderAddressCheck() {
    const { checked, values, stored } = this;
    if (!stored.url || values.url !== stored.url) return nothing;
    const isRunning = this.busy === "check";
    const again = html`<button type="button" class="link-button" @click=${() => this.checkAddress()}>
      ${isRunning ? "Checking…" : checked ? "Check again" : "Check the address"}</button>`;
    if (!checked || isRunning) return again;
    const [mark, kind] = checked.problem ? ["triangle-alert", "warn"] : ["circle-check", "good"];
    const words = checked.problem || "The site answers, and its feed names this blog.";
    return html`<span role="status">${icon(mark, kind)} ${words}</span> ${again}`;
  }

  /** Ask the server to fetch the page at the stored address and its feed. */
  checkAddress() {
    return this.runTask("check", async () => {
      const { data } = await post("site-check/");
      this.checked = data;
    });
  }

  /** Render a search result, a card, an address and a tab with the values of the form. */
  renderSamples() {
    const { title, description, url, icon: mark, article_path: pattern } = this.values;
    const host = url.replace(/^https?:\/\//, "") || "The site has no address yet";
    const name = title || "Without a title";
    const about = description || "Without a description";
    const { newest } = this;
    const path = newest ? fillPathPattern(pattern, newest, this.values.time_zone) : pattern;
    const picture = newest?.cover_image && makeFileAddress(newest.cover_image);
    const note = picture
      ? "The picture is the cover of the newest article."
      : "The cover of the newest article becomes the picture.";
    const texts = { host, title: name, description: about };
    return html`<p class="soft">In a search</p>${renderSample({ ...texts, label: "In a search" })}
      <p class="soft">As a card in a message</p>
      ${renderSample({ ...texts, label: "As a card in a message", kind: "card", picture })}
      <p class="small soft">${note}</p>
      <p class="soft">An article’s address</p>
      <p class="mono address">${url ? host : nothing}<strong>${path}</strong></p>
      <p class="soft">In a tab</p>
      <p class="site-tab">${mark ? html`<img src=${makeFileAddress(mark)} alt="">` : nothing}<span>${name}</span></p>`;
  }

  /** Let the user choose a picture of the library. @param {string} name */
  async choosePicture(name) {
    const { choosePicture } = await import("../editor/pictures.js");
    const picture = await choosePicture({ title: `Choose the ${name}`, action: `Use as ${name}` });
    if (picture) this.setValue(name, picture.url);
  }

  /** @param {string} name @param {unknown} value */
  setValue(name, value) {
    this.values[name] = value;
    this.requestUpdate();
  }

  /** @param {string} list @param {Record<string, string>} parts @param {Json} entry @param {number} n */
  renderEntry(list, parts, entry, n) {
    /** @param {[string, string]} part */
    const renderPart = ([name, label]) =>
      field({ name: `${list}.${n}.${name}`, label, value: entry[name], errors: this.errors });
    const removeEntry = () => (this.values[list].splice(n, 1), this.requestUpdate());
    const fields = Object.entries(parts);
    return html`<li class="site-entry">${fields.map(renderPart)}
      ${iconButton("x", `Remove ${entry[fields[0][0]] || "entry"}`, removeEntry, { kind: "bare" })}</li>`;
  }

  /**
   * Send the changed fields. If another user has changed one of them, throw an error with that user's values.
   * @returns {Promise<void>}
   */
  async sendChanges() {
    const sent = structuredClone(Object.fromEntries(this.changes));
    const before = this.stored;
    try {
      const answer = await patch(SITE_PATH, sent, { etag: this.etag });
      Object.assign(before, sent);
      this.showStoredSite(answer);
    } catch (error) {
      if (/** @type {any} */ (error).status !== 412) throw error;
      this.showStoredSite(await get(SITE_PATH));
      const both = this.changes.filter(([name]) => !isEqual(before[name], this.stored[name]));
      if (!both.length) return this.sendChanges();
      const explainConflict = (/** @type {unknown} */ value) =>
        `Somebody else has saved “${formatValue(value)}”. Save again to replace it.`;
      const errors = Object.fromEntries(both.map(([name]) => [name, explainConflict(this.stored[name])]));
      throw new ApiError(412, { errors });
    }
    setSession({ ...getSession(), site: this.stored });
    this.checked = null;
    this.saved = `Saved ${formatTime(new Date())}`;
    return announceText("Saved");
  }
}

const page = definePage(Site);
addEventListener("beforeunload", (event) => page.changes.length && event.preventDefault());
page.showTab();
addEventListener("popstate", () => page.showTab());
const sendChanges = () =>
  page.sendChanges().catch((/** @type {ApiError} */ error) => {
    page.showFaultyTab(error.errors);
    throw error;
  });
handleSubmit(form, () => page.runTask("save", sendChanges));
form.addEventListener("input", (event) => {
  const { name, value, type, checked } = /** @type {HTMLInputElement} */ (event.target);
  // The field that adds a page has no name.
  if (!name) return;
  const [field, n, part] = name.split(".");
  if (part) page.values[field][n][part] = value;
  else page.values[field] = type === "checkbox" ? checked : value;
  // The built-in site gets the address of this page if the site has no address.
  if (page.values.built_in && name === "built_in" && !page.values.url)
    page.values.url = form.elements.url.value = location.origin;
  page.requestUpdate();
});
for (const [name, , add, parts] of ENTRY_LISTS) {
  add.onclick = () => {
    page.values[name].push(Object.fromEntries(Object.keys(parts).map((part) => [part, ""])));
    page.requestUpdate();
  };
}
for (const field of pictureFields) {
  const { name = "" } = field.dataset;
  const [remove, choose] = /** @type {NodeListOf<HTMLElement>} */ (field.querySelectorAll(".remove, .choose"));
  choose.onclick = () => page.choosePicture(name);
  remove.onclick = () => page.setValue(name, "");
}
