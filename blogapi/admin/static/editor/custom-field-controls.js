/** The controls of custom fields in Details. */

import { html, nothing } from "../vendor/lit.js";
import { get } from "../api.js";
import { button, checkbox, field, icon, segments } from "../components.js";
import { hasRole } from "../roles.js";
import { ITEM } from "./article.js";
import { findArticles, pickArticle } from "./link-picker.js";
import { describeFault, CUSTOM_FIELDS, useFields } from "./custom-fields.js";
import { choosePictures } from "./pictures.js";

// The characters of all segments in the width of Details.
const MAX_SEGMENTS_LENGTH = 24;
const INPUTS = { number: "text", date: "date", url: "url", text: "text" };
const MODES = { number: "decimal" };
// The titles of articles to which fields refer, by uuid.
const titles = new Map();

/** Read the definitions. */
export async function loadCustomFields() {
  useFields((await get("blog/fields/")).data, ITEM);
}

/** `page` has edits, errors and change(fields). */
export function customFields(page) {
  if (!CUSTOM_FIELDS.length) return nothing;
  const define = hasRole("admin") ? html`<a class="small" href="/admin/custom-fields/">Define fields</a>` : nothing;
  return html`<section class="custom-fields"><div class="custom-fields-head"><h3>Custom fields</h3>${define}</div>
    ${CUSTOM_FIELDS.map((one) => control(page, one))}</section>`;
}

function control(page, one) {
  const { name, type, list } = one;
  const value = page.edits.custom?.[name];
  const write = (changed) => {
    const { [name]: before, ...others } = page.edits.custom ?? {};
    const isEmpty = changed === "" || changed === null || (Array.isArray(changed) && !changed.length);
    page.change({ custom: isEmpty ? others : { ...others, [name]: changed } });
  };
  if (type === "article") return chooseArticles(page, one, value, write);
  if (type === "picture" && !list) return choosePicture(one, value, write);
  if (type === "boolean" && !list) {
    const id = `field-custom.${one.name}`;
    return checkbox({ id, label: labelOf(one), help: helpOf(one), value: value === true, onChange: write });
  }
  if (type === "choice" && !list && `None${one.choices.join("")}`.length <= MAX_SEGMENTS_LENGTH)
    return choice(one, value, write);
  return text(page, one, value, write);
}

const labelOf = ({ label, read_by: readers }) =>
  html`${label}${readers === "admins" ? html` ${icon("lock")}<span class="sr-only"> (admins only)</span>` : nothing}`;
const helpOf = ({ help, read_by: readers }) =>
  readers === "admins" ? `${help} Admins only: not in what readers or keys of others get.`.trim() : help;

function text(page, one, value, write) {
  const { name, type, list, choices, minimum, maximum } = one;
  const parse = (entered) => (type === "number" && /^[+-]?\d+(\.\d+)?$/.test(entered) ? Number(entered) : entered);
  const lines = (entered) =>
    entered
      .split("\n")
      .map((line) => parse(line.trim()))
      .filter((line) => line !== "");
  const fault = describeFault(one, value);
  const limits = minimum === null || maximum === null ? "" : `${minimum} to ${maximum}`;
  const options = {
    name: `custom.${name}`,
    label: labelOf(one),
    help: [list && "One on each line", limits, helpOf(one)].filter(Boolean).join(". "),
    errors: fault ? { [`custom.${name}`]: fault } : page.errors,
  };
  if (list) {
    const shown = Array.isArray(value) ? value.join("\n") : (value ?? "");
    return field({ ...options, type: "textarea", rows: 3, value: shown, onChange: (entered) => write(lines(entered)) });
  }
  if (type === "long_text") return field({ ...options, type: "textarea", rows: 4, value: value ?? "", onInput: write });
  if (type === "choice") {
    const items = { "": "None", ...Object.fromEntries(choices.map((word) => [word, word])) };
    return field({ ...options, type: "select", items, value: value ?? "", onInput: write });
  }
  // A date that does not fit could not be shown in a field for dates.
  const kind = type === "date" && fault ? "text" : (INPUTS[type] ?? "text");
  const more = { inputmode: MODES[type], placeholder: type === "url" && "https://" };
  const onInput = (entered) => write(parse(entered));
  return field({ ...options, ...more, type: kind, value: String(value ?? ""), onInput });
}

function choice(one, value, write) {
  const { name, label, choices } = one;
  const items = { None: "", ...Object.fromEntries(choices.map((word) => [word, word])) };
  return html`<div class="field"><span class="label">${labelOf(one)}</span>
    ${segments({ label, name: `custom.${name}`, items, value: value ?? "", onChange: write })}
    <div class="below"><span class="help">${describeFault(one, value) || helpOf(one)}</span></div></div>`;
}

function chooseArticles(page, one, value, write) {
  const chosen = [value ?? []].flat();
  readTitles(page, chosen);
  const choose = async () => {
    const article = await pickArticle(page.uuid, `Choose ${one.label}`);
    if (!article) return;
    titles.set(article.uuid, article.title);
    write(one.list ? [...new Set([...chosen, article.uuid])] : article.uuid);
  };
  // The button with the focus goes with the chip.
  const remove = ({ currentTarget }, uuid) => {
    currentTarget.closest("[role=group]").querySelector(".button").focus();
    write(one.list ? chosen.filter((other) => other !== uuid) : null);
  };
  const chip = (uuid) => html`<span class="chip"><span dir="auto">${titles.get(uuid)}</span>
    <button type="button" aria-label="Remove ${titles.get(uuid)}" @click=${(event) => remove(event, uuid)}>
      ${icon("x")}</button></span>`;
  const verb = one.list ? "Add an article" : chosen.length ? "Replace" : "Choose an article";
  return html`<div class="field" role="group" aria-label=${one.label}><span class="label">${labelOf(one)}</span>
    ${chosen.map(chip)}<div class="cover-buttons">${button(verb, choose)}</div>
    <div class="below"><span class="help">${describeFault(one, value) || helpOf(one)}</span></div></div>`;
}

async function readTitles(page, uuids) {
  const unknown = uuids.filter((uuid) => !titles.has(uuid));
  if (!unknown.length) return;
  for (const uuid of unknown) titles.set(uuid, "An article");
  for (const { uuid, title } of await findArticles(unknown)) titles.set(uuid, title);
  page.requestUpdate();
}

function choosePicture(one, value, write) {
  const options = { single: true, title: `Choose ${one.label}`, action: "Use picture" };
  const choose = async () => {
    for (const { url } of await choosePictures(options)) write(url);
  };
  return html`<div class="field cover" role="group" aria-label=${one.label}><span class="label">${labelOf(one)}</span>
    ${value ? html`<img src=${value} alt="">` : nothing}
    <div class="cover-buttons">${button(value ? "Replace" : "Choose a picture", choose)}
      ${value ? button("Remove", () => write(null), { kind: "bare" }) : nothing}</div></div>`;
}
