/** Categories, tags and authors: one table and one dialog; `data-page` is the kind. */

import { html } from "../vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { table } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { count } from "../format.js";
import { openForm, remove } from "../forms.js";
import { content, definePage, Page } from "../shell.js";
import { newButton } from "./lists.js";

const place = document.body.dataset.page;
const path = `blog/${place}/`;
const one = { categories: "category", tags: "tag", authors: "author" }[place];
const [form, none] = content;
const fields = [...new FormData(form).keys()].join();

class Terms extends Page {
  main = newButton(one, () => this.edit(), "main");

  async load() {
    this.terms = (await get(path, { query: { fields: "*,articles_count" } })).data;
  }

  renderPage() {
    if (!this.terms.length) return none;
    const heads = [["Name"], ["Address"], ["Articles", "num"]];
    const rows = this.terms.map((term) => this.renderTerm(term));
    return table(heads, rows);
  }

  renderTerm(term) {
    const menu = menuButton(`Actions for ${term.name}`, [
      { label: "Show articles", icon: "file-text", href: `/admin/articles/?${one}=${term.slug}` },
      { label: `Delete ${one}`, icon: "trash-2", risk: true, action: () => this.delete(term) },
    ]);
    return html`<tr><th scope="row">
        <button class="link-button" type="button" @click=${() => this.edit(term)}>${term.name}</button></th>
      <td>${term.slug}</td><td class="num">${term.articles_count}</td>
      <td class="menu-cell">${menu}</td></tr>`;
  }

  /** Open the dialog of a term, or of a new one. The server refuses to overwrite changes made meanwhile. */
  async edit(term) {
    const old = term && (await this.act("open", () => get(`${path}${term.uuid}/`, { query: { fields } })));
    if (term && !old) return;
    const { data = {}, etag } = old ?? {};
    const save = (values) => {
      // Fields that stay empty are left out. Without an address, the server derives it or keeps it.
      const isGiven = ([name, value]) => value || (name !== "slug" && data[name]);
      const body = Object.fromEntries(Object.entries(values).filter(isGiven));
      return term ? patch(`${path}${term.uuid}/`, body, { etag }) : post(path, body);
    };
    await openForm(this, form, { title: `${term ? "Edit" : "New"} ${one}`, values: data, save });
  }

  /** Delete a term. The server refuses one that articles need; deleting a tag cannot be undone. */
  async delete({ uuid, articles_count: number, ...term }) {
    const title = `Delete the tag “${term.name}”?`;
    const text = `${count(number, "public article")} and perhaps drafts have it. The articles stay.`;
    if (place === "tags") return remove(this, `${path}${uuid}/`, { title, text, action: "Delete tag" });
    const undo = () => this.actAndReload("undo", () => put(`${path}${uuid}/`, term, { create: true }));
    const isDeleted = await this.actAndReload("delete", () => del(`${path}${uuid}/`));
    return isDeleted && toast(`${term.name} deleted.`, { undo });
  }
}

definePage(Terms);
