/** Texts that describe webhooks, the changes that they receive, and their calls. */

import { formatCount, countDaysTo, formatTime } from "../format.js";

// The kinds of items in the names of events, and their names on the pages.
export const EVENT_KINDS = {
  article: "Articles",
  page: "Pages",
  category: "Categories",
  tag: "Tags",
  author: "Authors",
  site: "Site and navigation",
};
// The events of unlisted items, which patterns do not select. Build hooks always receive them.
export const UNLISTED_EVENTS = ["article.unlisted", "page.unlisted"];
// The events of failed backups, which the pattern `*` does not select. Build hooks cannot receive them.
export const BACKUP_EVENTS = ["backup.*", "backup.failed"];
const TEST_TYPE = "webhook.test";

/** @param {{preset: string, [field: string]: any}} webhook */
export const isBuildHook = ({ preset }) => preset !== "standard";

/** Return the calls other than test calls, newest first. @param {Webhook} webhook @returns {any[]} */
export const listRealCalls = ({ latest_calls: calls }) =>
  calls.filter((/** @type {{type: string}} */ { type }) => type !== TEST_TYPE);

/** Return the name of the receiver: "Netlify", or the host. @param {Webhook} webhook @param {Preset[]} presets */
export function getReceiverName({ preset, address }, presets) {
  const isNamed = !["standard", "plain"].includes(preset);
  return (isNamed && presets.find(({ name }) => name === preset)?.label) || new URL(address).host;
}

/** @param {number} milliseconds */
export const formatDuration = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** @param {number} seconds */
const formatInterval = (seconds) => (seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`);

/** Return the time of the next attempt, which is at most a day ahead: "at 14:47". @param {string} time */
export const formatNextTry = (time) => `${countDaysTo(time) ? "tomorrow " : ""}at ${formatTime(time)}`;

/** @param {number} number */
export const formatBacklog = (number) => formatCount(number, "change waits", "changes wait");

/**
 * Return the status of an answer ("200"), or the reason for a missing answer.
 * @param {{status: number | null, error: string}} call
 */
export const describeAnswer = ({ status, error }) => String(status ?? error.replace(/\.$/, ""));

/** Return two texts: the changes that a webhook receives, and the times of its calls. @param {Webhook} webhook */
export function describeEvents({ mode, events, quiet_seconds: quiet, interval_seconds: interval }) {
  if (mode === "each") return ["Each change", formatEvents(events)];
  const often = interval
    ? `At most every ${formatInterval(interval)}`
    : `${formatInterval(quiet)} after the last change`;
  return ["All changes in one call", events.includes("*") ? often : `${formatEvents(events)}. ${often}`];
}

/** @param {string[]} events */
function formatEvents(events) {
  const hasUnlisted = UNLISTED_EVENTS.some((type) => events.includes(type));
  const hasBackups = BACKUP_EVENTS.some((type) => events.includes(type));
  if (events.includes("*"))
    return `Everything${hasUnlisted ? ", unlisted too" : ""}${hasBackups ? ", failed backups" : ""}`;
  const names = events.map((event) => {
    if (BACKUP_EVENTS.includes(event)) return "Failed backups";
    const [kind, what] = event.split(".");
    return `${EVENT_KINDS[/** @type {keyof typeof EVENT_KINDS} */ (kind)]}${what === "*" ? "" : ` ${what}`}`;
  });
  return names.map((name, at) => (at ? name.toLowerCase() : name)).join(", ");
}

/**
 * Return the health of a webhook: the name of an icon, its kind, and a text.
 * @param {Webhook} webhook @returns {[string, string, string]}
 */
export function describeHealth({ paused, waiting, failing_since: failing, next_attempt: next, latest_calls: calls }) {
  if (paused === "admin") return ["circle-pause", "", "Paused by you"];
  if (paused === "copied") return ["circle-pause", "warn", "Paused after the restore. Resume what this copy may call"];
  if (paused) return ["triangle-alert", "bad", `Paused${waiting ? `, ${formatBacklog(waiting)}` : ""}`];
  if (failing) return ["refresh-cw", "warn", `Trying again ${next ? formatNextTry(next) : "now"}`];
  if (!calls.length) return ["circle-dashed", "", "Waiting for a change"];
  return calls[0].succeeded ? ["circle-check", "good", "Working"] : ["triangle-alert", "warn", "The last call failed"];
}

/**
 * Return a text such as "17 of 20 arrived". A failed attempt counts as arrived if a later attempt of the call has
 * arrived.
 * @param {any[]} calls newest first
 */
export function describeArrivals(calls) {
  let [arrived, late, attempt, last] = [0, 0, 0, 0];
  for (const call of calls) {
    if (call.succeeded) {
      if (call.type !== TEST_TYPE) attempt = call.attempt - 1;
      if (call.attempt > 1) [late, last] = [late + 1, call.attempt];
      arrived += 1;
    } else if (attempt && call.attempt === attempt) {
      attempt -= 1;
      arrived += 1;
    }
  }
  if (!calls.length) return "No call yet";
  const retried =
    late === 1 ? `, one at ${last === 2 ? "the second" : "a later"} try` : late && `, ${late} at a later try`;
  return `${arrived} of ${calls.length} arrived${retried || ""}`;
}
