/** The page that shows the preview of an article, with the edits that are not published yet. */

import { makeEditorAddress, loadArticle, requestRendering } from "../editor/article.js";
import { showPreview } from "../editor/preview.js";
import { definePage, Page, refs } from "../shell.js";

const uuid = location.pathname.split("/")[3];

class Preview extends Page {
  get heading() {
    return this.shown?.title || "Preview";
  }

  async loadData() {
    const { edits, article } = await loadArticle(uuid);
    const { html: text } = await requestRendering(edits, uuid);
    this.setFields({ shown: { ...edits, category: article.category?.name, text } });
  }

  renderPage() {
    refs.heading.textContent = this.heading;
    refs.editLink.href = makeEditorAddress(uuid);
    showPreview(refs.readingSheet, this.shown);
    return refs.main;
  }
}

definePage(Preview);
