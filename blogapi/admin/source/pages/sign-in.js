/** The pages without a login: sign in, create the first admin, set a new password, accept an invitation. */

import { get, post } from "../api.js";
import { askForCode, askForPassword } from "../second-factor.js";
import { formatCount, formatDayAndTime, nameRole } from "../format.js";
import { getLastSession, refs } from "../shell.js";

const { form, heading, intro } = refs;
const { username, password, remember, token, code } = form.elements;
const path = form.dataset.path ?? "";
const isJoining = path === "auth/join/";

/** @param {{message: string, code?: string, errors?: Json}} error */
function showError({ message, code: reason = "", errors = {} }) {
  const isCodeNeeded = reason === "second_factor_required";
  refs.problem.textContent = isCodeNeeded ? "" : message;
  if (isCodeNeeded) {
    intro.textContent = "One more step: the second factor.";
    return askForCode(form);
  }
  if (reason === "login_failed" && code) askForPassword(form);
  const inputs = [username, password].filter(Boolean);
  for (const input of inputs) input.ariaInvalid = input.name in errors ? "true" : null;
  const first = [code, password].find((input) => input?.checkVisibility());
  (inputs.find(({ ariaInvalid }) => ariaInvalid) ?? first)?.focus();
  if (reason.startsWith("second_factor")) code.select();
}

function leavePage() {
  // Follow only addresses of admin pages, because anyone can make a link with another address in `next`.
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const start = document.body.dataset.page === "setup" ? "/admin/welcome/" : "/admin/";
  location.replace(next.startsWith("/admin/") ? next : start);
}

form.addEventListener("submit", async (/** @type {any} */ { submitter }) => {
  /** @type {Json} */
  const values = Object.fromEntries(new FormData(form));
  if (remember) values.remember = remember.checked;
  submitter.disabled = true;
  await post(path, values).then(leavePage, showError);
  submitter.disabled = false;
});

async function showLoginOptions() {
  const last = getLastSession().username;
  if (last && !username.value) {
    username.value = last;
    password.focus();
  }
  const { data } = await get("auth/login-options/");
  heading.textContent = data.title || location.host;
  refs.rememberHelp.prepend(`For ${formatCount(data.session_days, "day")}. `);
  refs.setUp.hidden = !data.needs_setup;
  refs.askServer.hidden = data.needs_setup || data.sends_email;
  refs.askEmail.hidden = data.needs_setup || !data.sends_email;
  refs.sendLink.onclick = () => sendResetLink().catch(showError);
}

// Ask the server to send a link for a new password. The response does not reveal whether the user exists.
async function sendResetLink() {
  const name = username.value.trim();
  if (!name) {
    showError({ message: "Enter your name first: the link goes to the e-mail address of this user." });
    return username.focus();
  }
  await post("auth/forgot-password/", { username: name });
  const words = `If “${name}” has an e-mail address here, a link is on its way. It works once, within one day.`;
  refs.linkState.textContent = words;
}

async function showInvitation() {
  const requests = Promise.all([get("auth/login-options/"), post("auth/invitation/", { token: token.value })]);
  const [{ data: options }, { data: invitation }] = await requests;
  heading.textContent = options.title || location.host;
  const end = formatDayAndTime(invitation.expires);
  intro.textContent = `You are invited as ${nameRole(invitation.role)}, until ${end} UTC.`;
  username.value = invitation.name.toLowerCase().replace(/\s+/g, ".");
  username.select();
}

/** Show why the invitation is refused, and hide the fields. @param {Parameters<typeof showError>[0]} error */
function showRefusal(error) {
  showError(error);
  const others = /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".field, .wide"));
  for (const element of [intro, ...others]) element.hidden = true;
}

if (token) token.value = location.hash.slice(1);
if (isJoining) await showInvitation().catch(showRefusal);
else if (!token) await showLoginOptions().catch(showError);
refs.main.ariaBusy = null;
