/** Dialogs, popovers, menus and toasts, with the functions for the focus and the clipboard. */

import { button, iconButton, withButton } from "./components.js";
import { html, nothing, render } from "../static/vendor/lit.js";

/** Copy a text to the clipboard; the promise is rejected if the browser refuses. @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer the clipboard to https and localhost only.
  const fillClipboard = (/** @type {ClipboardEvent} */ event) => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  addEventListener("copy", fillClipboard);
  const isCopied = document.execCommand("copy");
  removeEventListener("copy", fillClipboard);
  if (!isCopied) throw new Error("The browser refuses to copy.");
}

/**
 * Return a button that copies a text and then shows "Copied" for two seconds.
 * @param {string} text @param {{label?: string, kind?: string}} [options]
 */
export function copyButton(text, { label = "Copy", kind } = {}) {
  const reportRefusal = () => toast("The browser refuses to copy. Select the text, and copy it yourself.");
  const showCopied = (/** @type {DOMTokenList} */ classList) => {
    announceText("Copied");
    classList.add("done");
    setTimeout(() => classList.remove("done"), 2000);
  };
  const copyAndReport = withButton(({ classList }) => copyText(text).then(() => showCopied(classList), reportRefusal));
  return button(label, copyAndReport, { busyText: "Copied", icon: "copy", kind });
}

