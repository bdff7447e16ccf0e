/** The components of the pages: functions that return templates. */

import { html, live, nothing, ref } from "../static/vendor/lit.js";
import { makeFileAddress } from "./api.js";
import { formatNumber } from "./format.js";
import { describeStatus, STATUSES } from "./statuses.js";

/** An icon. kind: its colour: "good", "warn", "bad", "accent" or "". @param {string} name @param {string} [kind] */
export function icon(name, kind = "") {
  const { assets } = document.documentElement.dataset;
  return html`<svg class="icon ${kind}" aria-hidden="true"><use href="${assets}/vendor/icons.svg#${name}"></use></svg>`;
}

/**
 * Return the directive that sets attributes and handlers (`onclick`) of an element; null, undefined, false and ""
 * remove an attribute.
 * @param {Record<string, unknown>} values
 */
const attributesDirective = (values) =>
  ref((/** @type {any} */ element) => {
    for (const [name, value] of Object.entries(element ? values : {})) {
      if (typeof value === "function") element[name] = value;
      else if (value == null || value === false || value === "") element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : value);
    }
  });

/**
 * A button. kind: "main", "bare", "risk" or "" (plain). While `busy`, the button keeps its width and shows busyText.
 * href: makes it a link to this address. pressed: the state of a toggle button. Other names are attributes.
 * @param {string} text
 * @param {((event: any) => unknown) | null} onClick
 * @param {{busyText?: string, icon?: string, kind?: string, label?: string, busy?: boolean, pressed?: boolean,
 *   popup?: string, href?: string, [name: string]: unknown}} [options]
 */
export function button(text, onClick, options = {}) {
  const { busyText, icon: name, kind = "", label, busy, pressed, popup, ...more } = options;
  const inner = html`${name ? icon(name) : nothing}${text ? renderOverlappingTexts(text, busyText) : nothing}`;
  const states = { "aria-busy": busy && "true", "aria-pressed": pressed?.toString(), "aria-haspopup": popup };
  const kinds = `button ${kind} ${text ? "" : "icon-only"}`;
  const given = attributesDirective({ class: kinds, "aria-label": label, title: !text && label, ...states, ...more });
  if (more.href) return html`<a ${given}>${inner}</a>`;
  /** @param {Event} event */
  const handleClick = (event) => (busy ? event.preventDefault() : onClick?.(event));
  return html`<button type="button" @click=${handleClick} ${given}>${inner}</button>`;
}

/**
 * A button with an icon and without text; the label names it.
 * @param {string} name @param {string} label @param {Parameters<typeof button>[1]} onClick
 * @param {Parameters<typeof button>[2]} [options]
 */
export const iconButton = (name, label, onClick, options) => button("", onClick, { icon: name, label, ...options });

/**
 * Return the event handler that calls use() with the value of the field.
 * @param {(value: string) => unknown} [use]
 */
export const withValue =
  (use) =>
  (/** @type {FieldEvent} */ { target }) =>
    use?.(target.value);

/** Return the event handler that calls use() with the button. @param {(anchor: HTMLElement) => unknown} use */
export const withButton =
  (use) =>
  (/** @type {ButtonEvent} */ { currentTarget }) =>
    use(currentTarget);

/**
 * Return two texts that overlap, so that a button keeps its width when one replaces the other.
 * @param {string} before @param {string} [after]
 */
const renderOverlappingTexts = (before, after) =>
  html`<span class="words"><span class="before">${before}</span
    >${after ? html`<span class="after">${after}</span>` : nothing}</span>`;

/**
 * A button that lets the user choose files, and passes them to use(). accept: the types of files, as in HTML.
 * @param {string} text @param {(files: File[]) => unknown} use
 * @param {{icon: string, kind?: string, multiple?: boolean, accept?: string, busy?: boolean}} options
 */
export function fileButton(text, use, { icon: name, kind = "", multiple = false, accept = "", busy = false }) {
  // Clear the input, so that the same file can be chosen again.
  const clearInput = (/** @type {any} */ { target }) => (target.value = "");
  const passFiles = (/** @type {any} */ { target }) => use([...target.files]);
  return html`<label class="button upload ${kind}">${icon(name)} ${text}<input type="file" class="sr-only"
    accept=${accept} ?multiple=${multiple} ?disabled=${busy} @click=${clearInput} @change=${passFiles}></label>`;
}

/**
 * The state of an article: an icon and words.
 * @param {{status: Status, published_at?: string | null, working_copy?: unknown}} article
 */
export function badge(article) {
  const { icon: mark, kind } = STATUSES[article.status];
  return html`<span class="badge">${icon(mark, kind)}<span>${describeStatus(article)}</span></span>`;
}

/**
 * A label, a control with the id "field-NAME", and below it the help or the error errors[NAME]. type: the type of the
 * input, or "textarea". onInput(value): called at each key; onChange(value): called when the field is left. Other names
 * are attributes. Forms in the HTML templates use fields.html instead.
 * @param {{name: string, id?: string, label: unknown, help?: unknown, counter?: unknown,
 *   errors?: Record<string, unknown>, [name: string]: unknown}} options
 */
