/** The export of the blog: a form of the document, which the browser sends. */

import { definePage, Page } from "../shell.js";

const content = [...document.getElementById("content").content.children];

class Export extends Page {
  renderPage() {
    return content;
  }
}

definePage(Export);
