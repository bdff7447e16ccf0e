/** Renders the strip of calls, the requests and the answers of webhooks. */

import { html, nothing } from "../../static/vendor/lit.js";
import { icon } from "../components.js";
import { formatFullTime } from "../format.js";
import { describeAnswer, formatDuration } from "./texts.js";

const STRIP_LENGTH = 20;
const MASK = "•••";

/** @typedef {import("./calls.js").Call} Call */

/** Render the results of the last calls as a strip, with the oldest call on the left. @param {Webhook} webhook */
export function renderCallStrip({ latest_calls: calls, active }) {
  const failed = active ? "warn" : "bad";
  const kinds = calls.map((/** @type {Call} */ { succeeded }) => (succeeded ? "arrived" : failed)).reverse();
  const ticks = Array.from({ length: STRIP_LENGTH }, (_, n) => html`<i class=${kinds[n] ?? ""}></i>`);
  return html`<span class="strip" aria-hidden="true">${ticks}</span>`;
}

/** Return the status and its name ("503 Service Unavailable"), or the reason for a missing answer. @param {any} call */
export const nameAnswer = (call) => `${describeAnswer(call)}${call.reason ? ` ${call.reason}` : ""}`;

/** Render the icon for the result of a call. @param {boolean} succeeded */
export const renderOutcome = (succeeded) => (succeeded ? icon("circle-check", "good") : icon("circle-x", "bad"));

/** Render the answer to a test call. @param {Call} call */
export function renderAnswer(call) {
  const { succeeded, time, milliseconds, answer } = call;
  return html`<div class="answer">
    <p>${renderOutcome(succeeded)} <strong>${nameAnswer(call)}</strong>
      <span class="soft">${formatFullTime(time)}, after ${formatDuration(milliseconds)}</span></p>
    <pre tabindex="0">${answer || "No text in the answer"}</pre></div>`;
}

/**
 * Render a request. address: the masked address; see maskAddress().
 * @param {string} address @param {Json} request
 */
export function renderRequest(address, { query, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => html`\n<b>${name.toLowerCase()}:</b> ${value}`);
  return html`<pre class="request" tabindex="0"><strong>POST</strong> ${address}${
    query ? html`\n     <b>?${query}</b>` : nothing
  }${lines}${body ? `\n\n${indentJson(body)}` : nothing}</pre>`;
}

/** @param {string} body */
function indentJson(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/**
 * Return an address with a mask in place of the last part of its path, which can be secret; "https://…" if the text is
 * no address.
 * @param {string} text
 */
export function maskAddress(text) {
  if (!URL.canParse(text)) return "https://…";
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.slice(0, pathname.lastIndexOf("/", pathname.length - 2) + 1) || "/"}${MASK}`;
}