/** Announce to screen readers a text that is already visible. @param {string} text */
export function announceText(text) {
  const region = document.querySelector("#announcer > span");
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

let removeLastToast = () => {};

/**
 * The button of a toast: undo, the function that undoes the action, or another action.
 * @typedef {{undo?: (() => unknown) | false | null,
 *   action?: {label: string, run: () => unknown} | "" | false | null}} ToastOptions
 */

/** Show the result of an action for 8 seconds. @param {string} text @param {ToastOptions} [options] */
export function toast(text, { undo, action = undo && { label: "Undo", run: undo } } = {}) {
  removeLastToast();
  const parent = document.querySelector("dialog[open]") ? findOverlayParent() : document.querySelector("#announcer");
  const element = appendElement("div", { className: "toast", popover: "manual" }, parent);
  const removeThisToast = () => keepFocus(() => element.remove());
  removeLastToast = removeThisToast;
  const link = action && button(action.label, () => (removeThisToast(), action.run()), { kind: "bare" });
  render(html`<span>${text}</span>${link || nothing}`, element);
  element.showPopover();
  // The animation lasts 8 seconds and begins again when neither the pointer nor the focus is on the toast.
  element.addEventListener("animationend", removeThisToast);
}

const isFocusLost = () => document.activeElement === document.body;

/**
 * Run a change of the document. If the change removes the element with the focus, the main content gets the focus.
 * @param {() => void} change
 */
export function keepFocus(change) {
  const wasLost = isFocusLost();
  change();
  if (isFocusLost() && !wasLost) document.getElementById("main")?.focus();
}

/**
 * Move the focus among the elements with two arrow keys, Home and End. Returns the element that gets it.
 * @param {KeyboardEvent} event @param {HTMLElement[]} elements @param {string[]} [keys]
 */
export function moveFocus(event, elements, [next, previous] = ["ArrowDown", "ArrowUp"]) {
  const at = elements.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const to = { [next]: at + 1, [previous]: at - 1, Home: 0, End: -1 }[event.key];
  const element = to === undefined ? undefined : elements.at(to % elements.length);
  if (element) event.preventDefault();
  element?.focus();
  return element;
}

/**
 * The open dialogs and popovers. The page does not contain them, so it calls updateOverlays() after each render.
 * @type {Set<Overlay>}
 */
const overlays = new Set();

export function updateOverlays() {
  for (const overlay of overlays) overlay.update();
}

// Return the parent for a new dialog, popover or toast: the last open dialog, or the landmark `main`.
const findOverlayParent = () => [...document.querySelectorAll("main, dialog[open]")].at(-1) ?? document.body;

/** @param {string} name @param {object} properties @param {Element | null} [parent] */
function appendElement(name, properties, parent = findOverlayParent()) {
  return (parent ?? findOverlayParent()).appendChild(Object.assign(document.createElement(name), properties));
}

/** @param {HTMLElement} element @param {(close: Close) => unknown} content @returns {Overlay} */
function makeOverlay(element, content, opener = /** @type {any} */ (document.activeElement)) {
  const { promise: result, resolve } = Promise.withResolvers();
  /** @type {Close} */
  const closeOverlay = (value) => {
    if (!overlays.delete(overlay)) return;
    keepFocus(() => {
      element.remove();
      if (isFocusLost()) opener.focus();
    });
    resolve(value);
  };
  const overlay = { element, result, close: closeOverlay, update: () => render(content(closeOverlay), element) };
  overlays.add(overlay);
  overlay.update();
  return overlay;
}

/**
 * Open a dialog, and return it. content(close): returns the content below the title; called whenever the page renders.
 * kind: a class, such as "wide" (960 pixels). The focus goes to `autofocus`, or to the first control. The `result` is
 * undefined after Escape.
 * @param {{title: string, content: (close: Close) => unknown, kind?: string}} options
 */
export function openDialog({ title, content, kind = "" }) {
  /** @type {any} */
  const element = appendElement("dialog", { className: `dialog ${kind}`, ariaLabel: title });
  const overlay = makeOverlay(element, (close) => html`<h2>${title}</h2>${content(close)}`);
  element.addEventListener("close", () => overlay.close());
  element.showModal();
  return overlay;
}

/**
 * Ask the user to confirm an action that cannot be undone. Return a promise: true if the user confirms it, otherwise
 * undefined. action: the text of the button.
 * @param {{title: string, text: string, action: string}} question
 */
export function confirmRisk({ title, text, action }) {
  const renderContent = (/** @type {Close} */ close) =>
    html`<p class="soft">${text}</p>${dialogButtons(close, action, () => close(true), { kind: "risk filled" })}`;
  return openDialog({ title, content: renderContent, kind: "small-dialog" }).result;
}

/**
 * The buttons at the end of a dialog or a popover: Cancel and the main button.
 * @param {Close} close @param {string} text @param {() => unknown} run @param {Parameters<typeof button>[2]} options
 */
export const dialogButtons = (close, text, run, options) =>
  html`<div class="dialog-buttons">${button("Cancel", () => close(), { kind: "bare" })}
    ${button(text, run, { kind: "main", ...options })}</div>`;

/**
 * Open a popover under a button, as openDialog() does; a second click on the button closes it.
 * @param {any} anchor @param {(close: Close) => unknown} content
 * @param {{label?: string, role?: string, kind?: string}} [options] @returns {Overlay | undefined}
 */
export function openPopover(anchor, content, { label, role = "dialog", kind = "" } = {}) {
  const shown = anchor.popoverTargetElement;
  shown?.hidePopover();
  if (shown && (shown.ariaLabel === label || !label)) return;
  const element = appendElement("div", { className: `popover ${kind}`, popover: "auto", role });
  element.ariaLabel = label ?? anchor.textContent.trim();
  const overlay = makeOverlay(element, content, anchor);
  overlay.result.then(() => (anchor.ariaExpanded = String(Boolean(anchor.popoverTargetElement))));
  // Without a target, a click on the anchor would close the popover first, and then open it again.
  Object.assign(anchor, { ariaExpanded: "true", popoverTargetElement: element, popoverTargetAction: "show" });
  element.showPopover();
  element.addEventListener("beforetoggle", () => overlay.close());
  const first = element.querySelector(":is(button, a, input, select, textarea):not([type=radio]:not(:checked))");
  /** @type {HTMLElement | null} */ (first)?.focus();
  return overlay;
}

/**
 * Open a menu under a button; items that are false or null are left out.
 * @param {HTMLElement} anchor @param {MenuItems} items @param {string} [label]
 */
export function openMenu(anchor, items, label) {
  /** @param {MenuItem} item @param {Close} close */
  const renderItem = ({ label: text, action, risk, ...more }, close) => {
    const kind = `menu-item ${risk ? "risk" : "bare"}`;
    return button(text, () => (close(), action?.(anchor)), { kind, role: "menuitem", tabindex: "-1", ...more });
  };
  const renderItems = (/** @type {Close} */ close) => items.flatMap((item) => (item ? [renderItem(item, close)] : []));
  const overlay = openPopover(anchor, renderItems, { label, role: "menu", kind: "menu" });
  overlay?.element.addEventListener("keydown", (event) => {
    if (event.key === "Tab") overlay.close();
    else moveFocus(event, /** @type {any} */ ([...overlay.element.children]));
  });
}

/**
 * The button "…" that opens the menu of a row or a page. items: an array, or a function that returns an array.
 * @param {string} label @param {MenuItems | (() => MenuItems)} items
 */
export function menuButton(label, items) {
  const onClick = withButton((anchor) => openMenu(anchor, typeof items === "function" ? items() : items, label));
  return iconButton("ellipsis", label, onClick, { kind: "bare", popup: "menu" });
}
