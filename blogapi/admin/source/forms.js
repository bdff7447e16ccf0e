/** Functions for the forms of the HTML templates, for deletions, and for secrets that are shown only once. */

import { render } from "../static/vendor/lit.js";
import { del } from "./api.js";
import { confirmRisk, copyButton, openDialog } from "./dialogs.js";
import { refs } from "./shell.js";

/** @typedef {import("./shell.js").Page} Page */

/**
 * Show errors, such as those of an ApiError, in the fields of a form of the document (fields.html).
 * @param {HTMLFormElement} form @param {Record<string, any>} errors
 */
export function showFieldErrors(form, errors) {
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
export function setHelpText(form, name, text) {
  /** @type {HTMLElement} */ (form.querySelector(`#${name}-help`)).textContent = text;
}

/**
 * Return the handlers of a text area for one line: write() gets the text without line breaks, and Enter calls done().
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
 * Call use(values) when a form is submitted; the browser does not send the form.
 * @param {HTMLFormElement} form @param {(values: Record<string, any>) => unknown} use
 */
export function handleSubmit(form, use) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(Object.fromEntries(new FormData(form)));
  });
}

/**
 * Open a form of the document (fields.html) in a dialog, filled with the values. save(): stores the entered values;
 * then the page is loaded again. kind: see openDialog(). Return a promise of the result of save(), even if the user
 * closes the dialog during the request: a new key is shown only once.
 * @param {Page} page @param {HTMLFormElement} form
 * @param {{title: string, kind?: string, values?: Record<string, any>,
 *   save: (values: Record<string, any>) => unknown}} options
 */
export async function openForm(page, form, { title, kind, values = {}, save }) {
  const clearProblems = () => page.setFields({ errors: {}, problem: "" });
  const copy = /** @type {any} */ (form.cloneNode(true));
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "boolean") copy.elements[name].checked = value;
    else copy.elements[name].value = value;
  }
  clearProblems();
  /** @type {any} */
  let saved;
  const sendForm = async (/** @type {Record<string, any>} */ values) => {
    if (page.busy) return;
    saved = page.runAndReload("save", () => save(values));
    if ((await saved) !== undefined) dialog.close();
  };
  const renderForm = () => {
    copy.querySelector(".main").ariaBusy = page.busy === "save" ? "true" : null;
    copy.querySelector("[role=alert]").textContent = page.problem;
    showFieldErrors(copy, page.errors);
    return copy;
  };
  const dialog = openDialog({ title, kind, content: renderForm });
  handleSubmit(copy, sendForm);
  copy.addEventListener("reset", () => dialog.close());
  await dialog.result;
  clearProblems();
  return saved;
}

/**
 * Delete the resource at the path, and load the page again. question: the question that confirmRisk() asks first;
 * without a question, the resource is deleted at once.
 * @param {Page} page @param {string} path @param {Parameters<typeof confirmRisk>[0]} [question]
 */
export async function deleteResource(page, path, question) {
  if (!question || (await confirmRisk(question))) await page.runAndReload("remove", () => del(path));
}

/**
 * Show a key or a link once (once.html), with the focus on the button Copy. foot: what the key or link allows; help:
 * until when it is valid. The page renders `page.once`.
 * @param {Page} page @param {{title: string, value: string, foot: string, help?: string}} texts
 */
export async function showSecretOnce(page, { title, value, foot, help = "" }) {
  refs.onceTitle.textContent = title;
  refs.onceHelp.textContent = help;
  refs.onceValue.value = value;
  refs.onceFoot.textContent = foot;
  await showUntilHidden(page, "once", value, { copy: refs.onceCopy, hide: refs.onceHide });
}

/**
 * Show the element `refs[name]` until the user hides it, with the focus on the button that copies the value.
 * @param {Page} page @param {"once" | "codes"} name @param {string} value
 * @param {{copy: HTMLElement, hide: HTMLElement}} parts
 */
export async function showUntilHidden(page, name, value, { copy, hide }) {
  render(copyButton(value, { kind: "main" }), copy);
  hide.onclick = () => page.setFields({ [name]: null });
  page.setFields({ [name]: refs[name] });
  await page.updateComplete;
  /** @type {HTMLElement} */ (copy.firstElementChild).focus();
}
