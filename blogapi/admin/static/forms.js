/** Forms of the document, alone or in a dialog, deletions, and values that are shown only once. */

import { render } from "./vendor/lit.js";
import { del } from "./api.js";
import { confirmRisk, copyButton, openDialog } from "./components.js";

/** Show errors, such as those of an ApiError, in the fields of a form of the document (fields.html). */
export function showErrors(form, errors) {
  for (const place of form.querySelectorAll(".error > span")) {
    const field = place.closest(".field");
    const control = field.querySelector("[name]");
    place.textContent = [errors[control.name] ?? []].flat().join(" ");
    control.ariaInvalid = place.textContent ? "true" : null;
    field.classList.toggle("faulty", place.textContent);
  }
}

/**
 * Ask with a form of the document (fields.html) in a dialog: fill in the values, save(values) what was
 * entered, load the page again. Returns a promise of what save() returns, also if the user closes the dialog
 * while the request runs: a new key is shown only once.
 */
export async function openForm(page, form, { title, values = {}, save }) {
  const forget = () => page.set({ errors: {}, problem: "" });
  const copy = form.cloneNode(true);
  for (const [name, value] of Object.entries(values)) copy.elements[name].value = value;
  forget();
  let saved;
  const send = async (event) => {
    event.preventDefault();
    if (page.busy) return;
    saved = page.actAndReload("save", () => save(Object.fromEntries(new FormData(copy))));
    if ((await saved) !== undefined) dialog.close();
  };
  const content = () => {
    copy.querySelector(".main").ariaBusy = page.busy === "save" ? "true" : null;
    copy.querySelector("[role=alert]").textContent = page.problem;
    showErrors(copy, page.errors);
    return copy;
  };
  const dialog = openDialog({ title, content });
  copy.addEventListener("submit", send);
  copy.addEventListener("reset", () => dialog.close());
  await dialog.result;
  forget();
  return saved;
}

/** Delete the resource at the path and load the page again. question: options of confirmRisk(), or none. */
export async function remove(page, path, question) {
  if (!question || (await confirmRisk(question))) await page.actAndReload("remove", () => del(path));
}

/** Show a key or a link in `page.once`, with the focus on Copy. foot: what it allows, and until when. */
export async function showOnce(page, once, { title, value, foot }) {
  const [heading, input, copy, text, hide] = once.querySelectorAll("h2, input, .copy, .small, .bare");
  heading.textContent = title;
  input.value = value;
  text.textContent = foot;
  hide.onclick = () => page.set({ once: null });
  render(copyButton(value, { kind: "main" }), copy);
  page.set({ once });
  await page.updateComplete;
  copy.firstElementChild.focus();
}