export function field({ name, id = `field-${name}`, label, help, counter, errors = {}, ...more }) {
  const error = [errors[name] ?? []].flat().join(" ");
  const text = error ? html`${icon("circle-alert")} ${error}` : help;
  const aria = { "aria-describedby": text && `${id}-help`, "aria-invalid": error && "true" };
  return html`<div class="field ${error ? "faulty" : ""}">
    <label for=${id}>${label}</label>
    ${makeControl({ id, name, label, ...aria, ...more })}
    <div class="below" ?hidden=${!text && !counter}>
      <span id="${id}-help" class="help">${text}</span><span class="help">${counter}</span></div></div>`;
}

/**
 * Return the control of a field: a textarea, a select or an input.
 * @param {{type?: string, label?: unknown, value?: unknown, onInput?: (value: string) => unknown,
 *   onChange?: (value: string) => unknown, items?: Record<string, string>, [name: string]: unknown}} options
 */
function makeControl({ type = "text", label, value = "", items, onInput, onChange, ...more }) {
  const dir = /^text/.test(type) && "auto";
  const handlers = { oninput: withValue(onInput), onchange: withValue(onChange) };
  const given = attributesDirective({ autocomplete: "off", dir, ...handlers, ...more });
  // Without onInput, the page does not know the typed text, so a new render must not replace it.
  const shown = onInput ? live(value) : value;
  if (items) return selectControl(items, value, given);
  if (type === "textarea") return html`<textarea rows="3" .value=${shown} ${given}></textarea>`;
  const input = html`<input type=${type} .value=${shown} ${given}>`;
  // shell.js handles clicks on the button "Show" of a password.
  return type === "password"
    ? html`<span class="prefixed">${input}<button class="suffix" type="button" aria-pressed="false"
        aria-label="Show ${String(label).toLowerCase()}">Show</button></span>`
    : input;
}

/** @param {Record<string, string>} items @param {unknown} value @param {unknown} given */
function selectControl(items, value, given) {
  const renderOption = (/** @type {[string, string]} */ [item, label]) =>
    html`<option value=${item} .selected=${live(item === value)}>${label}</option>`;
  const choices = Object.entries(items).map(renderOption);
  return html`<span class="select"><select ${given}>${choices}</select>${icon("chevron-down")}</span>`;
}

/**
 * A checkbox with its label, as high as the other fields.
 * @param {{id: string, label: unknown, value: boolean, help?: unknown, onChange: (value: boolean) => unknown}} options
 */
export function checkbox({ id, label, value, help, onChange }) {
  const onchange = (/** @type {any} */ { target }) => onChange(target.checked);
  return html`<div class="field"><label class="check"><input type="checkbox" id=${id} .checked=${live(value)}
      @change=${onchange}><span>${label}</span></label>
    ${help ? html`<div class="below"><span class="help">${help}</span></div>` : nothing}</div>`;
}

/**
 * A box that shows its name and value on one line, and its content when the user opens it.
 * @param {unknown} name @param {unknown} value @param {unknown} content @param {boolean} [isOpen]
 * @param {(isOpen: boolean) => unknown} [onToggle]
 */
export const foldBox = (name, value, content, isOpen = false, onToggle = undefined) =>
  html`<details class="fold" ?open=${isOpen} @toggle=${(/** @type {any} */ { target }) => onToggle?.(target.open)}
    ><summary><span>${name}</span><span dir="auto">${value}</span>
    ${icon("chevron-down")}</summary>${content}</details>`;

/**
 * @template T
 * @param {{name: string, value: T, onChange: (value: T) => unknown}} group @param {T} item @param {Renderable} text
 */
const radioOption = ({ name, value, onChange }, item, text) => html`<label>
  <input type="radio" name=${name} value=${item} .checked=${live(item === value)}
    @change=${() => onChange(item)}><span>${text}</span></label>`;

/**
 * A row of radio buttons for two or three choices. items: the values by their labels.
 * @template T
 * @param {{label: string, name: string, items: Record<string, T>, value: T, onChange: (value: T) => unknown}} options
 */
export const segmentControl = ({ label, items, ...group }) =>
  html`<fieldset class="segments"><legend class="sr-only">${label}</legend>
    ${Object.entries(items).map(([text, item]) => radioOption(group, item, text))}</fieldset>`;

/**
 * Radio buttons as cards, for at most six choices. items: [value, label, help].
 * @template T
 * @param {{label: string, name: string, items: [T, string, string?][], value: T,
 *   onChange: (value: T) => unknown}} options
 */
export const choiceCards = ({ label, items, ...group }) =>
  html`<fieldset class="choice-cards"><legend>${label}</legend><div>${items.map(([item, text, help]) =>
    radioOption(group, item, html`${text}${help ? html`<span class="help">${help}</span>` : nothing}`),
  )}</div></fieldset>`;

/**
 * Links to the parts of a page, on one line with `beside`, such as a search field. count: null if it is not known yet.
 * @param {{key: string, text: string, count?: number | null, href: string}[]} items @param {string} current
 * @param {{label?: string, beside?: unknown}} [options]
 */
