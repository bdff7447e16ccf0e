/** What the pages are built of: functions that return templates, and things that float over the page. */

import { html, live, nothing, render } from "./vendor/lit.js";
import { formatDay } from "./format.js";

const SPRITE = new URL("./vendor/icons.svg", import.meta.url).pathname;

export function icon(name, kind = "") {
  return html`<svg class="icon ${kind}" aria-hidden="true"><use href="${SPRITE}#${name}"></use></svg>`;
}

/**
 * kind: "main", "bare", "risk" or "" (plain). An icon without text needs a label. While `busy`, the button keeps its
 * width and shows busyText ("Saving…"). pressed: true or false for a toggle; popup: "menu" or "dialog" if it opens one.
 */
export function button({ text, busyText, icon: name, kind = "", label, busy, onClick, ...more }) {
  return html`<button class="button ${kind} ${text ? "" : "icon-only"} ${busy ? "done" : ""}" type=${more.type ?? "button"}
    aria-busy=${busy ? "true" : nothing} aria-label=${label ?? nothing} title=${text ? nothing : label}
    aria-pressed=${more.pressed === undefined ? nothing : String(more.pressed)} aria-haspopup=${more.popup ?? nothing}
    id=${more.id ?? nothing} ?disabled=${more.disabled} ?autofocus=${more.autofocus}
    @click=${(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >${name ? icon(name) : nothing}${text ? words(text, busyText) : nothing}</button>`;
}

// Both texts take the same room, so that the button keeps its width.
function words(before, after) {
  if (!after) return html`<span>${before}</span>`;
  return html`<span class="words"><span class="before">${before}</span><span class="after">${after}</span></span>`;
}

/** A link that looks like a button. */
export function linkButton({ text, icon: name, kind = "", href, download = nothing }) {
  return html`<a class="button ${kind}" href=${href} download=${download}
    >${name ? icon(name) : nothing}<span>${text}</span></a>`;
}

const BADGES = {
  draft: ["circle-dashed", "", "Draft"],
  scheduled: ["clock", "accent", "Scheduled"],
  published: ["circle-check", "good", "Published"],
  archived: ["archive", "", "Archived"],
};

/** The state of an article: an icon and a word; needs status, published_at and working_copy. */
export function badge({ status, published_at: time, working_copy: edits }) {
  const [name, kind, word] = BADGES[status] ?? BADGES.draft;
  const words = status === "scheduled" && time ? `${word}, ${formatDay(time)}` : word;
  return html`<span class="badge">${icon(name, kind)}<span
    >${words}${edits && status !== "draft" ? ", edits waiting" : ""}</span></span>`;
}

/**
 * A label, a control and below it the help or the error.
 *
 * name: the field of the API; its control has the id "field-NAME" and errors[name] is shown (see Page.errors).
 * type: of an input, or "textarea", "select" (options: [[value, text]]), "password" (with Show).
 * onInput(value) on each key, onChange(value) at the end. control: another control, which has that id.
 */
export function field(options) {
  const { name, label, help = "", counter = "", errors = {}, control } = options;
  const id = options.id ?? `field-${name}`;
  const error = [errors[name] ?? []].flat().join(" ");
  return html`<div class="field ${error ? "faulty" : ""}">
    <label for=${id}>${label}</label>
    ${control ?? makeControl(options, id, error)}
    ${error || help || counter
      ? html`<div class="below"><span id="${id}-help" class="help"
          >${error ? html`${icon("circle-alert")} ${error}` : help}</span>
          ${counter ? html`<span class="counter">${counter}</span>` : nothing}</div>`
      : nothing}
  </div>`;
}

