/** The preview of an article as a page, with the edits that are not published yet. */

import { makeAddress, loadArticle, renderText } from "../editor/article.js";
import { showPreview } from "../editor/preview.js";
import { definePage, Page, refs } from "../shell.js";

const uuid = location.pathname.split("/")[3];

class Preview extends Page {
  get heading() {
    return this.shown?.title || "Preview";
  }

  async load() {
    const { edits, article } = await loadArticle(uuid);
    const { html: text } = await renderText(edits, uuid);
    this.set({ shown: { ...edits, category: article.category?.name, text } });
  }

  renderPage() {
    refs.heading.textContent = this.heading;
    refs.editLink.href = makeAddress(uuid);
    showPreview(refs.readingSheet, this.shown);
    return refs.main;
  }
}

definePage(Preview);
