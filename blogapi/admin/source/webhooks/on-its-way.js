/** The popover "On its way to readers", with the address of an article, its readers, and the calls of webhooks. */

import { html, nothing } from "../../static/vendor/lit.js";
import { connection, makeFileAddress } from "../api.js";
import { button, icon } from "../components.js";
import { copyButton, openPopover } from "../dialogs.js";
import { formatDayAndTime, formatLongDay, formatFullTime, formatTime, parseTime } from "../format.js";
import { hasRole } from "../roles.js";
import { getSession } from "../shell.js";
import { loadWebhooks, getWebhookHref } from "./actions.js";
import { describeAnswer, formatBacklog, formatNextTry, isBuildHook, listRealCalls, getReceiverName } from "./texts.js";

const POLL_MS = 1000;

/** Return when readers see a change: "now", or "within N s" if a shared cache may be in front of the blog. */
export function describeDelay() {
  const { sharedSeconds, publicReads } = document.body.dataset;
  const isShared = publicReads !== undefined || getSession().site.built_in;
  return isShared && sharedSeconds ? `within ${sharedSeconds} s` : "now";
}

// Times of the server are compared only with each other, because the clock of the browser can be wrong.
/** @param {string} since @param {string} time */
const countSecondsBetween = (since, time) => (parseTime(time).getTime() - parseTime(since).getTime()) / 1000;
/** @param {string} time */
const countSecondsUntil = (time) =>
  Math.max(1, Math.ceil((parseTime(time).getTime() - Date.now() - connection.clockAhead) / 1000));
/** @param {Webhook} webhook @param {string} since */
const findSuccessfulCall = (webhook, since) =>
  listRealCalls(webhook).find(({ succeeded, time }) => succeeded && countSecondsBetween(since, time) >= 0);

/**
 * Open the popover about the last change of an article. The focus is on the link to the article; a key pressed in the
 * text closes the popover. page.undo: undoes the last publication, if it can be undone.
 * @param {HTMLElement} anchor @param {{article: any, undo?: (() => unknown) | null}} page
 */
export function openOnItsWay(anchor, page) {
  /** @type {Awaited<ReturnType<typeof loadWebhooks>> | null} */
  let loaded = null;
  const { last_updated: since, status, cover_image: cover, title, url } = page.article;
  const isScheduled = status === "scheduled";
  const renderPopover = (/** @type {Close} */ close) => {
    const { undo } = page;
    const runUndo = () => (close(), undo?.());
    const see = { kind: "main", icon: "external-link", href: url, target: "_blank", rel: "noopener" };
    const isUnlisted = status === "unlisted";
    const readers = isUnlisted ? "Only people with the address can read it" : `Readers can see it ${describeDelay()}`;
    const lines = isScheduled
      ? nothing
      : html`<ul class="on-its-way">${renderLine("circle-check", "good", readers)}
      ${loaded ? renderWebhooks(loaded, since) : nothing}</ul>`;
    return html`${cover ? html`<img src=${makeFileAddress(cover)} alt="">` : nothing}<div>
      <p class="small ${isScheduled ? "soft" : "good"}">${describePublication(page.article)}</p>
      <h2 dir="auto">${title || "Untitled"}</h2>${renderAddress(url)}${lines}
      <div class="actions">${undo ? button("Undo", runUndo, { kind: "bare", icon: "undo-2" }) : nothing}
        ${button("Close", () => close(), { kind: "bare" })}
        ${url && !isScheduled ? button("See it", null, see) : nothing}</div></div>`;
  };
  const overlay = openPopover(anchor, renderPopover, { label: "On its way to readers", kind: "published-card" });
  if (!overlay) return;
  const { element, close, result } = overlay;
  /** @type {HTMLElement | null} */ (element.querySelector(".actions > :last-child"))?.focus();
  const closeOnKey = (/** @type {any} */ { target }) => element.contains(target) || close();
  document.addEventListener("keydown", closeOnKey);
  result.then(() => document.removeEventListener("keydown", closeOnKey));
  const refreshWebhooks = async () => {
    loaded = await loadWebhooks().catch(() => loaded);
    overlay.update();
    const isPending = loaded?.webhooks.some((webhook) => webhook.next_call && webhook.is_served);
    if (isPending && element.isConnected) setTimeout(refreshWebhooks, POLL_MS);
  };
  if (!isScheduled) refreshWebhooks();
}

