/** The page on which admins define the custom fields of articles and pages. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { del, get, patch, post, put } from "../api.js";
import { icon, table } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { openForm } from "../forms.js";
import { formatCount, formatNumber } from "../format.js";
import { definePage, Page, refs } from "../shell.js";
import { getUuid, newItemButton } from "./items.js";

/**
 * A custom field with its position and its uses, as the API lists it.
 *
 * @typedef {CustomField & {uuid: string, position: number, kinds: string[], searched: boolean, used_in: number,
 *   unfit_in: number}} ListedField
 */

const { form } = refs;
const { type: typeSelect, name: nameInput } = form.elements;
const FIELDS_PATH = "blog/fields/";
const COLUMN_HEADS = [["Field"], ["Holds"], ["Read by"], ["For"], ["Used in", "num"]];
/** @type {Record<string, string>} */
const KIND_LABELS = { article: "Articles", page: "Pages" };
/** @type {(type: string) => string} */
const getTypeName = (type) => typeSelect.querySelector(`[value=${type}]`).text;

/** Return the type of a field in words, such as "Number, 1 to 5". @param {ListedField} field */
function describeFieldType({ type, list, choices, minimum, maximum }) {
  const limits = minimum !== null && maximum !== null ? `, ${minimum} to ${maximum}` : "";
  const single = type === "choice" ? `Choice of ${choices.length}` : `${getTypeName(type)}${limits}`;
  return list ? `List: ${single.toLowerCase()}` : single;
}

/** Latin letters that have no form without an accent. @type {Record<string, string>} */
const LATIN_LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/**
 * Return a name for the API: letters without accents, digits and underscores; "" if the label has no such letter.
 * @param {string} label
 */
function makeFieldName(label) {
  const plain = label.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const text = plain.replace(/[^a-z\d]/g, (letter) => LATIN_LETTERS[letter] ?? " ").replace(/^[\d ]+/, "");
  return text.trim().replace(/ +/g, "_").slice(0, 64);
}

/** @param {Json} field */
const makeFieldBody = ({ uuid, created, last_updated, used_in, unfit_in, ...body }) => body;

/** Return the request body for the values of the form. @param {Json} values */
function toFieldBody({ article, page, list, required, searched, choices, minimum, maximum, ...texts }) {
  // If no name can be made, send the label: the server's error says which letters a name may have.
  texts.name ||= makeFieldName(texts.label) || texts.label;
  /** @param {string} text */
  const toLimit = (text) => {
    const number = Number(text.replace(",", "."));
    // The server refuses a text that is not a number, with an error at the field.
    return text.trim() ? (Number.isNaN(number) ? text : number) : null;
  };
  return {
    ...texts,
    choices: choices.split("\n").flatMap((/** @type {string} */ line) => line.trim() || []),
    minimum: toLimit(minimum),
    maximum: toLimit(maximum),
    ...{ list: Boolean(list), required: Boolean(required), searched: Boolean(searched) },
    kinds: Object.entries({ article, page }).flatMap(([kind, isChosen]) => (isChosen ? [kind] : [])),
  };
}

const NEW_FIELD_VALUES = { type: "text", read_by: "everyone", article: true };

/** Return the values with which the form shows a field. @param {ListedField} field */
function toFormValues({ minimum, maximum, choices, kinds, ...field }) {
  const { label, name, help, type, read_by, list, required, searched } = field;
  const [article, page] = ["article", "page"].map((kind) => kinds.includes(kind));
  const limits = { minimum: minimum ?? "", maximum: maximum ?? "", choices: choices.join("\n") };
  return { label, name, help, type, read_by, list, required, searched, ...limits, article, page };
}

class CustomFields extends Page {
  /** @type {ListedField[]} */
  fields = [];
  main = newItemButton("field", () => this.editField());

  async loadData() {
    this.fields = (await get(FIELDS_PATH)).data;
  }

  /** @param {ListedField} [field] */
  async editField(field) {
    nameInput.readOnly = Boolean(field);
    /** @param {Json} values */
    const saveField = (values) =>
      field ? patch(`${FIELDS_PATH}${field.uuid}/`, toFieldBody(values)) : post(FIELDS_PATH, toFieldBody(values));
    const values = field ? toFormValues(field) : NEW_FIELD_VALUES;
    await openForm(this, form, { title: field ? field.label : "New field", values, save: saveField });
  }

  /** @param {ListedField} field @param {number} by */
  async moveField(field, by) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const fields = this.fields.filter((other) => other !== field);
    fields.splice(this.fields.indexOf(field) + by, 0, field);
    await this.runAndReload("move", async () => {
      for (const [n, { uuid, position }] of fields.entries()) {
        if (position !== n + 1) await patch(`${FIELDS_PATH}${uuid}/`, { position: n + 1 });
      }
    });
    // The browser takes the focus from a row that moves.
    await this.updateComplete;
    focused.focus();
  }

  /** @param {ListedField} field */
  async deleteField(field) {
    const path = `${FIELDS_PATH}${field.uuid}/`;
    if (!(await this.runAndReload("remove", () => del(path)))) return;
    const undoRemoval = () => this.runAndReload("undo", () => put(path, makeFieldBody(field)));
    const hidden = `${formatCount(field.used_in, "value is", "values are")} hidden, not deleted.`;
    toast(field.used_in ? hidden : `${field.label} removed.`, { undo: undoRemoval });
  }

  /** @param {ListedField} field @param {number} n */
  renderRow(field, n) {
    const { name, label, read_by: readers, used_in: used, unfit_in: unfit, kinds } = field;
    const items = [
      { label: "Change", action: () => this.editField(field) },
      n > 0 && { label: "Move up", action: () => this.moveField(field, -1) },
      n < this.fields.length - 1 && { label: "Move down", action: () => this.moveField(field, 1) },
      { label: "Remove", action: () => this.deleteField(field), risk: true },
    ];
    const reads = readers === "admins" ? html`${icon("lock")} Admins only` : "Everyone";
    const odd = unfit ? html`<div class="row-help warn">${formatCount(unfit, "value")} not shown</div>` : nothing;
    /** @param {KeyboardEvent} event */
    const moveByKey = (event) => {
      const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
      if (!event.altKey || !by || !this.fields[n + by]) return;
      event.preventDefault();
      this.moveField(field, by);
    };
    return html`<tr @keydown=${moveByKey}>
      <th scope="row"><button type="button" class="link-button" @click=${() => this.editField(field)}>${label}</button>
        <code class="soft">${name}</code></th>
      <td class="holds ink">${describeFieldType(field)}</td><td class="reads nowrap">${reads}</td>
      <td class="kinds">${kinds.map((kind) => KIND_LABELS[kind]).join(", ")}</td>
      <td class="num used">${formatNumber(used)}${odd}</td>
      <td class="menu-cell">${menuButton(`Actions for ${label}`, items)}</td></tr>`;
  }

  renderPage() {
    if (!this.fields.length) return refs.empty;
    const rows = repeat(this.fields, getUuid, (field, n) => this.renderRow(field, n));
    return html`${table(COLUMN_HEADS, rows, "bleed cards field-list")}${refs.help}`;
  }
}

definePage(CustomFields);
