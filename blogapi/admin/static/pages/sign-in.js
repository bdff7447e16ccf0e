/** The pages without a login, whose form is in the document: sign in, the first admin, a new password. */

import { get, post } from "../api.js";
import { count } from "../format.js";
import { lastSession } from "../shell.js";

/** @type {any} */
const main = document.getElementById("main");
const form = main.querySelector("form");
const { username, password, remember, token } = form.elements;

function explain({ message, errors = {} }) {
  main.querySelector("#problem").textContent = message;
  const inputs = [username, password].filter(Boolean);
  for (const input of inputs) input.ariaInvalid = input.name in errors ? "true" : null;
  (inputs.find(({ ariaInvalid }) => ariaInvalid) ?? password).focus();
}

function leave() {
  // Only pages of this blog are allowed: anyone can make a link with another address.
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const start = document.body.dataset.page === "setup" ? "/admin/welcome/" : "/admin/";
  location.replace(next.startsWith("/admin/") ? next : start);
}

form.addEventListener("submit", async (/** @type {any} */ { submitter }) => {
  const values = Object.fromEntries(new FormData(form));
  if (remember) values.remember = remember.checked;
  submitter.disabled = true;
  await post(form.dataset.path, values).then(leave, explain);
  submitter.disabled = false;
});

async function describeBlog() {
  const last = lastSession().username;
  if (last && !username.value) {
    username.value = last;
    password.focus();
  }
  const { title, session_days: days, needs_setup: needsSetup } = (await get("auth/login-options/")).data;
  form.querySelector("h1").textContent = title || location.host;
  main.querySelector("#remember-help").prepend(`For ${count(days, "day")}. `);
  if (needsSetup) for (const text of main.querySelectorAll(":scope > p")) text.hidden = !text.hidden;
}

if (token) token.value = location.hash.slice(1);
else await describeBlog().catch(explain);
main.ariaBusy = null;
