/** The field for the code of a second factor (code.html). */

/** Ask for a code in the form: show its field, and hide all others. @param {any} form */
export function askForCode(form) {
  for (const field of form.querySelectorAll(".field")) field.hidden = !field.matches(".code-field");
  setCodeKind(form, true);
  form.querySelector(".code-field > button").onclick = () => setCodeKind(form, false);
}

/** Ask for the name and the password again. @param {any} form */
export function askForPassword(form) {
  for (const field of form.querySelectorAll(".field")) field.hidden = field.matches(".code-field");
  form.elements.code.value = "";
}

// A code of the app has only digits; a recovery code has letters too.
function setCodeKind(/** @type {any} */ form, /** @type {boolean} */ isApp) {
  const { code } = form.elements;
  const [label, help, other] = form.querySelectorAll(".code-field :is(label, .help), .code-field > button");
  label.textContent = isApp ? "Code from the app" : "Recovery code";
  help.textContent = isApp ? "Six digits, new every 30 seconds" : "Each of the ten codes works once";
  other.hidden = !isApp;
  code.inputMode = isApp ? "numeric" : "text";
  code.value = "";
  code.focus();
}
