/** The preview of an article as a page, with the edits that are not published yet. */

import { html, ref } from "../vendor/lit.js";
import { button, notice } from "../components.js";
import { load, renderText } from "../editor/article.js";
import { show } from "../editor/preview.js";
import { definePage, Page } from "../shell.js";

class Preview extends Page {
  uuid = location.pathname.split("/")[3];

  get heading() { return this.shown?.title || "Preview"; }

  async load() {
    const { document, article } = await load(this.uuid);
    const { html: text } = await renderText(document, this.uuid);
    this.set({ shown: { ...document, category: article.category?.name, text } });
  }

  renderPage() {
    return html`<main class="reading whole">
      <h1 class="sr-only">${this.heading}</h1>
      ${notice({ icon: "eye", title: "Only admins see this preview.",
        action: button({ text: "Edit", icon: "pencil", href: `/admin/articles/${this.uuid}/` }) })}
      <div class="sheet" ${ref((sheet) => sheet && show(sheet, this.shown))}></div></main>`;
  }
}

definePage(Preview);