function makeControl({ type = "text", value = "", options = [], rows = 3, prefix, ...more }, id, error) {
  const described = error || more.help ? `${id}-help` : nothing;
  const invalid = error ? "true" : nothing;
  const input = (event) => more.onInput?.(event.target.value);
  const change = (event) => more.onChange?.(event.target.value);
  if (type === "textarea") {
    return html`<textarea id=${id} name=${more.name} rows=${rows} .value=${live(value)} dir="auto"
      aria-describedby=${described} aria-invalid=${invalid} ?required=${more.required}
      ?autofocus=${more.autofocus} placeholder=${more.placeholder ?? nothing} maxlength=${more.maxlength ?? nothing}
      @input=${input} @change=${change}></textarea>`;
  }
  if (type === "select") {
    return html`<span class="select"><select id=${id} name=${more.name} aria-describedby=${described}
      aria-invalid=${invalid} @change=${(event) => (input(event), change(event))}>
      ${options.map(([key, text]) => html`<option value=${key} ?selected=${key === value}>${text}</option>`)}
    </select>${icon("chevron-down")}</span>`;
  }
  const control = html`<input id=${id} name=${more.name} type=${type} .value=${live(value)}
    dir=${type === "text" ? "auto" : nothing} aria-describedby=${described} aria-invalid=${invalid}
    autocomplete=${more.autocomplete ?? "off"} placeholder=${more.placeholder ?? nothing} ?required=${more.required}
    ?readonly=${more.readonly} ?autofocus=${more.autofocus} maxlength=${more.maxlength ?? nothing}
    autocapitalize=${more.autocapitalize ?? nothing} spellcheck=${more.spellcheck ?? nothing}
    min=${more.min ?? nothing} max=${more.max ?? nothing} @input=${input} @change=${change}>`;
  if (prefix) return html`<span class="prefixed"><span class="prefix">${prefix}</span>${control}</span>`;
  return type === "password" ? html`<span class="prefixed">${control}${showPassword(id)}</span>` : control;
}

function showPassword(id) {
  const toggle = ({ currentTarget: button }) => {
    const input = document.getElementById(id);
    input.type = input.type === "password" ? "text" : "password";
    button.setAttribute("aria-pressed", String(input.type === "text"));
  };
  return html`<button class="suffix" type="button" aria-pressed="false" aria-label="Show password"
    aria-controls=${id} @click=${toggle}>Show</button>`;
}

export function checkbox({ name, label, help = "", checked = false, onChange, disabled = false }) {
  const id = `field-${name}`;
  return html`<div class="check"><input type="checkbox" id=${id} name=${name} .checked=${live(checked)}
    ?disabled=${disabled} aria-describedby=${help ? `${id}-help` : nothing}
    @change=${(event) => onChange?.(event.target.checked)}><label for=${id}>${label}</label>
    ${help ? html`<span class="help" id="${id}-help">${help}</span>` : nothing}</div>`;
}

/** One of two or three choices, as radio buttons in one frame. items: [{value, label}]. */
export function segments({ label, name, items, value, onChange }) {
  return html`<fieldset class="segments"><legend class="sr-only">${label}</legend>
    ${items.map((item) => html`<label><input type="radio" name=${name} value=${item.value}
      .checked=${live(item.value === value)} @change=${() => onChange(item.value)}><span>${item.label}</span></label>`)}
  </fieldset>`;
}

/**
 * Links to the parts of a page, on one line with `beside` (a search field).
 *
 * items: [{key, text, count, href}]; count null: not known yet. onSelect(key) takes the place of the link.
 */
