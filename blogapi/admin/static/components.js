/** The components of the pages: functions that return templates, and dialogs, popovers, menus and toasts. */

import { html, live, nothing, ref, render } from "./vendor/lit.js";
import { formatDay } from "./format.js";

const SPRITE = new URL("./vendor/icons.svg", import.meta.url).pathname;

/** kind: "good", "warn", "bad", "accent" or "" (soft). */
export const icon = (name, kind = "") =>
  html`<svg class="icon ${kind}" aria-hidden="true"><use href="${SPRITE}#${name}"></use></svg>`;

// Set attributes of an element; null, undefined, false and "" remove one.
const attributes = (values) =>
  ref((element) => {
    for (const [name, value] of Object.entries(element ? values : {})) {
      if (value == null || value === false || value === "") element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : value);
    }
  });

/**
 * kind: "main", "bare", "risk" or "" (plain). An icon without text needs a label. While `busy`, the button
 * keeps its width and shows busyText. href: a link. pressed: of a toggle. Other names are attributes.
 */
export function button(options) {
  const { text, busyText, icon: name, kind = "", label, busy, pressed, popup, onClick, ...more } = options;
  const inner = html`${name ? icon(name) : nothing}${text ? words(text, busyText) : nothing}`;
  const states = { "aria-busy": busy && "true", "aria-pressed": pressed?.toString(), "aria-haspopup": popup };
  const kinds = `button ${kind} ${text ? "" : "icon-only"} ${busy ? "done" : ""}`;
  const given = attributes({ class: kinds, "aria-label": label, title: !text && label, ...states, ...more });
  if (more.href) return html`<a ${given}>${inner}</a>`;
  const click = (event) => (busy ? event.preventDefault() : onClick?.(event));
  return html`<button type="button" @click=${click} ${given}>${inner}</button>`;
}

// Both texts are in the same place, so that the button keeps its width.
const words = (before, after) =>
  html`<span class="words"><span class="before">${before}</span>${
    after ? html`<span class="after">${after}</span>` : nothing}</span>`;

const BADGES = {
  draft: ["circle-dashed", "Draft"],
  scheduled: ["clock", "Scheduled", "accent"],
  published: ["circle-check", "Published", "good"],
  archived: ["archive", "Archived"],
};

/** The state of an article: an icon and words. */
export function badge({ status, published_at: time, working_copy: edits }) {
  const [name, word, kind] = BADGES[status];
  const date = status === "scheduled" && time && formatDay(time);
  const words = [word, date, edits && status !== "draft" && "edits waiting"].filter(Boolean).join(", ");
  return html`<span class="badge">${icon(name, kind)}<span>${words}</span></span>`;
}

/**
 * A label, a control with the id "field-NAME", and below it the help or the error errors[NAME].
 * type: of an input; or "textarea", "select" (options: [[value, text]]), "password" (with Show).
 * onInput(value): on each change; onChange(value): at the end. control: a template to use as the control.
 * Other names are attributes.
 */
export function field({ name, id = `field-${name}`, label, help, counter, errors = {}, control, ...more }) {
  const error = [errors[name] ?? []].flat().join(" ");
  const described = (help || error) && `${id}-help`;
  const text = error ? html`${icon("circle-alert")} ${error}` : help;
  const aria = { "aria-describedby": described, "aria-invalid": error && "true" };
  return html`<div class="field ${error ? "faulty" : ""}">
    <label for=${id}>${label}</label>
    ${control ?? makeControl({ id, name, ...aria, ...more })}
    <div class="below" ?hidden=${!described && !counter}>
      <span id="${id}-help" class="help">${text}</span><span class="help">${counter}</span></div></div>`;
}

