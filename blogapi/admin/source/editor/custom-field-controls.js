/** The controls of custom fields in Details. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { button, checkbox, field, foldBox, icon } from "../components.js";
import { ITEM } from "./article.js";
import { findArticles, chooseArticle } from "./link-picker.js";
import { describeFault, CUSTOM_FIELDS, setCustomFields } from "./custom-fields.js";
import { renderPictureField } from "./pictures.js";

/**
 * A function that stores the value of a custom field in the edits.
 *
 * @typedef {(value: any) => void} WriteValue
 */

/** The titles of the articles that values of fields name, by uuid. @type {Map<string, string>} */
const titles = new Map();
/** The typed texts of lists by the name of the field, which can contain empty lines. @type {Map<string, string>} */
const typedLists = new Map();

/** The names of the fields that the page has opened; valid values do not close them. @type {Set<string>} */
const openedFields = new Set();

/** Load the definitions of the custom fields. */
export async function loadCustomFields() {
  setCustomFields((await get("blog/fields/")).data, ITEM);
}

/** @param {EditorPage} page */
export function renderCustomFields(page) {
  return CUSTOM_FIELDS.map((customField) => {
    const { name, required } = customField;
    const value = page.edits.custom?.[name];
    if (describeFault(customField, value) || `custom.${name}` in page.errors || required) openedFields.add(name);
    const control = renderControl(page, customField);
    return foldBox(renderLabel(customField), describeValue(value), control, openedFields.has(name));
  });
}

/** @param {any} value */
function describeValue(value) {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const words = [value ?? []].flat().map((item) => titles.get(item) ?? item);
  return words.join(", ") || "Empty";
}

/** @param {EditorPage} page @param {CustomField} customField */
function renderControl(page, customField) {
  const { name, label, type, list } = customField;
  const value = page.edits.custom?.[name];
  /** @type {WriteValue} */
  const writeValue = (changed) => {
    const { [name]: before, ...others } = page.edits.custom ?? {};
    const isEmpty = changed === "" || changed === null || (Array.isArray(changed) && !changed.length);
    page.changeEdits({ custom: isEmpty ? others : { ...others, [name]: changed } });
  };
  if (type === "article") return renderArticlesControl(page, customField, value, writeValue);
  if (type === "picture" && !list) {
    const words = { name: label, label: renderLabel(customField), title: `Choose ${label}`, action: "Use picture" };
    return renderPictureField({ ...words, address: value, write: writeValue });
  }
  if (type === "boolean" && !list) {
    const texts = { label: renderLabel(customField), help: getHelpText(customField) };
    return checkbox({ id: `field-custom.${name}`, ...texts, value: value === true, onChange: writeValue });
  }
  return renderTextControl(page, customField, value, writeValue);
}

/** @param {CustomField} customField */
const renderLabel = ({ label, read_by: readers }) =>
  html`${label}${readers === "admins" ? html` ${icon("lock")}<span class="sr-only"> (admins only)</span>` : nothing}`;
/** @param {CustomField} customField */
const getHelpText = ({ help, read_by: readers }) =>
  readers === "admins" ? `${help} Admins only: readers and keys of others do not get it.`.trim() : help;

/** @param {EditorPage} page @param {CustomField} customField @param {any} value @param {WriteValue} write */
function renderTextControl(page, customField, value, write) {
  const { name, type, list, choices, minimum, maximum } = customField;
  /** @param {string} text */
  const parseValue = (text) => (type === "number" && /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  /** @param {string} text */
  const parseLines = (text) => text.split("\n").flatMap((line) => (line.trim() ? [parseValue(line.trim())] : []));
  const fault = describeFault(customField, value);
  const limits = minimum === null || maximum === null ? "" : `${minimum} to ${maximum}`;
  const options = {
    name: `custom.${name}`,
    label: renderLabel(customField),
    help: [list && "One on each line", limits, getHelpText(customField)].filter(Boolean).join(". "),
    errors: fault ? { [`custom.${name}`]: fault } : page.errors,
  };
  if (list) {
    const stored = Array.isArray(value) ? value.join("\n") : (value ?? "");
    const typed = typedLists.get(name) ?? stored;
    const writeLines = (/** @type {string} */ text) => (typedLists.set(name, text), write(parseLines(text)));
    const shown = parseLines(typed).join("\n") === stored ? typed : stored;
    return field({ ...options, type: "textarea", rows: 3, value: shown, onInput: writeLines });
  }
  if (type === "long_text") return field({ ...options, type: "textarea", rows: 4, value: value ?? "", onInput: write });
  if (type === "choice") {
    const items = { "": "None", ...Object.fromEntries(choices.map((word) => [word, word])) };
    return field({ ...options, type: "select", items, value: value ?? "", onInput: write });
  }
  // A date input cannot show an invalid date.
  const inputType = type === "url" || (type === "date" && !fault) ? type : "text";
  const more = { inputmode: type === "number" && "decimal", placeholder: type === "url" && "https://" };
  const onInput = (/** @type {string} */ text) => write(parseValue(text));
  return field({ ...options, ...more, type: inputType, value: String(value ?? ""), onInput });
}

/** @param {EditorPage} page @param {CustomField} customField @param {any} value @param {WriteValue} write */
function renderArticlesControl(page, customField, value, write) {
  const { label, list } = customField;
  /** @type {string[]} */
  const chosen = [value ?? []].flat();
  loadArticleTitles(page, chosen);
  const addArticle = async () => {
    const article = await chooseArticle(page.uuid, `Choose ${label}`);
    if (!article) return;
    titles.set(article.uuid, article.title);
    write(list ? [...new Set([...chosen, article.uuid])] : article.uuid);
  };
  /**
   * Remove an article, and move the focus, which is on the removed button.
   * @param {ButtonEvent} event @param {string} uuid
   */
  const removeArticle = ({ currentTarget }, uuid) => {
    /** @type {any} */ (currentTarget.closest("[role=group]")).querySelector(".button").focus();
    write(list ? chosen.filter((other) => other !== uuid) : null);
  };
  const renderChip = (/** @type {string} */ uuid) => html`<span class="chip"><span dir="auto">${titles.get(uuid)}</span>
    <button type="button" aria-label="Remove ${titles.get(uuid)}"
      @click=${(/** @type {ButtonEvent} */ event) => removeArticle(event, uuid)}>${icon("x")}</button></span>`;
  const verb = list ? "Add an article" : chosen.length ? "Replace" : "Choose an article";
  return html`<div class="field" role="group" aria-label=${label}><span class="label">${renderLabel(customField)}</span>
    ${chosen.map(renderChip)}<div class="cover-buttons">${button(verb, addArticle)}</div>
    <p class="help">${describeFault(customField, value) || getHelpText(customField)}</p></div>`;
}

/** @param {EditorPage} page @param {string[]} uuids */
async function loadArticleTitles(page, uuids) {
  const unknown = uuids.filter((uuid) => !titles.has(uuid));
  if (!unknown.length) return;
  for (const uuid of unknown) titles.set(uuid, "An article");
  for (const { uuid, title } of (await findArticles(unknown)) ?? []) titles.set(uuid, title);
  page.requestUpdate();
}
