/** The site: its title, language and time zone, addresses and navigation. The form is in the document. */

import { html, nothing, render } from "../vendor/lit.js";
import { ApiError, get, imageAddress, patch, post } from "../api.js";
import { button, field, icon, iconButton } from "../components.js";
import { announce } from "../dialogs.js";
import { count, formatTime, parseTime } from "../format.js";
import { onSubmit, showErrors } from "../forms.js";
import { languageName, listLanguages } from "../languages.js";
import { content, definePage, Page, session, setSession } from "../shell.js";

const SITE = "blog/site/";
/** The lists of the form: the label of each part of an entry. */
const LISTS = {
  navigation: { label: "Word", url: "Leads to" },
  languages: { language: "Language", title: "Title in it", description: "Description in it" },
};
const [form, aside] = content;
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
// The words of a text, or of the navigation.
const words = (value) =>
  Array.isArray(value) ? value.map(({ label, language }) => label ?? language).join(", ") : value;

// What the document says below these fields.
const TITLE_HELP = form.querySelector("#title-help").textContent;
const ABOUT_HELP = form.querySelector("#description-help").textContent;
const PATH_HELP = form.querySelector("#article_path-help").textContent;

/** The address of a picture, from this host if it is a file of the library. */

/** The path of an article, as the server makes it. */
function fillPath(pattern, { uuid, slug, category, published_at: time }, zone) {
  const parts = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone: zone }).format(parseTime(time));
  const [year, month, day] = parts.split("-");
  const { language } = session().site;
  // An article in the language of the site.
  const values = { uuid, slug, category: category.slug, year, month, day, language, "/language": "", local_slug: slug };
  return pattern.replace(/\{(\/?\w+)\}/g, (whole, name) => values[name] ?? whole);
}

class Site extends Page {
  values = {};

  /** @type {any} the newest published article */
  newest = null;
  published = 0;
  /** @type {any} what the check of the address has found */
  checked = null;

  async load() {
    const query = { page: 1, page_size: 1, fields: "title,uuid,slug,category,published_at,cover_image" };
    const [site, { data: articles, total }] = await Promise.all([get(SITE), get("blog/articles/", { query })]);
    this.newest = articles[0] ?? null;
    this.published = total;
    this.take(site);
  }

  /** Show the site of the server; fields that were changed here keep their values. */
  take({ data, etag }) {
    const values = { ...structuredClone(data), ...Object.fromEntries(this.changes) };
    const tags = listLanguages(values.language).map((tag) => new Option(languageName(tag), tag));
    form.elements.language.replaceChildren(...tags);
    for (const { name } of form.elements) if (name in values) form.elements[name].value = values[name];
    this.set({ stored: data, values, etag });
  }

  get changes() {
    return Object.entries(this.values).filter(([name, value]) => !isSame(value, this.stored[name]));
  }

  renderMain() {
    if (!this.stored) return nothing;
    const state = this.changes.length ? "Not saved yet" : this.saved;
    const save = { busyText: "Saving…", kind: "main", type: "submit", form: "site", busy: this.busy === "save" };
    return html`<div class="actions"><span class="soft small">${state}</span>${button("Save", null, save)}</div>`;
  }

  renderPage() {
    showErrors(form, this.errors);
    for (const [name, parts] of Object.entries(LISTS)) {
      const entries = this.values[name].map((entry, at) => this.renderEntry(name, parts, entry, at));
      render(entries, form.querySelector(`.${name}`));
    }
    for (const place of form.querySelectorAll(".site-picture")) this.renderPicture(place);
    this.describeFields();
    render(this.renderCheck(), form.querySelector(".site-check"));
    render(this.renderShown(), aside.lastElementChild);
    return html`<div class="columns site">${form}${aside}</div>`;
  }

