// A page that contains every component; tests serve it in place of a real page.
import { html } from "../vendor/lit.js";
import { get, post } from "../api.js";
import * as components from "../components.js";
import { definePage, Page, session } from "../shell.js";

const { button, field, openDialog, openPopover, segments } = components;

class Sample extends Page {
  static heading = "Sample";
  name = "";
  when = "now";
  categories = [];

  async load() {
    ({ data: this.categories } = await get("blog/categories/"));
  }

  renderMain() {
    return button({ text: "New thing", icon: "plus", kind: "main", onClick: () => this.ask() });
  }

  ask() {
    const content = (close) => html`<form class="form">${this.renderProblem()}
      ${field({ name: "thing", label: "Thing", help: "What it is", autofocus: true })}
      <div class="dialog-buttons">${button({ text: "Cancel", kind: "bare", onClick: () => close() })}</div></form>`;
    openDialog({ title: "Make a thing", content });
  }

  async save(event) {
    event.preventDefault();
    await this.act("save", async () => {
      await post("blog/categories/", { name: this.name });
      await this.reload();
      components.toast("Category saved", { undo: () => this.set({ name: "undone" }) });
    });
  }

  async remove() {
    const question = { title: "Delete it?", text: "It cannot come back.", action: "Delete thing" };
    this.set({ name: String(Boolean(await components.confirmRisk(question))) });
  }

  chooseTime({ currentTarget }) {
    const items = [
      { value: "now", label: "Now" },
      { value: "later", label: "Later" },
    ];
    const content = (close) => html`<h2>Publish this</h2>
      ${segments({ label: "When", name: "when", items, value: this.when, onChange: (when) => this.set({ when }) })}
      <p>Chosen: ${this.when}</p>
      <div class="popover-buttons">${button({ text: "Cancel", kind: "bare", onClick: () => close() })}</div>`;
    openPopover(currentTarget, content, { label: "Publish" });
  }

  renderPage() {
    const article = { status: "scheduled", published_at: "2099-01-01T00:00:00", working_copy: {} };
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
          <td class="menu-cell">${components.menuButton(`Actions for ${name}`, [
            { label: "Open", href: "/admin/" },
            null,
            { label: "Delete", risk: true, action: () => this.remove() },
          ])}</td></tr>`,
        )}</tbody></table></div>
      <div class="columns section"><div>${components.sectionHead("Things", html`<a href="/admin/">All things</a>`)}
        <ul>${components.row({ title: html`<a href="/admin/">A thing</a>`, text: "Of rope", side: "Yesterday" })}</ul></div>
        <div>${components.sectionHead("Health")}<ul>${components.row({ icon: "check", kind: "good", title: "Well" })}</ul></div></div>
      <form class="form section" @submit=${(event) => this.save(event)}>
        ${field({
          name: "name",
          label: "Name",
          help: "Of the category",
          counter: "1 of 2",
          value: this.name,
          errors: this.errors,
          onInput: (name) => this.set({ name }),
        })}
        ${field({ name: "text", type: "textarea", label: "Text" })}
        ${field({
          name: "kind",
          type: "select",
          label: "Kind",
          options: [
            ["a", "First"],
            ["b", "Second"],
          ],
          value: "b",
        })}
        ${field({ name: "slug", label: "Address", prefix: "/articles/" })}
        <div class="actions">${button({
          text: "Save",
          busyText: "Saving…",
          kind: "main",
          type: "submit",
          busy: this.busy === "save",
        })}
          ${button({ text: "When", popup: "dialog", onClick: (event) => this.chooseTime(event) })}
          ${button({ icon: "trash-2", label: "Delete", kind: "risk", onClick: () => this.remove() })}
          ${components.copyButton("the copied text")}</div></form>
      <p class="section" id="user">${session().user.username} ${session().site.time_zone}</p>
      ${components.progressBar({ value: 1, max: 3, label: "Work" })}
      ${components.facts([["Size", "3 kB"]])}
      ${components.emptyState({ title: "Nothing", text: "Start", actions: button({ text: "Start", href: "/admin/" }) })}`;
  }
}

definePage(Sample);
