/** The site: its title, language and time zone, its addresses and its navigation. */

import { html, nothing } from "../vendor/lit.js";
import { ApiError, get, patch } from "../api.js";
import { announce, button, sectionHead } from "../components.js";
import { formatTime } from "../format.js";
import { bind } from "../forms.js";
import { definePage, Page, session, setSession } from "../shell.js";

const SITE = "blog/site/";
const PATH = { help: "With {slug} or {uuid}. A change moves all these pages." };
const ARTICLE_PATH = { help: "Also with {year}, {month}, {day}, {category}. A change moves every article." };
const SECTIONS = [
  ["The blog", [
    ["title", "Title"],
    ["description", "Description", { type: "textarea" }],
    ["language", "Language", { help: "A tag such as en, de-AT or pt-PT." }],
    ["time_zone", "Time zone", { help: "For dates in addresses and on these pages.", type: "select" }],
  ]],
  ["Addresses", [
    ["url", "Address of the site", { help: "Where readers find the blog, such as https://blog.example." }],
    ["service_url", "Address of this service", { help: "Where the site finds the API and the pictures." }],
    ["article_path", "Path of an article", ARTICLE_PATH],
    ["category_path", "Path of a category", PATH],
    ["tag_path", "Path of a tag", PATH],
    ["author_path", "Path of an author", PATH],
    ["preview_url", "Page for previews", { help: "The page that shows a draft. Empty: a page of blogapi." }],
  ]],
  ["Pictures", [
    ["logo", "Logo", { help: "The address of a picture, or media: and its id in the library." }],
    ["icon", "Icon", { help: "The small picture in the tab of a browser." }],
  ]],
];

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
// The words of a text, or of the navigation.
const words = (value) => [value].flat().map((entry) => entry.label ?? entry).join(", ");

class Site extends Page {
  values = {};

  async load() { this.take(await get(SITE)); }

  /** Show the site of the server; fields that were changed here keep their values. */
  take({ data, etag }) {
    const values = { ...structuredClone(data), ...Object.fromEntries(this.changes) };
    this.set({ stored: data, values, etag });
  }

  get changes() {
    return Object.entries(this.values).filter(([name, value]) => !isSame(value, this.stored[name]));
  }

  renderMain() {
    if (!this.stored) return nothing;
    const state = this.changes.length ? "Not saved yet" : this.saved;
    return html`<div class="actions"><span class="soft small">${state}</span>${button({ text: "Save",
      busyText: "Saving…", kind: "main", type: "submit", form: "site", busy: this.busy === "save" })}</div>`;
  }

  renderPage() {
    const { values } = this;
    const input = bind(this, values);
    const zones = new Set(["UTC", values.time_zone, ...Intl.supportedValuesOf("timeZone")]);
    const options = [...zones].sort().map((zone) => [zone, zone]);
    const draw = ([name, label, more]) => input(name, label, { options, ...more });
    const setEntries = (navigation) => this.set({ values: { ...values, navigation } });
    const add = () => setEntries([...values.navigation, { label: "", url: "" }]);
    const save = (event) => (event.preventDefault(), this.act("save", () => this.send()));
    return html`<form id="site" novalidate @submit=${save}>
      ${SECTIONS.map(([title, fields]) => html`<section class="section">${sectionHead(title)}
        <div class="form">${fields.map(draw)}</div></section>`)}
      <section class="section">${sectionHead("Navigation")}
        <ol class="form">${values.navigation.map((entry, at) => {
          const part = (name, label) => bind(this, entry)(name, label, { name: `navigation.${at}.${name}` });
          const onClick = () => setEntries(values.navigation.toSpliced(at, 1));
          return html`<li class="site-entry">${part("label", "Word")}${part("url", "Leads to")}
            ${button({ icon: "x", kind: "bare", label: `Remove ${entry.label || "entry"}`, onClick })}</li>`;
        })}</ol>
        <div class="actions">${button({ text: "Add an entry", icon: "plus", onClick: add })}</div>
      </section></form>`;
  }

  /** Send the changed fields. Throws an error with the values of others for fields that both have changed. */
  async send() {
    const sent = structuredClone(Object.fromEntries(this.changes));
    const before = this.stored;
    try {
      const answer = await patch(SITE, sent, { etag: this.etag });
      Object.assign(before, sent);
      this.take(answer);
    } catch (error) {
      if (error.status !== 412) throw error;
      this.take(await get(SITE));
      const both = this.changes.filter(([name]) => !isSame(before[name], this.stored[name]));
      if (!both.length) return this.send();
      const explain = ([name]) =>
        [name, `Somebody else has saved “${words(this.stored[name])}”. Save again to replace it.`];
      throw new ApiError(412, { errors: Object.fromEntries(both.map(explain)) });
    }
    setSession({ ...session(), site: this.stored });
    this.saved = `Saved ${formatTime(new Date())}`;
    return announce("Saved");
  }
}

definePage(Site);
const page = document.querySelector("admin-page");
addEventListener("beforeunload", (event) => page.changes.length && event.preventDefault());
