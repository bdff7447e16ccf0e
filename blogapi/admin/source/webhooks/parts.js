/** The parts that the pages of webhooks share: the strip of calls, requests and answers. */

import { html, nothing } from "../../static/vendor/lit.js";
import { icon } from "../components.js";
import { formatSeconds } from "../format.js";
import { describeAnswer, formatDuration } from "./words.js";

const TICKS = 20;
const MASK = "•••";

/** @typedef {import("./calls.js").Call} Call */

/** Render the last calls as a strip; the oldest is on the left. @param {Webhook} webhook */
export function renderStrip({ latest_calls: calls, active }) {
  const failed = active ? "warn" : "bad";
  const kinds = calls.map((/** @type {Call} */ { succeeded }) => (succeeded ? "arrived" : failed)).reverse();
  const ticks = Array.from({ length: TICKS }, (_, n) => html`<i class=${kinds[n] ?? ""}></i>`);
  return html`<span class="strip" aria-hidden="true">${ticks}</span>`;
}

/** Return the status and its name ("503 Service Unavailable"), or why there is no answer. @param {any} call */
export const nameAnswer = (call) => `${describeAnswer(call)}${call.reason ? ` ${call.reason}` : ""}`;

/** The icon of a call. @param {boolean} succeeded */
export const renderOutcome = (succeeded) => (succeeded ? icon("circle-check", "good") : icon("circle-x", "bad"));

/** The answer of a call that was made just now. @param {Call} call */
export function renderAnswer(call) {
  const { succeeded, time, milliseconds, answer } = call;
  return html`<div class="answer">
    <p>${renderOutcome(succeeded)} <strong>${nameAnswer(call)}</strong>
      <span class="soft">${formatSeconds(time)}, after ${formatDuration(milliseconds)}</span></p>
    <pre tabindex="0">${answer || "No text in the answer"}</pre></div>`;
}

/**
 * Render a request, with a mask in place of the part of the address that can be secret.
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
 * Return an address without its secret part, the last part of the path; "https://…" if the text is no address.
 * @param {string} text
 */
export function maskAddress(text) {
  if (!URL.canParse(text)) return "https://…";
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.slice(0, pathname.lastIndexOf("/", pathname.length - 2) + 1) || "/"}${MASK}`;
}
