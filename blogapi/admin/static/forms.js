/** Forms of the document, alone or in a dialog, deletions, and values that are shown only once. */

import { render } from "./vendor/lit.js";
import { del } from "./api.js";
import { confirmRisk, copyButton, openDialog } from "./dialogs.js";

/** @typedef {any} Page the base of all pages, which imports this module */

/**
 * Show errors, such as those of an ApiError, in the fields of a form of the document (fields.html).
 * @param {HTMLFormElement} form @param {Record<string, any>} errors
 */
export function showErrors(form, errors) {
  for (const place of form.querySelectorAll(".error > span")) {
    const field = /** @type {any} */ (place.closest(".field"));
    const control = field.querySelector("[name]");
    place.textContent = [errors[control.name] ?? []].flat().join(" ");
    control.ariaInvalid = place.textContent ? "true" : null;
    field.classList.toggle("faulty", Boolean(place.textContent));
    if (place.textContent && field.closest("details")) field.closest("details").open = true;
  }
}

/**
 * The handlers of a text area that takes one line: write(text) gets it without line breaks, and Enter calls done().
 * @param {(text: string) => unknown} write @param {() => unknown} done
 */
export const oneLine = (write, done) => ({
  onInput: (/** @type {string} */ text) => write(text.replace(/\s*\n\s*/g, " ")),
  onkeydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    done();
  },
});

/**
 * Call use(values) when a form is submitted, in place of sending it.
 * @param {HTMLFormElement} form @param {(values: Record<string, any>) => unknown} use
 */
export function onSubmit(form, use) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(Object.fromEntries(new FormData(form)));
  });
}

/**
 * Ask with a form of the document (fields.html) in a dialog: fill in the values, save(values) what was
 * entered, load the page again. kind: see openDialog(). Returns a promise of what save() returns, also if the
 * user closes the dialog while the request runs: a new key is shown only once.
 * @param {Page} page @param {HTMLFormElement} form
 * @param {{title: string, kind?: string, values?: Record<string, any>,
 *   save: (values: Record<string, any>) => unknown}} options
 */
export async function openForm(page, form, { title, kind, values = {}, save }) {
  const forget = () => page.set({ errors: {}, problem: "" });
  const copy = /** @type {any} */ (form.cloneNode(true));
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "boolean") copy.elements[name].checked = value;
    else copy.elements[name].value = value;
  }
  forget();
  /** @type {any} */
  let saved;
  const send = async (/** @type {Record<string, any>} */ values) => {
    if (page.busy) return;
    saved = page.actAndReload("save", () => save(values));
    if ((await saved) !== undefined) dialog.close();
  };
  const content = () => {
    copy.querySelector(".main").ariaBusy = page.busy === "save" ? "true" : null;
    copy.querySelector("[role=alert]").textContent = page.problem;
    showErrors(copy, page.errors);
    return copy;
  };
  const dialog = openDialog({ title, kind, content });
  onSubmit(copy, send);
  copy.addEventListener("reset", () => dialog.close());
  await dialog.result;
  forget();
  return saved;
}

/**
 * Delete the resource at the path and load the page again. question: options of confirmRisk(), or none.
 * @param {Page} page @param {string} path @param {Parameters<typeof confirmRisk>[0]} [question]
 */
export async function remove(page, path, question) {
  if (!question || (await confirmRisk(question))) await page.actAndReload("remove", () => del(path));
}

/**
 * Show a key or a link in `page.once`, with the focus on Copy. foot: what it allows; help: until when.
 * @param {Page} page @param {any} once
 * @param {{title: string, value: string, foot: string, help?: string}} options
 */
export async function showOnce(page, once, { value, ...texts }) {
  const place = once.querySelector(".copy");
  fillOnce(page, once, { value, ...texts });
  render(copyButton(value, { kind: "main" }), place);
  page.set({ once });
  await page.updateComplete;
  place.firstElementChild.focus();
}

/** @type {(page: Page, once: any, texts: Record<string, string>) => void} */
function fillOnce(page, once, { title, value, foot, help = "" }) {
  const [heading, input, text, hide] = once.querySelectorAll("h2, input, .small, .bare");
  heading.textContent = title;
  once.querySelector(".once-help").textContent = help;
  input.value = value;
  text.textContent = foot;
  hide.onclick = () => page.set({ once: null });
}
