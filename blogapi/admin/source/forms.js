/** Forms of the HTML templates, alone or in a dialog, deletions, and values that are shown only once. */

import { render } from "../static/vendor/lit.js";
import { del } from "./api.js";
import { confirmRisk, copyButton, openDialog } from "./dialogs.js";
import { refs } from "./shell.js";

/** @typedef {import("./shell.js").Page} Page */

/**
 * Show errors, such as those of an ApiError, in the fields of a form of the document (fields.html).
 * @param {HTMLFormElement} form @param {Record<string, any>} errors
 */
export function showErrors(form, errors) {
  for (const span of form.querySelectorAll(".error > span")) {
    const field = /** @type {any} */ (span.closest(".field"));
    const control = field.querySelector("[name]");
    const text = [errors[control.name] ?? []].flat().join(" ");
    span.textContent = text;
    control.ariaInvalid = text ? "true" : null;
    field.classList.toggle("faulty", Boolean(text));
    if (text && field.closest("details")) field.closest("details").open = true;
  }
}

/**
 * Set the text below a field of a form of the document.
 * @param {HTMLFormElement} form @param {string} name @param {string} text
 */
export function setHelp(form, name, text) {
  /** @type {HTMLElement} */ (form.querySelector(`#${name}-help`)).textContent = text;
}

/**
 * The handlers of a text area that takes one line: write(text) gets it without line breaks, and Enter calls done().
 * @param {(text: string) => unknown} write @param {() => unknown} done
 */
export const makeOneLineHandlers = (write, done) => ({
  onInput: (/** @type {string} */ text) => write(text.replace(/\s*\n\s*/g, " ")),
  onkeydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    done();
  },
});

/**
 * When a form is submitted, call use(values) instead of sending it.
 * @param {HTMLFormElement} form @param {(values: Record<string, any>) => unknown} use
 */
export function onSubmit(form, use) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(Object.fromEntries(new FormData(form)));
  });
}

/**
 * Open a form of the document (fields.html) in a dialog, filled with the values. save(values) stores what the user
 * entered; then the page is loaded again. kind: see openDialog(). Returns a promise of what save() returns, also if the
 * user closes the dialog while the request runs: a new key is shown only once.
 * @param {Page} page @param {HTMLFormElement} form
 * @param {{title: string, kind?: string, values?: Record<string, any>,
 *   save: (values: Record<string, any>) => unknown}} options
 */
export async function openForm(page, form, { title, kind, values = {}, save }) {
  const forgetProblems = () => page.set({ errors: {}, problem: "" });
  const copy = /** @type {any} */ (form.cloneNode(true));
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "boolean") copy.elements[name].checked = value;
    else copy.elements[name].value = value;
  }
  forgetProblems();
  /** @type {any} */
  let saved;
  const sendForm = async (/** @type {Record<string, any>} */ values) => {
    if (page.busy) return;
    saved = page.actAndReload("save", () => save(values));
    if ((await saved) !== undefined) dialog.close();
  };
  const renderForm = () => {
    copy.querySelector(".main").ariaBusy = page.busy === "save" ? "true" : null;
    copy.querySelector("[role=alert]").textContent = page.problem;
    showErrors(copy, page.errors);
    return copy;
  };
  const dialog = openDialog({ title, kind, content: renderForm });
  onSubmit(copy, sendForm);
  copy.addEventListener("reset", () => dialog.close());
  await dialog.result;
  forgetProblems();
  return saved;
}

/**
 * Delete the resource at the path and load the page again. question: options of confirmRisk(), or none.
 * @param {Page} page @param {string} path @param {Parameters<typeof confirmRisk>[0]} [question]
 */
export async function deleteResource(page, path, question) {
  if (!question || (await confirmRisk(question))) await page.actAndReload("remove", () => del(path));
}

/**
 * Show a key or a link once (once.html), with the focus on Copy. foot: what it allows; help: until when it is valid.
 * The page renders `page.once`.
 * @param {Page} page @param {{title: string, value: string, foot: string, help?: string}} texts
 */
export async function showSecretOnce(page, { title, value, foot, help = "" }) {
  refs.onceTitle.textContent = title;
  refs.onceHelp.textContent = help;
  refs.onceValue.value = value;
  refs.onceFoot.textContent = foot;
  await showCopied(page, "once", value, { copy: refs.onceCopy, hide: refs.onceHide });
}

/**
 * Show the element of this name, with the focus on the button that copies the value, until the user hides it.
 * @param {Page} page @param {"once" | "codes"} name @param {string} value
 * @param {{copy: HTMLElement, hide: HTMLElement}} parts
 */
export async function showCopied(page, name, value, { copy, hide }) {
  render(copyButton(value, { kind: "main" }), copy);
  hide.onclick = () => page.set({ [name]: null });
  page.set({ [name]: refs[name] });
  await page.updateComplete;
  /** @type {HTMLElement} */ (copy.firstElementChild).focus();
}
