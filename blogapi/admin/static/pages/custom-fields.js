/** The custom fields of articles and pages: what they hold, who reads them, and where they are used. */

import { html, nothing, repeat } from "../vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { icon } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { openForm } from "../forms.js";
import { count, formatNumber } from "../format.js";
import { content, definePage, Page } from "../shell.js";
import { byUuid, newButton } from "./lists.js";

const [form, none, help] = content;
const PATH = "blog/fields/";
const HEADS = ["Field", "Holds", "Read by", "For"];
const KINDS = { article: "Articles", page: "Pages" };
const typeName = (type) => form.querySelector(`[name=type] [value=${type}]`).text;

/** Return what a field holds in words, such as "Number, 1 to 5". */
function describe({ type, list, choices, minimum, maximum }) {
  const limits = minimum !== null && maximum !== null ? `, ${minimum} to ${maximum}` : "";
  const one = type === "choice" ? `Choice of ${choices.length}` : `${typeName(type)}${limits}`;
  return list ? `List: ${one.toLowerCase()}` : one;
}

// Latin letters that have no form without an accent.
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/** Return a name for the API: letters without accents, digits and underscores; "" if the label has no such letter. */
function makeName(label) {
  const plain = label.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const text = plain.replace(/[^a-z\d]/g, (letter) => LETTERS[letter] ?? " ").replace(/^[\d ]+/, "");
  return text.trim().replace(/ +/g, "_").slice(0, 64);
}

const bodyOf = ({ uuid, created, last_updated, used_in, unfit_in, ...body }) => body;

/** Return the body of a request from the values of the form. */
function readForm({ article, page, list, required, searched, choices, minimum, maximum, ...texts }) {
  // The server says which letters a name has.
  texts.name ||= makeName(texts.label) || texts.label;
  const number = (text) => (text.trim() ? Number(text.replace(",", ".")) : null);
  const lines = choices.split("\n").map((line) => line.trim());
  return {
    ...texts,
    choices: lines.filter(Boolean),
    minimum: number(minimum),
    maximum: number(maximum),
    ...{ list: Boolean(list), required: Boolean(required), searched: Boolean(searched) },
    kinds: Object.entries({ article, page }).flatMap(([kind, isChosen]) => (isChosen ? [kind] : [])),
  };
}

const EMPTY = { type: "text", read_by: "everyone", article: true };

class CustomFields extends Page {
  main = newButton("field", () => this.edit());

  async load() {
    this.fields = (await get(PATH)).data;
  }

  async edit(field) {
    const values = field
      ? {
          ...Object.fromEntries(["label", "name", "help", "type", "read_by"].map((name) => [name, field[name]])),
          ...Object.fromEntries(["list", "required", "searched"].map((name) => [name, field[name]])),
          ...{ minimum: field.minimum ?? "", maximum: field.maximum ?? "", choices: field.choices.join("\n") },
          ...{ article: field.kinds.includes("article"), page: field.kinds.includes("page") },
        }
      : EMPTY;
    const name = form.querySelector("[name=name]");
    name.readOnly = Boolean(field);
    const save = (given) => (field ? patch(`${PATH}${field.uuid}/`, readForm(given)) : post(PATH, readForm(given)));
    await openForm(this, form, { title: field ? field.label : "New field", values, save });
  }

  async move(field, by) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const fields = this.fields.filter((other) => other !== field);
    fields.splice(this.fields.indexOf(field) + by, 0, field);
    const moved = fields.map((other, place) => [other, place + 1]).filter(([other, place]) => other.position !== place);
    await this.actAndReload("move", async () => {
      for (const [{ uuid }, position] of moved) await patch(`${PATH}${uuid}/`, { position });
    });
    // A row that moves loses the focus.
    await this.updateComplete;
    focused.focus();
  }

  async remove(field) {
    const path = `${PATH}${field.uuid}/`;
    const send = async () => {
      await del(path);
      return true;
    };
    if (!(await this.actAndReload("remove", send))) return;
    const undo = () => this.actAndReload("undo", () => put(path, bodyOf(field)));
    toast(
      field.used_in
        ? `${count(field.used_in, "value is", "values are")} hidden, not deleted.`
        : `${field.label} removed.`,
      { undo },
    );
  }

  renderRow(field, place) {
    const { name, label, read_by: readers, used_in: used, unfit_in: unfit, kinds } = field;
    const items = [
      { label: "Change", action: () => this.edit(field) },
      place > 0 && { label: "Move up", action: () => this.move(field, -1) },
      place < this.fields.length - 1 && { label: "Move down", action: () => this.move(field, 1) },
      { label: "Remove", action: () => this.remove(field), risk: true },
    ];
    const reads = readers === "admins" ? html`${icon("lock")} Admins only` : "Everyone";
    const odd = unfit ? html`<div class="row-help warn">${count(unfit, "value")} not shown</div>` : nothing;
    const move = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.altKey ? event.key : ""];
      if (!by || place + by < 0 || place + by >= this.fields.length) return;
      event.preventDefault();
      this.move(field, by);
    };
    return html`<tr @keydown=${move}>
      <th scope="row"><button type="button" class="link-button" @click=${() => this.edit(field)}>${label}</button>
        <code class="soft">${name}</code></th>
      <td class="holds ink">${describe(field)}</td><td class="reads nowrap">${reads}</td>
      <td class="kinds">${kinds.map((kind) => KINDS[kind]).join(", ")}</td>
      <td class="num used">${formatNumber(used)}${odd}</td>
      <td class="menu-cell">${menuButton(`Actions for ${label}`, items)}</td></tr>`;
  }

  renderPage() {
    if (!this.fields.length) return none;
    const heads = HEADS.map((text) => html`<th scope="col">${text}</th>`);
    return html`<table class="table bleed cards field-list"><thead><tr>${heads}
      <th class="num" scope="col">Used in</th>
      <th class="menu-cell" scope="col"><span class="sr-only">Actions</span></th></tr></thead>
      <tbody>${repeat(this.fields, byUuid, (field, place) => this.renderRow(field, place))}</tbody></table>${help}`;
  }
}

definePage(CustomFields);
