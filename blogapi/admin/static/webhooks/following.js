/** How a change of an article reaches readers: one toast that follows it, and the popover with the rest. */

import { html, nothing } from "../vendor/lit.js";
import { get } from "../api.js";
import { icon, row } from "../components.js";
import { openPopover, toast } from "../dialogs.js";
import { formatDayAndTime, formatSeconds, parseTime } from "../format.js";
import { LIST, loadWebhooks, PATH, pageOf } from "./actions.js";
import { answerOf, changesWait, formatAttempt, isBuildHook, listRealCalls, nameReceiver } from "./words.js";

const POLL_MS = 1000;
const MAX_POLLS = 30;
const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/** "now", or within which time readers see a change if a shared cache may be in front of the blog. */
export function whenReadersSee() {
  const { sharedSeconds } = document.body.dataset;
  return sharedSeconds ? `within ${sharedSeconds} s` : "now";
}

// The server's times are compared with each other, because the clock of the browser can be wrong.
const secondsBetween = (since, time) => (parseTime(time).getTime() - parseTime(since).getTime()) / 1000;
const isFailing = ({ active, next_attempt: next, waiting }) => active && next && waiting;
const findCall = (webhook, since) =>
  listRealCalls(webhook).find(({ succeeded, time }) => succeeded && secondsBetween(since, time) >= 0);

/**
 * Show these words, and then what the webhooks answer, in one toast.
 * since: the time of the change on the server; url: the page of the article, or nothing; undo: a function or nothing.
 */
export async function followChange(words, { since, url, undo = null }) {
  const back = undo && { label: "Undo", run: undo };
  const action = back || (url && { label: "See the article", run: () => window.open(url, "_blank", "noopener") });
  const replace = toast(words, { action });
  let { webhooks, presets } = await loadWebhooks().catch(() => ({ webhooks: [], presets: [] }));
  let shown = "";
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { text, seconds = 0, failed } = describe(webhooks, presets, since);
    const isFollowed = seconds > 0 && seconds < MAX_POLLS;
    // The seconds are those at the beginning: a toast that changes is announced again.
    const state = text.replace(/\d+ s$/, "");
    const run = () => location.assign(failed ? pageOf(failed) : LIST);
    const options = { action: failed ? { label: "See the calls", run } : action, stays: isFollowed };
    const isShown = state === shown || replace(text ? `${words}. ${text}` : words, options);
    if (!isFollowed || !isShown) return;
    shown = state;
    await pause();
    webhooks = (await get(PATH).catch(() => ({ data: webhooks }))).data;
  }
  replace(words, { action });
}

// What is true now, the webhook whose calls fail, and in how many seconds it is worth to look again.
function describe(webhooks, presets, since) {
  const active = webhooks.filter((webhook) => webhook.active);
  const builds = active.filter(isBuildHook);
  if (builds.some((webhook) => findCall(webhook, since))) return { text: "The site is being built…" };
  const next = builds.find((webhook) => webhook.next_call && !isFailing(webhook));
  if (next && !next.is_served) return { text: "Calls are sent by serve only" };
  if (next) {
    const seconds = Math.max(1, Math.ceil(secondsBetween(since, next.next_call)));
    return { text: `The site is told in ${seconds} s`, seconds };
  }
  const failed = webhooks.find((webhook) => isFailing(webhook) || hasStopped(webhook, since));
  if (failed) return { text: explainFailure(failed, presets), failed };
  return { text: "", seconds: active.some((webhook) => webhook.next_call && webhook.is_served) ? 1 : 0 };
}

const hasStopped = ({ paused, paused_at: time }, since) => paused === "gone" && secondsBetween(since, time) >= 0;

function explainFailure(webhook, presets) {
  const { next_attempt: next, latest_calls: calls, name } = webhook;
  const who = isBuildHook(webhook) ? nameReceiver(webhook, presets) : name;
  const call = calls.find(({ succeeded }) => !succeeded);
  const answer = call?.status ? `answered ${call.status}` : `has not answered`;
  return `${who} ${answer}; ${next ? `next try ${formatAttempt(next).replace(/^at /, "")}` : "it is paused"}`;
}

/** Open the popover that says whom the article has reached. verb: "Published" or "Updated". */
export function openOnItsWay(anchor, { last_updated: since, published_at: published, url }) {
  /** @type {any} */
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

const linkTo = (url) =>
  html`<a href=${url} target="_blank" rel="noopener">See the article ${icon("external-link")}</a>`;

function renderWebhooks({ webhooks, presets }, since) {
  const isTold = (webhook) => !webhook.waiting && findCall(webhook, since);
  const told = webhooks.filter((webhook) => !isBuildHook(webhook) && isTold(webhook));
  const seconds = Math.ceil(Math.max(...told.map((webhook) => findCall(webhook, since).milliseconds)) / 1000);
  const who = { 1: "It", 2: "Both" }[told.length] ?? "All";
  const names = told.map(({ name }) => name).join(", ");
  const text = `${who} answered within ${seconds === 1 ? "a second" : `${seconds} s`}.`;
  const others = webhooks.filter((webhook) => !told.includes(webhook));
  return [
    told.length ? row({ icon: "circle-check", kind: "good", title: `${names}: told`, text }) : nothing,
    ...others.map((webhook) => renderOther(webhook, presets, since)),
  ];
}

function renderOther(webhook, presets, since) {
  const { name, active, waiting, next_call: next, next_attempt: attempt, is_served: isServed } = webhook;
  const call = findCall(webhook, since);
  const who = isBuildHook(webhook) ? nameReceiver(webhook, presets) : "It";
  const waits = waiting ? `${changesWait(waiting)} for it.` : "";
  const warn = (words, text) => row({ icon: "triangle-alert", kind: "warn", title: `${name}: ${words}`, text });
  if (!active) return waiting ? warn("paused", waits) : nothing;
  if (isFailing(webhook)) {
    const last = webhook.latest_calls.find(({ succeeded }) => !succeeded);
    return warn(`next try ${formatAttempt(attempt)}`, last ? `Last answer: ${answerOf(last)}. ${waits}` : waits);
  }
  if (next) {
    const title = `${name}: ${isServed ? `told at ${formatSeconds(next)}` : "waits"}`;
    return row({ icon: "clock", title, text: isServed ? waits : "Calls are sent by serve only." });
  }
  if (!call || !isBuildHook(webhook)) return nothing;
  const title = html`<strong>${name}: build asked for at ${formatSeconds(call.time)}</strong>`;
  const text = `${who} answered ${call.status}. Whether the build succeeds, ${who} knows; this blog is not told.`;
  return row({ icon: "hammer", kind: "accent", title, text });
}
