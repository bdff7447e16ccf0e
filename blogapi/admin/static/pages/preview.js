// The preview of an article as a page, with the edits that are not published yet.

import { createRef, html, ref } from "../vendor/lit.js";
import { button, notice } from "../components.js";
import { load, render, show } from "../editor/preview.js";
import { definePage, Page } from "../shell.js";

class Preview extends Page {
  static place = "articles";
  static bare = true;
  uuid = location.pathname.split("/")[3];
  reading = createRef();

  get heading() {
    return this.loaded?.document.title || "Preview";
  }

  async load() {
    const loaded = await load(this.uuid);
    const { document, article } = loaded;
    const { html: text } = await render(document, this.uuid);
    this.set({ loaded, shown: { ...document, category: article.category?.name, html: text } });
  }

  updated() {
    super.updated();
    if (this.state === "ready") show(this.reading.value, this.shown);
  }

  renderPage() {
    const isPublished = this.loaded.article.status === "published";
    const words = isPublished ? "This is the article with its edits" : "This is a preview";
    return html`<main class="reading whole">
      <h1 class="sr-only">${this.heading}</h1>
      ${notice({ icon: "eye", title: `${words}: only admins see it.`,
        action: button({ text: "Edit", icon: "pencil", href: `/admin/articles/${this.uuid}/` }) })}
      <div class="sheet" ${ref(this.reading)}></div></main>`;
  }
}

definePage(Preview);
