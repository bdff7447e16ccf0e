/** The components of the pages: functions that return templates, and dialogs, popovers, menus and toasts. */

import { html, live, nothing, ref, render } from "./vendor/lit.js";
import { formatDay } from "./format.js";

const SPRITE = new URL("./vendor/icons.svg", import.meta.url).pathname;

/** kind: "good", "warn", "bad", "accent" or "" (soft). */
export const icon = (name, kind = "") =>
  html`<svg class="icon ${kind}" aria-hidden="true"><use href="${SPRITE}#${name}"></use></svg>`;

// Set attributes and handlers (`onclick`) of an element; null, undefined, false and "" remove an attribute.
const attributes = (values) =>
  ref((element) => {
    for (const [name, value] of Object.entries(element ? values : {})) {
      if (typeof value === "function") element[name] = value;
      else if (value == null || value === false || value === "") element.removeAttribute(name);
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
  const kinds = `button ${kind} ${text ? "" : "icon-only"}`;
  const given = attributes({ class: kinds, "aria-label": label, title: !text && label, ...states, ...more });
  if (more.href) return html`<a ${given}>${inner}</a>`;
  const click = (event) => (busy ? event.preventDefault() : onClick?.(event));
  return html`<button type="button" @click=${click} ${given}>${inner}</button>`;
}

// Both texts are in the same place, so that the button keeps its width.
const words = (before, after) =>
  html`<span class="words"><span class="before">${before}</span>${
    after ? html`<span class="after">${after}</span>` : nothing
  }</span>`;

/** A button that lets the user choose files, and passes them to use(). accept: as of an input. */
export function fileButton({ text, icon: name, kind = "", multiple = false, accept = "", busy, use }) {
  // The same file can be chosen again.
  const forget = ({ target }) => (target.value = "");
  const change = ({ target }) => use([...target.files]);
  return html`<label class="button upload ${kind}">${icon(name)} ${text}<input type="file" class="sr-only"
    accept=${accept} ?multiple=${multiple} ?disabled=${busy} @click=${forget} @change=${change}></label>`;
}

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
 * type: of an input, or "textarea". onInput(value): on each change; onChange(value): at the end. Other names
 * are attributes. Forms of the document have fields.html.
 */
export function field({ name, id = `field-${name}`, label, help, counter, errors = {}, ...more }) {
  const error = [errors[name] ?? []].flat().join(" ");
  const text = error ? html`${icon("circle-alert")} ${error}` : help;
  const aria = { "aria-describedby": text && `${id}-help`, "aria-invalid": error && "true" };
  return html`<div class="field ${error ? "faulty" : ""}">
    <label for=${id}>${label}</label>
    ${makeControl({ id, name, ...aria, ...more })}
    <div class="below" ?hidden=${!text && !counter}>
      <span id="${id}-help" class="help">${text}</span><span class="help">${counter}</span></div></div>`;
}

function makeControl({ type = "text", value = "", onInput, onChange, ...more }) {
  const oninput = ({ target }) => onInput?.(target.value);
  const onchange = ({ target }) => onChange?.(target.value);
  const dir = /^text/.test(type) && "auto";
  const given = attributes({ autocomplete: "off", dir, oninput, onchange, ...more });
  // What is typed into a field that the page does not follow stays when the page renders.
  const shown = onInput ? live(value) : value;
  if (type === "textarea") return html`<textarea rows="3" .value=${shown} ${given}></textarea>`;
  return html`<input type=${type} .value=${shown} ${given}>`;
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
 * Links to the parts of a page, on one line with `beside` (a search field).
 * items: [{key, text, count, href}]; count null: not known yet.
 */
export function tabs(items, current, { label = "Parts of this page", beside = nothing } = {}) {
  const link = ({ key, text, count, href }) =>
    html`<a href=${href} aria-current=${key === current ? "page" : nothing}>${text} ${
      count === undefined ? nothing : html`<span class="count">${count ?? "–"}</span>`
    }</a>`;
  return html`<div class="tab-row">
    <nav class="tabs" aria-label=${label}>${items.map(link)}</nav>${beside}</div>`;
}

export function searchField({ label, value = "", onInput, ...more }) {
  const given = { type: "search", value, onInput, "aria-label": label, placeholder: label, ...more };
  return html`<search class="search">${icon("search")}${makeControl(given)}</search>`;
}

/** The head of a page; main: its main button. */
export const pageHead = (title, main = nothing) => html`<header class="page-head"><h1>${title}</h1>${main}</header>`;

/** The head of a part of a page; side: a link or a button. */
export const sectionHead = (title, side = nothing) => html`<div class="section-head"><h2>${title}</h2>${side}</div>`;

/** A list item of two lines. */
export const row = ({ title, text = "", side = "", icon: name, kind }) =>
  html`<li class="row">${name ? icon(name, kind) : nothing}
    <div class="row-text"><div class="row-title">${title}</div><div class="row-help">${text}</div></div>
    <div class="row-side">${side}</div></li>`;

export const emptyState = ({ title, text, actions = nothing }) =>
  html`<section class="empty"><h2>${title}</h2><p>${text}</p>
    <div class="actions">${actions}</div></section>`;

/** An alert with the text; empty if there is no text. */
export const problem = (text) =>
  html`<div role="alert">${text ? html`<p class="problem">${icon("circle-alert")} ${text}</p>` : nothing}</div>`;

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

/** Copy a text to the clipboard; the promise is rejected if the browser refuses. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer the clipboard to https and localhost only.
  const write = (event) => (event.preventDefault(), event.clipboardData.setData("text/plain", text));
  addEventListener("copy", write);
  const isCopied = document.execCommand("copy");
  removeEventListener("copy", write);
  if (!isCopied) throw new Error("The browser refuses to copy.");
}

/** A button that copies a text and then shows "Copied" for two seconds. */
export function copyButton(text, { label = "Copy", kind } = {}) {
  const copy = ({ currentTarget: { classList } }) =>
    copyText(text).then(
      () => {
        announce("Copied");
        classList.add("done");
        setTimeout(() => classList.remove("done"), 2000);
      },
      () => toast("The browser refuses to copy. Select the text, and copy it yourself."),
    );
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
  endToast = () => keepFocus(() => element.remove());
  const onClick = () => (endToast(), action.run());
  const link = action ? button({ text: action.label, kind: "bare", onClick }) : nothing;
  render(html`<span>${text}</span>${link}`, element);
  element.showPopover();
  // The animation lasts 8 seconds and begins again when neither the pointer nor the focus is here.
  element.addEventListener("animationend", endToast);
}

const isFocusLost = () => document.activeElement === document.body;

/** Change the document. If that removes the element with the focus, the content gets the focus. */
export function keepFocus(change) {
  const wasLost = isFocusLost();
  change();
  if (isFocusLost() && !wasLost) document.getElementById("main")?.focus();
}

/** Move the focus among the elements with two arrow keys, Home and End. Returns the element that gets it. */
export function moveFocus(event, elements, [next, previous] = ["ArrowDown", "ArrowUp"]) {
  const at = elements.indexOf(document.activeElement);
  const to = { [next]: at + 1, [previous]: at - 1, Home: 0, End: -1 }[event.key];
  const element = to === undefined ? undefined : elements.at(to % elements.length);
  if (element) event.preventDefault();
  element?.focus();
  return element;
}

// The open dialogs and popovers: they are outside the page, and are rendered again whenever the page is.
const floats = new Set();

export const updateFloats = () => floats.forEach((float) => float.update());

// The parent of new dialogs, popovers and toasts: the last open dialog, or the landmark `main`.
const topmost = () => [...document.querySelectorAll("main, dialog[open]")].at(-1) ?? document.body;

function makeElement(name, properties, parent = topmost()) {
  return parent.appendChild(Object.assign(document.createElement(name), properties));
}

function makeFloat(element, content, opener = document.activeElement) {
  const { promise: result, resolve } = Promise.withResolvers();
  const close = (value) => {
    if (!floats.delete(float)) return;
    keepFocus(() => {
      element.remove();
      if (isFocusLost()) opener.focus();
    });
    resolve(value);
  };
  const float = { element, result, close, update: () => render(content(close), element) };
  floats.add(float);
  float.update();
  return float;
}

/**
 * Open a dialog (kind "wide": 960 wide), and return {result, update(), close(value), element}. result: a
 * promise of the closing value, undefined after Escape. content(close) returns what is below the title; it is
 * called whenever the page renders. The focus goes to `autofocus`, or to the first control.
 */
export function openDialog({ title, content, kind = "" }) {
  const element = makeElement("dialog", { className: `dialog ${kind}`, ariaLabel: title });
  const float = makeFloat(element, (close) => html`<h2>${title}</h2>${content(close)}`);
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
export function openPopover(anchor, content, { label, role = "dialog", kind = "" } = {}) {
  if (anchor.popoverTargetElement) return anchor.popoverTargetElement.hidePopover();
  const element = makeElement("div", { className: `popover ${kind}`, popover: "auto", role });
  element.ariaLabel = label ?? anchor.textContent.trim();
  const float = makeFloat(element, content, anchor);
  float.result.then(() => (anchor.ariaExpanded = "false"));
  // Without a target, a click on the anchor would close the popover first, and then open it again.
  Object.assign(anchor, { ariaExpanded: "true", popoverTargetElement: element, popoverTargetAction: "show" });
  element.showPopover();
  element.addEventListener("beforetoggle", () => float.close());
  element.querySelector(":is(button, a, input, select, textarea):not([type=radio]:not(:checked))")?.focus();
  return float;
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
    if (event.key === "Tab") float.close();
    else moveFocus(event, [...float.element.children]);
  });
}

/** The button "…" of a row or a page, with its menu. items: an array, or a function that returns one. */
export function menuButton(label, items) {
  const onClick = ({ currentTarget }) => openMenu(currentTarget, items.call?.() ?? items, label);
  return button({ icon: "ellipsis", label, kind: "bare", popup: "menu", onClick });
}
