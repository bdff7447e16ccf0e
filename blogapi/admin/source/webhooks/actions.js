/** Reads webhooks, and runs the actions of their menus. */

import { get, patch, post } from "../api.js";
import { toast } from "../dialogs.js";
import { formatDayAndTime } from "../format.js";
import { deleteResource, showSecretOnce } from "../forms.js";
import { hasRole } from "../roles.js";
import { describeAnswer, formatDuration } from "./words.js";

export const PATH = "webhooks/";
export const LIST = "/admin/webhooks/";
// How long calls are signed with the former secret, too.
const OVERLAP_SECONDS = 86_400;
/** @param {{uuid: string}} webhook */
export const getPath = ({ uuid }) => `${PATH}${uuid}/`;
/** @param {{uuid: string}} webhook */
export const getPageAddress = ({ uuid }, part = "") => `${LIST}${uuid}/${part}`;

/** @typedef {import("../shell.js").Page} Page */

/** Return all webhooks, and the kinds of receivers. @returns {Promise<{webhooks: Webhook[], presets: Preset[]}>} */
export async function loadWebhooks() {
  // Only admins manage webhooks.
  if (!hasRole("admin")) return { webhooks: [], presets: [] };
  const [webhooks, presets] = await Promise.all([get(PATH), get(`${PATH}presets/`)]);
  return { webhooks: webhooks.data, presets: presets.data };
}

/** Pause or resume a webhook. @param {Page} page @param {Webhook} webhook @param {boolean} active */
export async function setActive(page, webhook, active) {
  const saveActive = () => patch(getPath(webhook), { active }, { etag: "*" });
  const undoActive = () => setActive(page, webhook, !active);
  if (await page.actAndReload("active", saveActive))
    toast(`“${webhook.name}” is ${active ? "called again" : "paused"}`, { undo: undoActive });
}

/** Make a test call, and show its answer. @param {Page} page @param {Webhook} webhook */
export async function sendTest(page, webhook) {
  const answer = await page.actAndReload("test", () => post(`${getPath(webhook)}test/`));
  if (!answer) return;
  const { data: call } = answer;
  const action = { label: "See the calls", run: () => location.assign(getPageAddress(webhook)) };
  toast(`“${webhook.name}”: ${describeAnswer(call)}, after ${formatDuration(call.milliseconds)}`, { action });
}

/** Replace the secret of a webhook, and show it once. @param {Page} page @param {Webhook} webhook */
async function renewSecret(page, webhook) {
  const requestSecret = async () => [
    await post(`${getPath(webhook)}rotate/`, { overlap_seconds: OVERLAP_SECONDS }),
    await get(getPath(webhook)),
  ];
  const answers = await page.actAndReload("secret", requestSecret);
  if (!answers) return;
  const [{ data: created }, { data: changed }] = answers;
  const foot = `The former secret signs too until ${formatDayAndTime(changed.rotation_ends)}.`;
  await showSecretOnce(page, { title: `New secret of “${webhook.name}”. Copy it now`, value: created.secret, foot });
}

/** @param {Page} page @param {Webhook} webhook */
function removeWebhook(page, webhook) {
  const text = "It is no longer called. Its secret and the record of its calls cannot be restored.";
  const question = { title: `Delete “${webhook.name}”?`, action: "Delete webhook", text };
  return deleteResource(page, getPath(webhook), question);
}

/**
 * The menu of a webhook; replay() sends former changes again.
 * @param {Page} page @param {Webhook} webhook @param {() => unknown} replay @returns {MenuItems}
 */
export const listActions = (page, webhook, replay) => [
  { label: "Test call", icon: "send", action: () => sendTest(page, webhook) },
  { label: "Change", icon: "pencil", href: getPageAddress(webhook, "change/") },
  { label: "Send again from a time…", icon: "history", action: replay },
  webhook.preset === "standard" && { label: "New secret", icon: "key", action: () => renewSecret(page, webhook) },
  {
    label: webhook.active ? "Pause" : "Resume",
    icon: webhook.active ? "circle-pause" : "play",
    action: () => setActive(page, webhook, !webhook.active),
  },
  { label: "Delete", icon: "trash-2", risk: true, action: () => removeWebhook(page, webhook) },
];
