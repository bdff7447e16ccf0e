/** The popover that shows which webhooks have been called for a change of an article. */

import { html, nothing } from "../../static/vendor/lit.js";
import { icon, row } from "../components.js";
import { openPopover } from "../dialogs.js";
import { formatDayAndTime, formatSeconds, parseTime } from "../format.js";
import { LIST, loadWebhooks } from "./actions.js";
import { answerOf, changesWait, formatAttempt, isBuildHook, listRealCalls, nameReceiver } from "./words.js";

const POLL_MS = 1000;

/** "now", or within which time readers see a change if a shared cache may be in front of the blog. */
export function whenReadersSee() {
  const { sharedSeconds } = document.body.dataset;
  return sharedSeconds ? `within ${sharedSeconds} s` : "now";
}

// The server's times are compared with each other, because the clock of the browser can be wrong.
/** @param {string} since @param {string} time */
const secondsBetween = (since, time) => (parseTime(time).getTime() - parseTime(since).getTime()) / 1000;
/** @param {Webhook} webhook */
const isFailing = ({ active, next_attempt: next, waiting }) => active && next && waiting;
/** @param {Webhook} webhook @param {string} since */
const findCall = (webhook, since) =>
  listRealCalls(webhook).find(({ succeeded, time }) => succeeded && secondsBetween(since, time) >= 0);

/** Open the popover with the calls since the last change. @param {HTMLElement} anchor @param {any} article */
export function openOnItsWay(anchor, { last_updated: since, published_at: published, url }) {
  /** @type {Awaited<ReturnType<typeof loadWebhooks>> | null} */
  let loaded = null;
  const verb = secondsBetween(published, since) > 1 ? "Updated" : "Published";
  const at = formatDayAndTime(since).replace(/^Today, /, "at ");
  const first = row({
    ...{ icon: "circle-check", kind: "good", title: `${verb} ${at}` },
    text: `Everything that reads the API has it ${whenReadersSee()}.`,
  });
  const draw = () => html`<h2>On its way to readers</h2>
    <ul class="on-its-way">${first}${loaded ? renderWebhooks(loaded, since) : nothing}</ul>
    <p class="on-its-way-links">
      ${url ? linkTo(url) : nothing}
      ${loaded?.webhooks.length ? html`<a href=${LIST}>Calls of the webhooks</a>` : nothing}</p>`;
  const float = openPopover(anchor, draw, { label: "On its way to readers", kind: "start" });
  const refresh = async () => {
    loaded = await loadWebhooks().catch(() => loaded);
    float?.update();
    const isPending = loaded?.webhooks.some((webhook) => webhook.next_call && webhook.is_served);
    if (isPending && float?.element.isConnected) setTimeout(refresh, POLL_MS);
  };
  refresh();
}

/** @param {string} url */
const linkTo = (url) =>
  html`<a href=${url} target="_blank" rel="noopener">See the article ${icon("external-link")}</a>`;

/** @param {{webhooks: Webhook[], presets: Preset[]}} loaded @param {string} since */
function renderWebhooks({ webhooks, presets }, since) {
  const wasCalled = (/** @type {Webhook} */ webhook) => !webhook.waiting && findCall(webhook, since);
  const called = webhooks.filter((webhook) => !isBuildHook(webhook) && wasCalled(webhook));
  const seconds = Math.ceil(Math.max(...called.map((webhook) => findCall(webhook, since).milliseconds)) / 1000);
  const who = { 1: "It", 2: "Both" }[called.length] ?? "All";
  const names = called.map(({ name }) => name).join(", ");
  const text = `${who} answered within ${seconds === 1 ? "a second" : `${seconds} s`}.`;
  const others = webhooks.filter((webhook) => !called.includes(webhook));
  return [
    called.length ? row({ icon: "circle-check", kind: "good", title: `${names}: called`, text }) : nothing,
    ...others.map((webhook) => renderOther(webhook, presets, since)),
  ];
}

/** @param {Webhook} webhook @param {Preset[]} presets @param {string} since */
function renderOther(webhook, presets, since) {
  const { name, active, waiting, next_call: next, next_attempt: attempt, is_served: isServed } = webhook;
  const call = findCall(webhook, since);
  const who = isBuildHook(webhook) ? nameReceiver(webhook, presets) : "It";
  const waits = waiting ? `${changesWait(waiting)} for it.` : "";
  /** @param {string} words @param {string} text */
  const warn = (words, text) => row({ icon: "triangle-alert", kind: "warn", title: `${name}: ${words}`, text });
  if (!active) return waiting ? warn("paused", waits) : nothing;
  if (isFailing(webhook)) {
    const last = webhook.latest_calls.find((/** @type {{succeeded: boolean}} */ { succeeded }) => !succeeded);
    return warn(`next try ${formatAttempt(attempt)}`, last ? `Last answer: ${answerOf(last)}. ${waits}` : waits);
  }
  if (next) {
    const title = `${name}: ${isServed ? `call at ${formatSeconds(next)}` : "waits"}`;
    return row({ icon: "clock", title, text: isServed ? waits : "Calls are sent by serve only." });
  }
  if (!call || !isBuildHook(webhook)) return nothing;
  const title = html`<strong>${name}: build asked for at ${formatSeconds(call.time)}</strong>`;
  const text = `${who} answered ${call.status}. ${who} does not report whether the build succeeds.`;
  return row({ icon: "hammer", kind: "accent", title, text });
}
