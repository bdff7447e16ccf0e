/** The preview of an article as a page, with the edits that are not published yet. */

import { addressOf, load, renderText } from "../editor/article.js";
import { show } from "../editor/preview.js";
import { content, definePage, Page } from "../shell.js";

const [main] = content;
const uuid = location.pathname.split("/")[3];

class Preview extends Page {
  get heading() {
    return this.shown?.title || "Preview";
  }

  async load() {
    const { edits, article } = await load(uuid);
    const { html: text } = await renderText(edits, uuid);
    this.set({ shown: { ...edits, category: article.category?.name, text } });
  }

  renderPage() {
    main.querySelector("h1").textContent = this.heading;
    main.querySelector("a").href = addressOf(uuid);
    show(main.querySelector(".sheet"), this.shown);
    return main;
  }
}

definePage(Preview);
