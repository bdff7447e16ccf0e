// A page that contains every component; tests serve it in place of a real page.
import { html } from "../../static/vendor/lit.js";
import { get, post } from "../api.js";
import * as components from "../components.js";
import { confirmRisk, copyButton, menuButton, openDialog, openPopover, toast } from "../dialogs.js";
import { definePage, Page, getSession } from "../shell.js";

const { button, field, iconButton, segmentControl } = components;

class Sample extends Page {
  heading = "Sample";
  name = "";
  when = "now";
  categories = [];

  async loadData() {
    ({ data: this.categories } = await get("blog/categories/"));
  }

  renderMainButton() {
    return button("New thing", () => this.ask(), { icon: "plus", kind: "main" });
  }

  ask() {
    const content = (close) => html`<form class="form">${components.problemAlert(this.problem)}
      ${field({ name: "thing", label: "Thing", help: "What it is", autofocus: true })}
      <div class="dialog-buttons">${button("Cancel", () => close(), { kind: "bare" })}</div></form>`;
    openDialog({ title: "Make a thing", content });
  }

  async save(event) {
    event.preventDefault();
    await this.runTask("save", async () => {
      await post("blog/categories/", { name: this.name });
      await this.reloadPage();
      toast("Category saved", { undo: () => this.setFields({ name: "undone" }) });
    });
  }

  async remove() {
    const question = { title: "Delete it?", text: "It cannot come back.", action: "Delete thing" };
    this.setFields({ name: String(Boolean(await confirmRisk(question))) });
  }

  chooseTime({ currentTarget }) {
    const items = { Now: "now", Later: "later" };
    const content = (close) => html`<h2>Publish this</h2>
      ${segmentControl({ label: "When", name: "when", items, value: this.when, onChange: (when) => this.setFields({ when }) })}
      <p>Chosen: ${this.when}</p>
      <div class="dialog-buttons">${button("Cancel", () => close(), { kind: "bare" })}</div>`;
    openPopover(currentTarget, content, { label: "Publish" });
  }

  renderPage() {
    const article = {
      status: "scheduled",
      published_at: "2099-01-01T00:00:00",
      working_copy: { last_updated: "2020-01-01T00:00:00" },
    };
    const tabs = [
      { key: "all", text: "All", count: 14, href: "?all" },
      { key: "none", text: "None", count: null, href: "?n" },
    ];
    return html`${components.tabs(tabs, "all", { beside: components.searchField({ label: "Search names" }) })}
      <div class="table-frame" tabindex="0" role="region" aria-label="Things"><table class="table bleed">
        <thead><tr><th scope="col">Name</th><th scope="col">Status</th><td class="menu-cell"></td></tr></thead>
        <tbody>${this.categories.map(
          ({ name }) => html`<tr><th scope="row">${name}</th>
          <td>${components.badge(article)}</td>
          <td class="menu-cell">${menuButton(`Actions for ${name}`, [
            { label: "Open", href: "/admin/" },
            null,
            { label: "Delete", risk: true, action: () => this.remove() },
          ])}</td></tr>`,
        )}</tbody></table></div>
      <div class="columns section"><div>${components.sectionHead("Things", html`<a href="/admin/">All things</a>`)}
        <ul>${components.listRow({ title: html`<a href="/admin/">A thing</a>`, text: "Of rope", side: "Yesterday" })}</ul></div>
        <div>${components.sectionHead("Health")}<ul>${components.listRow({ icon: "check", kind: "good", title: "Well" })}</ul></div></div>
      <form class="form section" @submit=${(event) => this.save(event)}>
        ${field({
          name: "name",
          label: "Name",
          help: "Of the category",
          counter: "1 of 2",
          value: this.name,
          errors: this.errors,
          onInput: (name) => this.setFields({ name }),
        })}
        ${field({ name: "text", type: "textarea", label: "Text" })}
        ${field({ name: "kind", type: "select", label: "Kind", items: { a: "First", b: "Second" }, value: "b" })}
        ${field({ name: "slug", label: "Address", prefix: "/articles/" })}
        <div class="actions">${button("Save", null, { busyText: "Saving…", kind: "main", type: "submit", busy: this.busy === "save" })}
          ${button("When", (event) => this.chooseTime(event), { popup: "dialog" })}
          ${iconButton("trash-2", "Delete", () => this.remove(), { kind: "risk" })}
          ${copyButton("the copied text")}</div></form>
      <p class="section" id="user">${getSession().user.username} ${getSession().site.time_zone}</p>
      ${components.progressBar({ value: 1, max: 3, label: "Work" })}
      ${components.descriptionList({ Size: "3 kB" })}
      ${components.emptyState({ title: "Nothing", text: "Start", actions: button("Start", null, { href: "/admin/" }) })}`;
  }
}

definePage(Sample);
