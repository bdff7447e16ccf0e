/** The parts that the pages of webhooks share: health, the strip of calls, requests and answers. */

import { html, nothing } from "../vendor/lit.js";
import { icon } from "../components.js";
import { formatSeconds } from "../format.js";
import { answerOf, countArrived, formatDuration, getHealth } from "./words.js";

const TICKS = 20;
const MASK = "•••";

/** The health of a webhook, and the strip of its calls with their number. */
export function renderHealth(webhook) {
  const [name, kind, text] = getHealth(webhook);
  return html`<span class="badge">${icon(name, kind)}<span>${text}</span></span>
    <div class="row-help calls-strip">${renderStrip(webhook)}<span>${countArrived(webhook.latest_calls)}</span></div>`;
}

// The oldest of the last calls is on the left.
function renderStrip({ latest_calls: calls, active }) {
  const failed = active ? "warn" : "bad";
  const kinds = calls.map(({ succeeded }) => (succeeded ? "arrived" : failed)).reverse();
  const ticks = Array.from({ length: TICKS }, (_, at) => html`<i class=${kinds[at] ?? ""}></i>`);
  return html`<span class="strip" aria-hidden="true">${ticks}</span>`;
}

/** "503 Service Unavailable", or why there is no answer. */
export const nameAnswer = (call) => `${answerOf(call)}${call.reason ? ` ${call.reason}` : ""}`;

/** The answer of a call that was made just now. */
export function renderAnswer(call) {
  const { succeeded, time, milliseconds, answer } = call;
  const [name, kind] = succeeded ? ["circle-check", "good"] : ["circle-x", "bad"];
  return html`<div class="answer">
    <p>${icon(name, kind)} <strong>${nameAnswer(call)}</strong>
      <span class="soft">${formatSeconds(time)}, after ${formatDuration(milliseconds)}</span></p>
    <pre tabindex="0">${answer || "No text in the answer"}</pre></div>`;
}

/** A request: {query, headers, body}. The part of the address that can be secret is masked. */
export function renderRequest(address, { query, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => html`\n<b>${name.toLowerCase()}:</b> ${value}`);
  return html`<pre class="request" tabindex="0"><strong>POST</strong> ${address}${
    query ? html`\n     <b>?${query}</b>` : nothing
  }${lines}${body ? `\n\n${indent(body)}` : nothing}</pre>`;
}

function indent(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Return an address without its secret part, the last part of the path; "https://…" while it is not one. */
export function maskAddress(text) {
  if (!URL.canParse(text)) return "https://…";
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.slice(0, pathname.lastIndexOf("/", pathname.length - 2) + 1) || "/"}${MASK}`;
}
