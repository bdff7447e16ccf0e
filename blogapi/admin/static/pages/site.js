/** The site: its title, language and time zone, addresses and navigation. The form is in the document. */

import { html, nothing, render } from "../vendor/lit.js";
import { ApiError, get, patch } from "../api.js";
import { button, field, iconButton } from "../components.js";
import { announce } from "../dialogs.js";
import { formatTime } from "../format.js";
import { onSubmit, showErrors } from "../forms.js";
import { content, definePage, Page, session, setSession } from "../shell.js";

const SITE = "blog/site/";
const [form] = content;
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
// The words of a text, or of the navigation.
const words = (value) => (Array.isArray(value) ? value.map(({ label }) => label).join(", ") : value);

class Site extends Page {
  values = {};

  async load() {
    this.take(await get(SITE));
  }

  /** Show the site of the server; fields that were changed here keep their values. */
  take({ data, etag }) {
    const values = { ...structuredClone(data), ...Object.fromEntries(this.changes) };
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
    const entries = this.values.navigation.map((entry, at) => this.renderEntry(entry, at));
    render(entries, form.querySelector("ol"));
    return form;
  }

  renderEntry(entry, at) {
    const part = (name, label) =>
      field({ name: `navigation.${at}.${name}`, label, value: entry[name], errors: this.errors });
    const onClick = () => (this.values.navigation.splice(at, 1), this.requestUpdate());
    return html`<li class="site-entry">${part("label", "Word")}${part("url", "Leads to")}
      ${iconButton("x", `Remove ${entry.label || "entry"}`, onClick, { kind: "bare" })}</li>`;
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
    this.saved = `Saved ${formatTime(new Date())}`;
    return announce("Saved");
  }
}

const page = definePage(Site);
addEventListener("beforeunload", (event) => page.changes.length && event.preventDefault());
onSubmit(form, () => page.act("save", () => page.send()));
form.addEventListener("input", ({ target: { name, value } }) => {
  const [field, at, part] = name.split(".");
  if (part) page.values.navigation[at][part] = value;
  else page.values[field] = value;
  page.requestUpdate();
});
form.querySelector(".add-entry").addEventListener("click", () => {
  page.values.navigation.push({ label: "", url: "" });
  page.requestUpdate();
});
