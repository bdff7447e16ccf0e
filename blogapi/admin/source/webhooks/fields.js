/** The values of the form of a webhook, and the request bodies for them. */

import { BACKUP_EVENTS, isBuildHook, EVENT_KINDS, UNLISTED_EVENTS } from "./texts.js";

const AUTHORIZATION_HEADER = "Authorization";
const KIND_NAMES = Object.keys(EVENT_KINDS);

/**
 * headers: [name, value] of each custom header; keepsHeaders: whether the stored headers stay. events: the selected
 * patterns of events, by kind. unlisted: whether the webhook also receives changes of unlisted items; backups: whether
 * it also receives reports of failed backups.
 *
 * @typedef {{name: string, url: string, token: string, headers: [string, string][], keepsHeaders: boolean,
 *   preset: string, mode: string, quiet_seconds: string, interval_seconds: string,
 *   events: Record<string, string[]>, unlisted: boolean, backups: boolean}} FormValues
 */

/**
 * Return the values of the form for a webhook or, without one, for a new webhook.
 * @param {Webhook} [webhook] @returns {FormValues}
 */
export function toFormValues(webhook) {
  /** @type {Json} */
  const given = webhook ?? {};
  const { name = "", preset = "netlify", mode = "combined", events = ["*"], header_names: kept = [] } = given;
  const { quiet_seconds: quiet = 10, interval_seconds: interval = 60 } = given;
  const includesAny = (/** @type {string[]} */ types) => types.some((type) => events.includes(type));
  const selectPatterns = (/** @type {string} */ kind) =>
    events.includes("*")
      ? [`${kind}.*`]
      : events.filter(
          (/** @type {string} */ event) => event.startsWith(`${kind}.`) && !UNLISTED_EVENTS.includes(event),
        );
  return {
    ...{ name, url: "", token: "", headers: [], keepsHeaders: kept.length > 0, preset, mode },
    ...{ quiet_seconds: `${quiet}`, interval_seconds: `${interval}` },
    events: Object.fromEntries(KIND_NAMES.map((kind) => [kind, selectPatterns(kind)])),
    unlisted: includesAny(UNLISTED_EVENTS),
    backups: includesAny(BACKUP_EVENTS),
  };
}

/**
 * Return the values with another preset, without the headers and the token, which are for the former receiver.
 * @param {FormValues} values @param {string} preset @returns {FormValues}
 */
export function applyPreset(values, preset) {
  const mode = isBuildHook({ preset }) ? "combined" : "each";
  return { ...values, preset, mode, keepsHeaders: false, headers: [], token: "" };
}

/** Return the request body for a new webhook. @param {FormValues} values @returns {Record<string, unknown>} */
export function toWebhookBody({ url, token, headers, keepsHeaders, events, unlisted, backups, ...values }) {
  const isAll = KIND_NAMES.every((kind) => events[kind].includes(`${kind}.*`));
  const others = [...(unlisted ? UNLISTED_EVENTS : []), ...(backups ? BACKUP_EVENTS.slice(0, 1) : [])];
  const named = token ? [[AUTHORIZATION_HEADER, `Bearer ${token}`]] : headers.filter(([name, value]) => name || value);
  return {
    ...{ name: values.name, preset: values.preset, mode: values.mode },
    ...{ quiet_seconds: toNumber(values.quiet_seconds), interval_seconds: toNumber(values.interval_seconds) },
    events: [...(isAll ? ["*"] : Object.values(events).flat()), ...(isBuildHook(values) ? [] : others)],
    url,
    ...((!keepsHeaders || token) && { headers: Object.fromEntries(named) }),
  };
}

/**
 * Return the request body that changes a webhook. If the address is empty, the stored address stays.
 * @param {FormValues} values @param {Webhook} webhook
 */
export function makeChangeBody(values, webhook) {
  const stored = toWebhookBody(toFormValues(webhook));
  const isNew = (/** @type {[string, unknown]} */ [name, value]) => !isEqual(value, stored[name]);
  return Object.fromEntries(Object.entries(toWebhookBody(values)).filter(isNew));
}

/** @param {unknown} left @param {unknown} right */
const isEqual = (left, right) => JSON.stringify(left) === JSON.stringify(right);

// Return the number, or the text if it is no number: the server then explains the error.
const toNumber = (/** @type {string} */ text) => (/^\d+$/.test(text.trim()) ? Number(text) : text);

/** Return a sentence with examples of when combined calls are made. @param {FormValues} values */
export function explainCallTimes({ quiet_seconds, interval_seconds }) {
  const [quiet, interval] = [Number(quiet_seconds), Number(interval_seconds)];
  if (!(quiet >= 0 && interval >= 0)) return "";
  const start = (14 * 60 + 32) * 60;
  const formatClock = (/** @type {number} */ seconds) => new Date(seconds * 1000).toISOString().slice(11, 19);
  const first = start + quiet;
  const change = first + 10;
  const next = Math.max(change + quiet, first + interval);
  return `Publish at ${formatClock(start)}, and the call goes out at ${formatClock(first)}. Correct a word at
    ${formatClock(change)}, and the next goes out at ${formatClock(next)}. A call always follows your last change;
    an article scheduled for 08:00 counts as a change at 08:00.`;
}
