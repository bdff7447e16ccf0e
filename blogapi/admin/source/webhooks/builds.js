/** The section of the overview about build hooks: their last calls, and a button that starts a build. */

import { html, nothing } from "../../static/vendor/lit.js";
import { post } from "../api.js";
import { button, listRow, sectionHead } from "../components.js";
import { announceText } from "../dialogs.js";
import { countDaysTo, formatDayAndTime, formatFullTime } from "../format.js";
import { WEBHOOKS_HREF, loadWebhooks, getWebhookHref, getWebhookPath } from "./actions.js";
import { describeAnswer, formatBacklog, formatNextTry, isBuildHook, listRealCalls, getReceiverName } from "./texts.js";

/** Load the build hooks that are not paused, and the presets. */
export async function loadBuildHooks() {
  const { webhooks, presets } = await loadWebhooks();
  return { builds: webhooks.filter((webhook) => webhook.active && isBuildHook(webhook)), presets };
}

/** @typedef {import("../shell.js").Page & {builds: Webhook[]}} BuildsPage */

/**
 * Call all build hooks, one after the other: the server makes few calls at a time.
 * @param {BuildsPage} page
 */
async function callBuildHooks(page) {
  await page.runTask("build", async () => {
    /** @type {import("./calls.js").Call[]} */
    const calls = [];
    for (const webhook of page.builds) calls.push((await post(`${getWebhookPath(webhook)}build/`)).data);
    announceText(calls.every(({ succeeded }) => succeeded) ? "The build is requested" : "A call has failed");
  });
  page.setFields(await loadBuildHooks());
}

/**
 * Render the section, or nothing if the blog has no build hooks.
 * @param {BuildsPage} page @param {{url: string}} site
 */
export function renderBuildHooks(page, { url }) {
  const { builds, presets, busy } = page;
  if (!builds.length) return nothing;
  const site = url ? html`<a href=${url}>${new URL(url).host}</a>` : nothing;
  const build = { icon: "hammer", busyText: "Asking…", busy: busy === "build" };
  const href = builds.length === 1 ? getWebhookHref(builds[0]) : WEBHOOKS_HREF;
  return html`<section class="section">${sectionHead("The site", site)}
    <ul class="rows builds">${builds.map((webhook) => renderBuildHook(webhook, presets, builds.length > 1))}</ul>
    <div class="build-buttons">${button("Build the site now", () => callBuildHooks(page), build)}
      ${button("Calls", null, { kind: "bare", href })}</div></section>`;
}

/** @param {Webhook} webhook @param {Preset[]} presets @param {boolean} isNamed */
function renderBuildHook(webhook, presets, isNamed) {
  const { name, waiting, next_call: next, next_attempt: attempt, is_served: isServed } = webhook;
  const [call] = listRealCalls(webhook);
  const receiver = getReceiverName(webhook, presets);
  const formatCallTime = (/** @type {string} */ time) =>
    countDaysTo(time) ? formatDayAndTime(time) : `at ${formatFullTime(time)}`;
  const start = isNamed ? `${name}: ` : "";
  const retryText = attempt && `Next try ${formatNextTry(attempt)}.`;
  const nextCall = next && isServed ? `; the next call is ${formatCallTime(next)}` : "";
  const waitText = waiting ? `${formatBacklog(waiting)}${nextCall}.` : "No change waits.";
  const details = retryText ?? (waiting && !isServed ? `${waitText} Calls wait until “serve” runs.` : waitText);
  if (!call) return listRow({ icon: "circle-dashed", title: `${start}No build asked for yet`, text: details });
  const answer = call.status ? `${receiver} answered ${call.status}` : `${receiver}: ${describeAnswer(call)}`;
  if (!call.succeeded) return listRow({ icon: "triangle-alert", kind: "warn", title: start + answer, text: details });
  const title = `${start}${start ? "build" : "Build"} asked for ${formatCallTime(call.time)}`;
  return listRow({ icon: "hammer", kind: "accent", title, text: `${answer}. ${details}` });
}