function makeControl({ type = "text", value = "", options, prefix, onInput, onChange, ...more }) {
  const input = (event) => onInput?.(event.target.value);
  const change = (event) => onChange?.(event.target.value);
  if (type === "select") {
    const both = (event) => (input(event), change(event));
    const list = options.map(([key, text]) =>
      html`<option value=${key} ?selected=${key === value}>${text}</option>`);
    return html`<span class="select"><select @change=${both} ${attributes(more)}>${list}</select>
      ${icon("chevron-down")}</span>`;
  }
  const given = attributes({ autocomplete: "off", dir: /^text/.test(type) && "auto", ...more });
  // What is typed into a field that the page does not follow stays when the page renders.
  const shown = onInput ? live(value) : value;
  if (type === "textarea") {
    return html`<textarea rows="3" .value=${shown} @input=${input} @change=${change} ${given}>
      </textarea>`;
  }
  const control = html`<input type=${type} .value=${shown} @input=${input} @change=${change} ${given}>`;
  const show = ({ currentTarget }) => {
    const element = document.getElementById(more.id);
    element.type = element.type === "password" ? "text" : "password";
    currentTarget.setAttribute("aria-pressed", String(element.type === "text"));
  };
  const suffix = html`<button class="suffix" type="button" aria-pressed="false" aria-label="Show password"
    @click=${show}>Show</button>`;
  if (type === "password") return html`<span class="prefixed">${control}${suffix}</span>`;
  if (!prefix) return control;
  return html`<span class="prefixed"><span class="prefix">${prefix}</span>${control}</span>`;
}

export function checkbox({ name, label, help, checked = false, onChange, ...more }) {
  const id = `field-${name}`;
  const given = attributes({ id, name, "aria-describedby": help && `${id}-help`, ...more });
  const change = (event) => onChange?.(event.target.checked);
  return html`<div class="check">
    <input type="checkbox" .checked=${live(checked)} @change=${change} ${given}>
    <label for=${id}>${label}</label>
    <span class="help" id="${id}-help" ?hidden=${!help}>${help}</span></div>`;
}

/** One of two or three choices. items: [{value, label}]. */
export function segments({ label, name, items, value, onChange }) {
  const choice = (item) => html`<label>
    <input type="radio" name=${name} value=${item.value} .checked=${live(item.value === value)}
      @change=${() => onChange(item.value)}><span>${item.label}</span></label>`;
  return html`<fieldset class="segments"><legend class="sr-only">${label}</legend>
    ${items.map(choice)}</fieldset>`;
}

/**
 * Links to the parts of a page, on one line with `beside` (a search field). onSelect(key) replaces the link.
 * items: [{key, text, count, href}]; count null: not known yet.
 */