/** Return "Published at 14:32" or "Goes live on Sunday 29 November at 08:00". @param {any} article */
function describePublication({ status, last_updated: since, published_at: published }) {
  if (status === "scheduled") return `Goes live on ${formatLongDay(published)} at ${formatTime(published)}`;
  const verb = countSecondsBetween(published, since) > 0 ? "Updated" : "Published";
  return `${verb} ${formatDayAndTime(since)
    .replace(/^Today, /, "at ")
    .replace(/^Yesterday/, "yesterday")}`;
}

/**
 * Render the address with a button that copies it, or a link to the page on which an address is set.
 * @param {string | null} url
 */
function renderAddress(url) {
  const site = hasRole("admin") ? html`<a href="/admin/site/addresses/">Set it in <em>Site</em></a>` : nothing;
  if (!url) return html`<p class="small soft">The blog has no address yet. ${site}</p>`;
  const shown = decodeURI(url).replace(/^https?:\/\//, "");
  return html`<div class="address-line"><span>${shown}</span>${copyButton(url, { kind: "bare" })}</div>`;
}

/** @param {string} name @param {string} kind @param {Renderable} words */
const renderLine = (name, kind, words) => html`<li>${icon(name, kind)}<span>${words}</span></li>`;

/** @param {{webhooks: Webhook[], presets: Preset[]}} loaded @param {string} since */
function renderWebhooks({ webhooks, presets }, since) {
  const wasCalled = (/** @type {Webhook} */ webhook) => !webhook.waiting && findSuccessfulCall(webhook, since);
  const called = webhooks.filter((webhook) => !isBuildHook(webhook) && wasCalled(webhook));
  const names = called.map(({ name }) => name).join(", ");
  const others = webhooks.filter((webhook) => !called.includes(webhook));
  return [
    called.length ? renderLine("circle-check", "good", `${names}: called`) : nothing,
    ...others.map((webhook) => renderWebhookLine(webhook, presets, since)),
  ];
}

/** @param {Webhook} webhook @param {Preset[]} presets @param {string} since */
function renderWebhookLine(webhook, presets, since) {
  const { name, active, waiting, next_call: next, next_attempt: attempt, is_served: isServed } = webhook;
  const call = findSuccessfulCall(webhook, since);
  const isBuild = isBuildHook(webhook);
  const who = getReceiverName(webhook, presets);
  /** @param {string} words */
  const renderWarning = (words) =>
    renderLine("triangle-alert", "warn", html`${name}: ${words} <a href=${getWebhookHref(webhook)}>See the calls</a>`);
  if (!active) return waiting ? renderWarning(`paused, ${formatBacklog(waiting)}.`) : nothing;
  if (attempt && waiting) {
    const last = webhook.latest_calls.find((/** @type {{succeeded: boolean}} */ { succeeded }) => !succeeded);
    return renderWarning(`next try ${formatNextTry(attempt)}.${last ? ` Last answer: ${describeAnswer(last)}.` : ""}`);
  }
  if (next && !isServed) return renderLine("clock", "", `${name}: calls wait until “serve” runs`);
  if (next) {
    const wait = `in ${countSecondsUntil(next)} s`;
    return renderLine("clock", "", isBuild ? `Your site is built again ${wait} (${who})` : `${name}: call ${wait}`);
  }
  if (!call || !isBuild) return nothing;
  return renderLine(
    "hammer",
    "accent",
    `Build asked for at ${formatFullTime(call.time)} (${who} answered ${call.status})`,
  );
}
