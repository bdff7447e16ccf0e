/** The pages whose content is in their HTML templates: the settings, and the export, whose form the browser sends. */

import { definePage, Page, refs } from "../shell.js";

class DocumentPage extends Page {
  renderPage() {
    return refs.content;
  }
}

definePage(DocumentPage);