export function tabs(items, current, { label = "Parts of this page", onSelect, beside = nothing } = {}) {
  const select = (event, key) => {
    if (!onSelect || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(key);
  };
  const counter = (count) =>
    count === undefined ? nothing : html`<span class="count">${count ?? "–"}</span>`;
  const link = ({ key, text, count, href }) =>
    html`<a href=${href} aria-current=${key === current ? "page" : nothing}
      @click=${(event) => select(event, key)}>${text} ${counter(count)}</a>`;
  return html`<div class="tab-row">
    <nav class="tabs" aria-label=${label}>${items.map(link)}</nav>${beside}</div>`;
}

export function searchField({ label, value = "", onInput, ...more }) {
  const given = { type: "search", value, onInput, "aria-label": label, placeholder: label, ...more };
  return html`<search class="search">${icon("search")}${makeControl(given)}</search>`;
}

/** The head of a page; main: its main button. */
export const pageHead = (title, main = nothing) =>
  html`<header class="page-head"><h1>${title}</h1>${main}</header>`;

/** The head of a part of a page; side: a link or a button. */
export const sectionHead = (title, side = nothing) =>
  html`<div class="section-head"><h2>${title}</h2>${side}</div>`;

/** A list item of two lines. */
export const row = ({ title, text = "", side = "", icon: name, kind }) =>
  html`<li class="row">${name ? icon(name, kind) : nothing}
    <div class="row-text"><div class="row-title">${title}</div><div class="row-help">${text}</div></div>
    <div class="row-side">${side}</div></li>`;

export const emptyState = ({ title, text, actions = nothing }) =>
  html`<section class="empty"><h2>${title}</h2><p>${text}</p>
    <div class="actions">${actions}</div></section>`;

/** kind: "tint" for a value that is shown only once. */
export const notice = ({ icon: name, title, text = "", action = nothing, kind = "" }) =>
  html`<section class="notice ${kind}">${name ? icon(name) : nothing}
    <div class="notice-text"><p>${title}</p><p class="soft">${text}</p></div>${action}</section>`;

/** An alert with the text; empty if there is no text. */
export const problem = (text) =>
  html`<div role="alert">${
    text ? html`<p class="problem">${icon("circle-alert")} ${text}</p>` : nothing}</div>`;

export const progressBar = ({ value, max, label }) =>
  html`<progress class="progress" value=${value ?? nothing} max=${max || 1} aria-label=${label}>
  </progress>`;

/** A table whose last column has actions; heads: [[text, class]]. It scrolls in its own frame. */
export const table = (heads, rows, kind = "bleed") =>
  html`<div class="table-frame"><table class="table ${kind}"><thead><tr>
    ${heads.map(([text, name = ""]) => html`<th scope="col" class=${name}>${text}</th>`)}
    <th class="menu-cell"><span class="sr-only">Actions</span></th></tr></thead>
    <tbody>${rows}</tbody></table></div>`;

/** Terms and values: [[term, value]]. */
export const facts = (pairs) =>
  html`<dl class="facts">${pairs.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;

export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer the clipboard to https and localhost only.
  const area = makeElement("textarea", { value: text });
  area.select();
  return document.execCommand("copy") && area.remove();
}

/** A button that copies a text and then shows "Copied" for two seconds. */
export function copyButton(text, { label = "Copy", kind } = {}) {
  const copy = async ({ currentTarget: { classList } }) => {
    await copyText(text);
    announce("Copied");
    classList.add("done");
    setTimeout(() => classList.remove("done"), 2000);
  };
  return button({ text: label, busyText: "Copied", icon: "copy", kind, onClick: copy });
}

/** Announce a text that is already visible to screen readers. */
export function announce(text) {
  const region = document.querySelector("#announcer > span");
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

let endToast = () => {};

/** Show the result of an action for 8 seconds. undo: a function; or action: {label, run}. */
export function toast(text, { undo, action = undo && { label: "Undo", run: undo } } = {}) {
  endToast();
  const parent = document.querySelector("dialog[open]") ? topmost() : document.getElementById("announcer");
  const element = makeElement("div", { className: "toast", popover: "manual" }, parent);
  const onClick = () => (endToast(), action.run());
  const link = action && button({ text: action.label, kind: "bare", onClick });
  render(html`<span>${text}</span>${link || nothing}`, element);
  element.showPopover();
  let timer;
  const wait = () => clearTimeout(timer);
  const start = () => (wait(), (timer = setTimeout(endToast, 8000)));
  endToast = () => (wait(), element.remove());
  for (const name of ["pointerenter", "focusin"]) element.addEventListener(name, wait);
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, start);
  start();
}

// The open dialogs and popovers: they are outside the page, and are rendered again whenever the page is.
const floats = new Set();
let dismissed = null;

export function updateFloats() {
  for (const float of floats) float.update();
}

// The parent of new dialogs, popovers and toasts: the last open dialog, or the landmark `main`.
const topmost = () => [...document.querySelectorAll("main, dialog[open]")].at(-1) ?? document.body;

function makeElement(name, properties, parent = topmost()) {
  return parent.appendChild(Object.assign(document.createElement(name), properties));
}

function makeFloat(element, content, opener, onClose) {
  let settle;
  const close = (value) => {
    if (!floats.delete(float)) return;
    const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body;
    element.remove();
    if (hadFocus) opener.focus();
    onClose?.(value);
    settle(value);
  };
  const result = new Promise((resolve) => (settle = resolve));
  const float = { element, opener, result, close, update: () => render(content(close), element) };
  floats.add(float);
  float.update();
  return float;
}

/**
 * Open a dialog (kind "wide": 960 wide), and return {result, update(), close(value), element}. result: a
 * promise of the closing value, undefined after Escape. content(close) returns what is below the title; it is
 * called whenever the page renders. The focus goes to `autofocus`, or to the first control.
 */
export function openDialog({ title, content, kind = "", onClose }) {
  const opener = document.activeElement;
  const element = makeElement("dialog", { className: `dialog ${kind}`, ariaLabel: title });
  const float = makeFloat(element, (close) => html`<h2>${title}</h2>${content(close)}`, opener, onClose);
  element.addEventListener("close", () => float.close());
  element.showModal();
  return float;
}

/** Ask before an action that cannot be undone; return a promise of true, or undefined. action: its button. */
export function confirmRisk({ title, text, action }) {
  const content = (close) => html`<p class="soft">${text}</p><div class="dialog-buttons">
    ${button({ text: "Cancel", kind: "bare", onClick: () => close() })}
    ${button({ text: action, kind: "risk filled", onClick: () => close(true) })}</div>`;
  return openDialog({ title, content, kind: "small-dialog" }).result;
}

/** Open a popover under a button, as openDialog() does; a second click on the button closes it. */
export function openPopover(anchor, content, { label, role = "dialog", kind = "", onClose } = {}) {
  const open = [...floats].find(({ opener, element }) => opener === anchor && element.popover);
  if (open || dismissed === anchor) return open?.close();
  const element = makeElement("div", { className: `popover ${kind}`, popover: "auto", role });
  element.ariaLabel = label ?? anchor.textContent.trim();
  const float = makeFloat(element, content, anchor, (value) => {
    anchor.ariaExpanded = "false";
    onClose?.(value);
  });
  anchor.ariaExpanded = "true";
  element.showPopover();
  element.addEventListener("beforetoggle", () => {
    // A click on the anchor closes the popover before the anchor gets the click, which must not reopen it.
    dismissed = anchor;
    setTimeout(() => (float.close(), (dismissed = null)), 0);
  });
  placeAt((anchor.closest(".split") ?? anchor).getBoundingClientRect(), element);
  const first = ":is(button, a, input, select, textarea):not([type=radio]:not(:checked))";
  (element.querySelector("[autofocus]") ?? element.querySelector(first))?.focus();
  return float;
}

// Below the button, or above it if there is no room; the outer edges are aligned.
function placeAt(at, { offsetWidth: width, offsetHeight: height, style }) {
  const left = at.left + at.right > innerWidth ? at.right - width : at.left;
  const above = at.bottom + height + 16 > innerHeight && at.top > height + 16;
  const top = above ? at.top - 8 - height : at.bottom + 8;
  style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  style.top = `${top}px`;
  style.maxHeight = `${innerHeight - top - 8}px`;
}

/** Open a menu under a button. items: [{label, icon, action, href, risk}]; false and null are left out. */
export function openMenu(anchor, items, label) {
  const entry = ({ label: text, action, risk, ...more }, close) => {
    const shown = { text, kind: `menu-item ${risk ? "risk" : "bare"}`, role: "menuitem", tabindex: "-1" };
    return button({ ...shown, ...more, onClick: () => (close(), action()) });
  };
  const draw = (close) => items.filter(Boolean).map((item) => entry(item, close));
  const float = openPopover(anchor, draw, { label, role: "menu", kind: "menu" });
  float?.element.addEventListener("keydown", (event) => {
    const entries = [...float.element.children];
    const at = entries.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") float.close();
    if (to === undefined) return;
    event.preventDefault();
    entries.at(to % entries.length).focus();
  });
}

/** The button "…" of a row or a page, with its menu. items: an array, or a function that returns one. */
export function menuButton(label, items) {
  const onClick = ({ currentTarget }) => openMenu(currentTarget, items.call?.() ?? items, label);
  return button({ icon: "ellipsis", label, kind: "bare", popup: "menu", onClick });
}
