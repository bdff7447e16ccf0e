/** The pages without code of their own: their HTML templates contain their whole content. */

import { definePage, Page, refs } from "../shell.js";

class StaticPage extends Page {
  renderPage() {
    return refs.content;
  }
}

definePage(StaticPage);
