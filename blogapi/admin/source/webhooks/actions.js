/** Loads webhooks, and runs the actions of their menus. */

import { get, patch, post } from "../api.js";
import { toast } from "../dialogs.js";
import { formatDayAndTime } from "../format.js";
import { deleteResource, showSecretOnce } from "../forms.js";
import { hasRole } from "../roles.js";
import { describeAnswer, formatDuration } from "./texts.js";

export const WEBHOOKS_PATH = "webhooks/";
export const WEBHOOKS_HREF = "/admin/webhooks/";
// The time in which calls are signed with both the former and the new secret.
const OVERLAP_SECONDS = 86_400;
/** @param {{uuid: string}} webhook */
export const getWebhookPath = ({ uuid }) => `${WEBHOOKS_PATH}${uuid}/`;
/** @param {{uuid: string}} webhook */
export const getWebhookHref = ({ uuid }, part = "") => `${WEBHOOKS_HREF}${uuid}/${part}`;

/** @typedef {import("../shell.js").Page} Page */

/**
 * Load all webhooks and the presets, which are the kinds of receivers.
 * @returns {Promise<{webhooks: Webhook[], presets: Preset[]}>}
 */
export async function loadWebhooks() {
  // Only admins manage webhooks.
  if (!hasRole("admin")) return { webhooks: [], presets: [] };
  const [webhooks, presets] = await Promise.all([get(WEBHOOKS_PATH), get(`${WEBHOOKS_PATH}presets/`)]);
  return { webhooks: webhooks.data, presets: presets.data };
}

/** Pause or resume a webhook. @param {Page} page @param {Webhook} webhook @param {boolean} active */
export async function setActive(page, webhook, active) {
  const saveActive = () => patch(getWebhookPath(webhook), { active }, { etag: "*" });
  const undoActive = () => setActive(page, webhook, !active);
  if (await page.runAndReload("active", saveActive))
    toast(`“${webhook.name}” is ${active ? "called again" : "paused"}`, { undo: undoActive });
}

/** Make a test call, and show its answer. @param {Page} page @param {Webhook} webhook */
export async function sendTestCall(page, webhook) {
  const answer = await page.runAndReload("test", () => post(`${getWebhookPath(webhook)}test/`));
  if (!answer) return;
  const { data: call } = answer;
  const action = { label: "See the calls", run: () => location.assign(getWebhookHref(webhook)) };
  toast(`“${webhook.name}”: ${describeAnswer(call)}, after ${formatDuration(call.milliseconds)}`, { action });
}

/** Replace the secret of a webhook, and show it once. @param {Page} page @param {Webhook} webhook */
async function replaceSecret(page, webhook) {
  const requestSecret = () => post(`${getWebhookPath(webhook)}rotate/`, { overlap_seconds: OVERLAP_SECONDS });
  const answer = await page.runAndReload("secret", requestSecret);
  if (!answer) return;
  const end = formatDayAndTime(new Date(Date.now() + OVERLAP_SECONDS * 1000));
  const texts = { title: `New secret of “${webhook.name}”. Copy it now`, value: answer.data.secret };
  await showSecretOnce(page, { ...texts, foot: `The former secret signs too until ${end}.` });
}

/** @param {Page} page @param {Webhook} webhook */
function deleteWebhook(page, webhook) {
  const text = "Its secret and the record of its calls cannot be restored.";
  const question = { title: `Delete “${webhook.name}”?`, action: "Delete webhook", text };
  return deleteResource(page, getWebhookPath(webhook), question);
}

/**
 * Return the items of the menu of a webhook. replay(): sends former changes again.
 * @param {Page} page @param {Webhook} webhook @param {() => unknown} replay @returns {MenuItems}
 */
export const listWebhookActions = (page, webhook, replay) => [
  { label: "Test call", icon: "send", action: () => sendTestCall(page, webhook) },
  { label: "Change", icon: "pencil", href: getWebhookHref(webhook, "change/") },
  { label: "Send again from a time…", icon: "history", action: replay },
  webhook.preset === "standard" && { label: "New secret", icon: "key", action: () => replaceSecret(page, webhook) },
  {
    label: webhook.active ? "Pause" : "Resume",
    icon: webhook.active ? "circle-pause" : "play",
    action: () => setActive(page, webhook, !webhook.active),
  },
  { label: "Delete", icon: "trash-2", risk: true, action: () => deleteWebhook(page, webhook) },
];
