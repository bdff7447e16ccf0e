/** The export of the blog: a form of the document, which the browser sends. */

import { content, definePage, Page } from "../shell.js";

class Export extends Page {
  renderPage() {
    return content;
  }
}

definePage(Export);