export function tabs(items, current, { label = "Parts of this page", onSelect, beside = nothing } = {}) {
  const select = (event, key) => {
    if (!onSelect || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(key);
  };
  return html`<div class="tab-row"><nav class="tabs" aria-label=${label}>
    ${items.map((item) => html`<a href=${item.href} aria-current=${item.key === current ? "page" : nothing}
      @click=${(event) => select(event, item.key)}>${item.text}${item.count === undefined
        ? nothing
        : html` <span class="count">${item.count ?? "–"}</span>`}</a>`)}
  </nav>${beside}</div>`;
}

export function searchField({ label, value = "", onInput, id = "search" }) {
  return html`<search class="search">${icon("search")}<input id=${id} type="search" .value=${live(value)}
    aria-label=${label} placeholder=${label} autocomplete="off" spellcheck="false"
    @input=${(event) => onInput(event.target.value)}></search>`;
}

/** The head of a page; main: its main button. */
export function pageHead(title, main = nothing) {
  return html`<header class="page-head"><h1>${title}</h1>${main}</header>`;
}

/** The head of a part of a page; side: a link or a button. */
export function sectionHead(title, side = nothing) {
  return html`<div class="section-head"><h2>${title}</h2>${side}</div>`;
}

/** A row of two lines; title can be a link. */
export function row({ title, text, side = "", icon: name, kind }) {
  return html`<li class="row">${name ? icon(name, kind) : nothing}<div class="row-text"><div class="row-title">${title}</div>
    ${text ? html`<div class="row-help">${text}</div>` : nothing}</div><span class="row-side">${side}</span></li>`;
}

/** actions: a main and a plain button, or none. */
export function emptyState({ title, text, actions = nothing }) {
  return html`<section class="empty"><h2>${title}</h2><p>${text}</p><div class="actions">${actions}</div></section>`;
}

/** kind: "tint" for what is shown once; action: a button. */
export function notice({ icon: name, title, text, action = nothing, kind = "" }) {
  return html`<section class="notice ${kind}">${name ? icon(name) : nothing}
    <div class="notice-text"><p>${title}</p>${text ? html`<p class="soft">${text}</p>` : nothing}</div>${action}</section>`;
}

/** What went wrong with the last action; nothing while all is well. */
export function problem(text) {
  return html`<div role="alert">${text ? html`<p class="problem">${icon("circle-alert")} ${text}</p>` : nothing}</div>`;
}

export function progressBar({ value, max, label }) {
  return html`<progress class="progress" value=${value ?? nothing} max=${max || 1} aria-label=${label}></progress>`;
}

/** Terms and values: [[term, value]]. */
export function facts(pairs) {
  return html`<dl class="facts">${pairs.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;
}

export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer the clipboard to https and localhost only.
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Copies a text, and then says so for two seconds in its own place. */
export function copyButton(text, { label = "Copy", kind = "" } = {}) {
  const copy = async ({ currentTarget: element }) => {
    await copyText(text);
    announce("Copied");
    element.classList.add("done");
    setTimeout(() => element.classList.remove("done"), 2000);
  };
  return html`<button type="button" class="button ${kind}" @click=${copy}>${icon("copy")}${words(label, "Copied")}</button>`;
}

/** Tell screen readers what happened; for what is seen anyway. */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

let endToast = () => {};

/** Show what just happened elsewhere, for 8 seconds. undo: a function; or action: {label, run}. */
export function toast(text, { undo, action = undo && { label: "Undo", run: undo } } = {}) {
  endToast();
  const element = document.createElement("div");
  element.className = "toast";
  element.popover = "manual";
  const run = () => (endToast(), action.run());
  render(html`<span>${text}</span>${action
    ? html`<button type="button" @click=${run}>${action.label}</button>`
    : nothing}`, element);
  document.body.append(element);
  element.showPopover();
  announce(text);
  let timer;
  const start = () => (timer = setTimeout(endToast, 8000));
  const wait = () => clearTimeout(timer);
  endToast = () => (wait(), element.remove());
  for (const name of ["pointerenter", "focusin"]) element.addEventListener(name, wait);
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, start);
  start();
}

// Things that float: they are made outside the page and drawn again whenever the page is.
const floats = new Set();
let dismissed = null;

export function updateFloats() {
  for (const float of floats) float.update();
}

function makeFloat(element, content, onClose, opener = document.activeElement) {
  let settle;
  const float = {
    element,
    result: new Promise((resolve) => (settle = resolve)),
    update: () => render(content(float.close), element),
    close(value) {
      if (!floats.delete(float)) return;
      if (element.matches("dialog")) element.close();
      const inside = element.contains(document.activeElement) || document.activeElement === document.body;
      element.remove();
      if (inside && opener?.isConnected) opener.focus();
      onClose?.(value);
      settle(value);
    },
  };
  floats.add(float);
  (document.querySelector("dialog[open]:last-of-type") ?? document.body).append(element);
  float.update();
  return float;
}

/**
 * Open a dialog (kind "wide": 960 wide), and return {result, update(), close(value), element}; result is a promise
 * of the closing value.
 *
 * content(close) returns the template below the title. It is called again whenever the page renders. Focus goes to
 * the element with `autofocus`, or to the first control. Escape closes with undefined.
 */
export function openDialog({ title, content, kind = "", onClose }) {
  const element = document.createElement("dialog");
  element.className = `dialog ${kind}`;
  element.setAttribute("aria-labelledby", "dialog-title");
  const float = makeFloat(element, (close) => html`<h2 id="dialog-title">${title}</h2>${content(close)}`, onClose);
  element.addEventListener("close", () => float.close());
  element.showModal();
  return float;
}

/** Ask a question; buttons: [{label, value, kind}], from the safest to the main one. Returns a promise of the value. */
export function ask({ title, text, buttons }) {
  return openDialog({
    title,
    content: (close) => html`<p class="soft">${text}</p><div class="dialog-buttons">
      ${buttons.map(({ label, value, kind }) => button({ text: label, kind, onClick: () => close(value) }))}</div>`,
  }).result;
}

/** Ask before something that cannot be undone; action: verb and object. Returns a promise of true or false. */
export async function confirmRisk({ title, text, action }) {
  const buttons = [{ label: "Cancel", kind: "bare" }, { label: action, value: true, kind: "risk filled" }];
  return Boolean(await ask({ title, text, buttons }));
}

/** Open a popover under a button; a second click closes it. content and the answer are as those of openDialog(). */
export function openPopover(anchor, content, { label, role = "dialog", kind = "popover", onClose } = {}) {
  const open = [...floats].find((float) => float.anchor === anchor);
  if (open || dismissed === anchor) return open?.close();
  const element = document.createElement("div");
  element.className = kind;
  element.setAttribute("role", role);
  if (label) element.setAttribute("aria-label", label);
  element.popover = "auto";
  const float = makeFloat(element, content, (value) => {
    anchor.setAttribute("aria-expanded", "false");
    onClose?.(value);
  }, anchor);
  float.anchor = anchor;
  anchor.setAttribute("aria-expanded", "true");
  element.showPopover();
  element.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "closed") return;
    // A click on the anchor closes the popover before the anchor gets the click, which must not open it again.
    dismissed = anchor;
    setTimeout(() => (dismissed = null, float.close()), 0);
  });
  placeBelow(anchor, element);
  const first = ":is(button, a, input, select, textarea):not([type=radio]:not(:checked))";
  (element.querySelector("[autofocus]") ?? element.querySelector(first))?.focus();
  return float;
}

// Right edges aligned if the button is on the right half of the window; above the button if there is no room below.
function placeBelow(anchor, element) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = at.left + at.width / 2 > innerWidth / 2 ? at.right - width : at.left;
  const below = at.bottom + 8;
  const top = below + height > innerHeight - 8 && at.top - 8 - height > 8 ? at.top - 8 - height : below;
  element.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  element.style.top = `${top}px`;
  element.style.maxHeight = `${innerHeight - top - 8}px`;
}

/** Open a menu under a button. items: [{label, icon, action, href, risk}]; nothing and false are left out. */
export function openMenu(anchor, items, label = anchor.getAttribute("aria-label")) {
  const draw = (close) => html`${items.filter((item) => item?.label).map((item) => {
    const inner = html`${item.icon ? icon(item.icon) : nothing}<span>${item.label}</span>`;
    const kind = `menu-item ${item.risk ? "risk" : ""}`;
    if (item.href) return html`<a role="menuitem" tabindex="-1" class=${kind} href=${item.href}>${inner}</a>`;
    const act = () => (close(), item.action());
    return html`<button type="button" role="menuitem" tabindex="-1" class=${kind} @click=${act}>${inner}</button>`;
  })}`;
  const float = openPopover(anchor, draw, { label, role: "menu", kind: "popover menu" });
  float?.element.addEventListener("keydown", (event) => {
    const entries = [...float.element.querySelectorAll("[role=menuitem]")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.key === "Home" ? 0 : event.key === "End" ? -1 : entries.indexOf(document.activeElement) + step;
    if (event.key === "Tab") float.close();
    if (!Number.isInteger(at)) return;
    event.preventDefault();
    entries.at(at % entries.length).focus();
  });
}

/** The button "…" of a row or a page, with its menu. items: an array, or a function that returns one. */
export function menuButton(label, items, name = "ellipsis") {
  const open = ({ currentTarget }) => openMenu(currentTarget, typeof items === "function" ? items() : items, label);
  return button({ icon: name, label, kind: "bare", popup: "menu", onClick: open });
}