export function tabs(items, current, { label = "Parts of this page", beside = nothing } = {}) {
  const renderLink = (/** @type {typeof items[0]} */ { key, text, count, href }) =>
    html`<a href=${href} aria-current=${key === current ? "page" : nothing}>${text} ${
      count === undefined ? nothing : html`<span class="count">${count === null ? "–" : formatNumber(count)}</span>`
    }</a>`;
  return html`<div class="tab-row">
    <nav class="tabs" aria-label=${label}>${items.map(renderLink)}</nav>${beside}</div>`;
}

/**
 * A picture in a list; a picture of the library is loaded at about the width at which it is shown.
 * @param {string} address @param {string} width in CSS @param {string} [kind]
 */
export function thumbnail(address, width, kind = "") {
  const source = makeFileAddress(address);
  const makeCandidate = (/** @type {number} */ width) => `${source.replace(/[^/]+$/, `w${width}.webp`)} ${width}w`;
  const srcset = source.startsWith("/media/") ? `${makeCandidate(200)}, ${makeCandidate(400)}` : nothing;
  return html`<img class=${kind} loading="lazy" sizes=${width} srcset=${srcset} src=${source} alt="">`;
}

/** A picture of the library, large enough to describe it. @param {Media} file @param {string} [alt] */
export function largePicture({ url, renditions }, alt = "") {
  const shown = renditions.find(({ width }) => width >= 800)?.url ?? url;
  return html`<img class="media-picture" src=${makeFileAddress(shown)} alt=${alt}>`;
}

/** @param {{label: string, value?: string, onInput?: (value: string) => unknown, [name: string]: unknown}} options */
export function searchField({ label, value = "", onInput, ...more }) {
  const given = { type: "search", value, onInput, "aria-label": label, placeholder: label, ...more };
  return html`<search class="search">${icon("search")}${makeControl(given)}</search>`;
}

/** The head of a page with its title and its main button. @param {unknown} title @param {unknown} main */
export const pageHead = (title, main = nothing) => html`<header class="page-head"><h1>${title}</h1>${main}</header>`;

/** The head of a section; side: a link or a button. @param {string} title @param {unknown} side */
export const sectionHead = (title, side = nothing) => html`<div class="section-head"><h2>${title}</h2>${side}</div>`;

/**
 * A list item of two lines.
 * @param {{title: unknown, text?: unknown, side?: unknown, icon?: string, kind?: string}} parts
 */
export const listRow = ({ title, text = "", side = "", icon: name, kind }) =>
  html`<li class="row">${name ? icon(name, kind) : nothing}
    <div class="row-text"><div class="row-title">${title}</div><div class="row-help">${text}</div></div>
    <div class="row-side">${side}</div></li>`;

/** @param {{title: string, text: string, actions?: unknown}} parts */
export const emptyState = ({ title, text, actions = nothing }) =>
  html`<section class="empty"><h2>${title}</h2><p>${text}</p>
    <div class="actions">${actions}</div></section>`;

/** An alert with the text; empty if there is no text. @param {string | null | undefined} text */
export const problemAlert = (text) =>
  html`<div role="alert">${text ? html`<p class="problem">${icon("circle-alert")} ${text}</p>` : nothing}</div>`;

/** @param {{value?: number, max: number, label: string}} options */
export const progressBar = ({ value, max, label }) =>
  html`<progress class="progress" value=${value ?? nothing} max=${max || 1} aria-label=${label}>
  </progress>`;

/** The head of the column with the menus of the rows. */
export const ACTIONS_HEAD = html`<th class="menu-cell" scope="col"><span class="sr-only">Actions</span></th>`;

/**
 * A table whose last column has the menus of the rows. heads: [text, class] of each other column.
 * @param {string[][]} heads @param {unknown} rows @param {string} [kind]
 */
export const table = (heads, rows, kind = "bleed") =>
  html`<table class="table ${kind}"><thead><tr>
    ${heads.map(([text, name = ""]) => html`<th scope="col" class=${name}>${text}</th>`)}
    ${ACTIONS_HEAD}</tr></thead>
    <tbody>${rows}</tbody></table>`;

/** A table that scrolls in its own frame. @param {Parameters<typeof table>} parameters */
export const framedTable = (...parameters) => html`<div class="table-frame">${table(...parameters)}</div>`;

/**
 * A sample of a page as a search engine shows it or, with the kind "card", as a link preview in a message.
 * @param {{label: string, host: string, title: string, description: string, kind?: string, picture?: string}} sample
 */
export const renderSample = ({ label, host, title, description, kind = "", picture }) =>
  html`<div class="elsewhere ${kind}" role="group" aria-label=${label} dir="auto">
    ${picture ? html`<img src=${picture} alt="">` : nothing}
    <p class="host">${host}</p><p class="title">${title}</p><p>${description}</p></div>`;

/** A description list of names and values. @param {Record<string, unknown>} values */
export const descriptionList = (values) =>
  html`<dl class="facts">
    ${Object.entries(values).map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;
