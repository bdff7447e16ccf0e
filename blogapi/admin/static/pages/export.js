/** The export of the blog: a form of the document, which the browser sends. */

import { definePage, Page, refs } from "../shell.js";

class Export extends Page {
  renderPage() {
    return [refs.tabs, refs.form];
  }
}

definePage(Export);