  /** The help of fields whose values mean more than they show. */
  describeFields() {
    const { title, description, time_zone: zone, article_path: path } = this.values;
    const explain = (name, text) => {
      form.querySelector(`#${name}-help`).textContent = text;
    };
    explain("title", `${TITLE_HELP}. ${title.length} of about 60 characters.`);
    explain("description", `${ABOUT_HELP}. ${description.length} of about 160 characters.`);
    const inZone = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: zone });
    explain("time_zone", `It is ${inZone.format(new Date())} there`);
    const moved = `${count(this.published, "address", "addresses")} of articles change with it; the blog keeps no
      redirects from the old ones.`;
    explain("article_path", path === this.stored.article_path ? PATH_HELP : moved);
  }

  /** Show the picture of the field `place`. */
  renderPicture(place) {
    const { name } = place.dataset;
    const address = this.values[name];
    const none = name === "logo" ? "None. The title stands in its place." : "None";
    place.querySelector(".name").textContent = address ? decodeURIComponent(address.split("/").at(-1)) : none;
    place.querySelector(".remove").hidden = !address;
    render(address ? html`<img src=${imageAddress(address)} alt="">` : icon("image"), place.querySelector(".thumb"));
  }

  /** The check of the stored address, and what it has found just now. */
  renderCheck() {
    const { checked, values, stored } = this;
    if (!stored.url || values.url !== stored.url) return nothing;
    const isRunning = this.busy === "check";
    const again = html`<button type="button" class="link-button" @click=${() => this.check()}>
      ${isRunning ? "Checking…" : checked ? "Check again" : "Check the address"}</button>`;
    if (!checked || isRunning) return again;
    const [mark, kind] = checked.problem ? ["triangle-alert", "warn"] : ["circle-check", "good"];
    const words = checked.problem || "Answers, and its feed names this blog.";
    return html`<span role="status">${icon(mark, kind)} ${words}</span> ${again}`;
  }

  /** Let the server fetch the page at the stored address and its feed. */
  check() {
    return this.act("check", async () => {
      const { data } = await post("site-check/");
      this.checked = data;
    });
  }

  /** How a search result, a card, an address and a tab look with the values of the form. */
  renderShown() {
    const { title, description, url, icon: mark, article_path: pattern } = this.values;
    const host = url.replace(/^https?:\/\//, "") || "The site has no address yet";
    const name = title || "Without a title";
    const about = description || "Without a description";
    const { newest } = this;
    const path = newest ? fillPath(pattern, newest, this.values.time_zone) : pattern;
    const picture = newest?.cover_image;
    const cover = picture ? html`<img src=${imageAddress(picture)} alt="">` : nothing;
    const note = picture
      ? "The picture is the cover of the newest article."
      : "The cover of the newest article becomes the picture.";
    const sample = (label, kind, ...parts) => html`<p class="soft">${label}</p>
      <div class="elsewhere ${kind}" role="group" aria-label=${label} dir="auto">${parts}</div>`;
    const texts = html`<p class="host">${host}</p><p class="title">${name}</p><p>${about}</p>`;
    return html`${sample("In a search", "", texts)} ${sample("As a card in a message", "card", cover, texts)}
      <p class="small soft">${note}</p>
      <p class="soft">An article’s address</p>
      <p class="mono address">${url ? host : nothing}<strong>${path}</strong></p>
      <p class="soft">In a tab</p>
      <p class="site-tab">${mark ? html`<img src=${imageAddress(mark)} alt="">` : nothing}<span>${name}</span></p>`;
  }

  /** Let the user choose a picture of the library. */
  async choose(name) {
    const { choosePictures } = await import("../editor/pictures.js");
    const [picture] = await choosePictures({ single: true, title: `Choose the ${name}`, action: `Use as ${name}` });
    if (picture) this.setValue(name, picture.url);
  }

  setValue(name, value) {
    this.values[name] = value;
    this.requestUpdate();
  }

  renderEntry(list, parts, entry, at) {
    const part = ([name, label]) =>
      field({ name: `${list}.${at}.${name}`, label, value: entry[name], errors: this.errors });
    const onClick = () => (this.values[list].splice(at, 1), this.requestUpdate());
    const fields = Object.entries(parts);
    return html`<li class="site-entry">${fields.map(part)}
      ${iconButton("x", `Remove ${entry[fields[0][0]] || "entry"}`, onClick, { kind: "bare" })}</li>`;
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
      if (/** @type {any} */ (error).status !== 412) throw error;
      this.take(await get(SITE));
      const both = this.changes.filter(([name]) => !isSame(before[name], this.stored[name]));
      if (!both.length) return this.send();
      const explain = (value) => `Somebody else has saved “${words(value)}”. Save again to replace it.`;
      const errors = Object.fromEntries(both.map(([name]) => [name, explain(this.stored[name])]));
      throw new ApiError(412, { errors });
    }
    setSession({ ...session(), site: this.stored });
    this.checked = null;
    this.saved = `Saved ${formatTime(new Date())}`;
    return announce("Saved");
  }
}

const page = definePage(Site);
addEventListener("beforeunload", (event) => page.changes.length && event.preventDefault());
onSubmit(form, () => page.act("save", () => page.send()));
form.addEventListener("input", ({ target: { name, value } }) => {
  const [field, at, part] = name.split(".");
  if (part) page.values[field][at][part] = value;
  else page.values[field] = value;
  page.requestUpdate();
});
for (const [name, parts] of Object.entries(LISTS)) {
  form.querySelector(`.add-${name}`).addEventListener("click", () => {
    page.values[name].push(Object.fromEntries(Object.keys(parts).map((part) => [part, ""])));
    page.requestUpdate();
  });
}
for (const place of form.querySelectorAll(".site-picture")) {
  const { name } = place.dataset;
  place.querySelector(".choose").addEventListener("click", () => page.choose(name));
  place.querySelector(".remove").addEventListener("click", () => page.setValue(name, ""));
}
