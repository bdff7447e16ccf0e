/** The page of settings: a card for each page of the blog that one sets up once. */

import { definePage, Page, refs } from "../shell.js";

class Settings extends Page {
  renderPage() {
    return refs.cards;
  }
}

definePage(Settings);
