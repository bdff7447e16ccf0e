/** Renders the calls of a webhook, which are the deliveries of the API. */

import { html, nothing } from "../../static/vendor/lit.js";
import { formatCount, formatDayAndTime, formatFullTime } from "../format.js";
import { nameAnswer, renderOutcome, renderRequest } from "./rendering.js";
import { formatNextTry, formatDuration, isBuildHook, EVENT_KINDS } from "./texts.js";

const VERB_LABELS = { published: "Published", updated: "Updated", unpublished: "Unpublished", deleted: "Deleted" };
/** @type {Record<string, string>} */
const OTHER_CALLS = {
  "webhook.test": "Test call",
  "blog.reset": "Asked to read the blog again",
  "backup.failed": "Backup failed",
};
const KIND_LABELS = { category: "Category", tag: "Tag", author: "Author", site: "Site" };

/** @typedef {Record<string, any>} Call */

/** @param {Call} change */
const getItemName = ({ slug, kind }) =>
  slug ?? EVENT_KINDS[/** @type {keyof typeof EVENT_KINDS} */ (kind)].toLowerCase();

/** Return a summary of a call: "fish-soup and 2 more, second try". @param {Call} call */
function summariseChanges({ type, count: number, changes, attempt }) {
  const name = changes.map(getItemName)[0];
  const summary = number > 1 ? `${name} and ${formatCount(number - 1, "more", "more")}` : (name ?? "Build asked for");
  const retry = attempt === 2 ? ", second try" : `, try ${attempt}`;
  return `${OTHER_CALLS[type] ?? summary}${attempt > 1 ? retry : ""}`;
}

/**
 * Return a later, successful call with the same message; undefined if there is none, or if the call itself succeeded.
 * @param {Call} call @param {Call[]} calls newest first
 */
const findLaterSuccess = ({ message_id: id, time, succeeded }, calls) =>
  succeeded ? undefined : calls.findLast((other) => other.message_id === id && other.succeeded && other.time > time);

/** Render the result and the time of a call: "Today, 14:32:10". @param {Call} call */
export const renderCallHead = ({ time, succeeded }) =>
  html`${renderOutcome(succeeded)} <span class="sr-only">${succeeded ? "Arrived" : "Failed"}:</span>
    ${formatDayAndTime(time).replace(/[^,]+$/, "")} ${formatFullTime(time)}`;

/** Return the answer and the summary of a call: "503, 0.4 s: fish-soup and 2 more, second try". @param {Call} call */
export const describeCall = (call) =>
  `${call.status ? `${call.status}, ${formatDuration(call.milliseconds)}` : "No answer"}: ${summariseChanges(call)}`;

/**
 * Render the request and the answer of a call, and `send`, the button that sends the request again.
 * @param {Call} call with its request @param {Call[]} calls @param {Webhook} webhook @param {unknown} send
 */
export function renderCall(call, calls, webhook, send) {
  const { milliseconds, answer, status, error, sent } = call;
  const consequence = isBuildHook(webhook)
    ? "Asks for one more build, now. Calls for changes go on as before."
    : "The same call with the same id; a receiver that checks ids takes it once.";
  return html`<p>${nameAnswer(call)}, after ${formatDuration(milliseconds)}. ${explainRetry(call, calls, webhook)}</p>
    ${renderChanges(call)}
    <h2 class="soft">Sent</h2>${renderRequest(webhook.address, sent)}
    <p class="help">From the record of the call. Addresses, custom headers and signatures are masked.</p>
    <h2 class="soft">Answered</h2>
    <pre class="request" tabindex="0"><strong>${status ?? nothing}</strong> ${status ? call.reason : error}${
      answer ? html`\n\n${answer}` : nothing
    }</pre>
    <p class="help">${answer ? "The first 1 kB of the answer is kept, as text." : nothing}</p>
    <div class="call-again">${send}<span class="help">${consequence}</span></div>`;
}

/** @param {Call} call @param {Call[]} calls @param {Webhook} webhook */
function explainRetry(call, calls, webhook) {
  const success = findLaterSuccess(call, calls);
  if (success) return `It was tried again and arrived at ${formatFullTime(success.time)}.`;
  const isLast = calls.find(({ type }) => type !== "webhook.test")?.message_id === call.message_id;
  const next = !call.succeeded && isLast && webhook.next_attempt;
  return next ? `It is tried again ${formatNextTry(next)}.` : nothing;
}

/** @param {Call} call */
function renderChanges({ changes, count: number }) {
  if (!changes.length) return nothing;
  const more = number - changes.length;
  return html`<h2 class="soft">Changes</h2><ul class="told">${changes.map(renderChange)}
    ${more > 0 ? html`<li class="soft">And ${formatCount(more, "more change")}</li>` : nothing}</ul>`;
}

/** Render the kind of a change, the name of the item with a link, and the changed fields. @param {Call} change */
function renderChange({ type, kind, uuid, slug, changed, former_url: former }) {
  const verb = type.split(".")[1];
  const fields = html`<span class="soft">${changed.join(", ")}</span>`;
  if (kind !== "article") {
    const named = KIND_LABELS[/** @type {keyof typeof KIND_LABELS} */ (kind)];
    return html`<li>${named} ${verb === "updated" ? nothing : verb} ${slug} ${fields}</li>`;
  }
  const words = former ? "Address changed" : VERB_LABELS[/** @type {keyof typeof VERB_LABELS} */ (verb)];
  const name = verb === "deleted" ? slug : html`<a href="/admin/articles/${uuid}/">${slug}</a>`;
  return html`<li>${words} ${name} ${fields}</li>`;
}
