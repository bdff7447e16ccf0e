/** The export page: the form is in the HTML template, and the browser submits it without JavaScript. */

import { definePage, Page, refs } from "../shell.js";

class Export extends Page {
  renderPage() {
    return [refs.tabs, refs.form];
  }
}

definePage(Export);
