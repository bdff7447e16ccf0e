/** The webhooks: their receivers, the changes they receive, and the results of their calls. */

import { html, nothing } from "../vendor/lit.js";
import { button, icon } from "../components.js";
import { menuButton } from "../dialogs.js";
import { daysFromToday, formatDay, formatLongDay, formatTime } from "../format.js";
import { content, definePage, Page } from "../shell.js";
import { listActions, loadWebhooks, pageOf, setActive } from "../webhooks/actions.js";
import { renderHealth } from "../webhooks/parts.js";
import { answerOf, changesWait, describeEvents, formatDuration, isBuildHook, nameReceiver } from "../webhooks/words.js";

const [newWebhook, none, notServed, help, once] = content;
const HEADS = ["Name", "Receives", "Health", "Last call"];

class Webhooks extends Page {
  main = newWebhook;

  async load() {
    Object.assign(this, await loadWebhooks());
  }

  renderPage() {
    const { webhooks } = this;
    if (!webhooks.length) return none;
    const stopped = webhooks.filter(({ paused }) => ["failures", "gone"].includes(paused));
    return html`${this.once}${webhooks[0].is_served ? nothing : notServed}
      ${stopped.map((webhook) => this.renderStopped(webhook))}
      <table class="table bleed cards webhooks"><thead><tr>${HEADS.map((text) => html`<th scope="col">${text}</th>`)}
        <th class="menu-cell" scope="col"><span class="sr-only">Actions</span></th></tr></thead>
        <tbody>${webhooks.map((webhook) => this.renderRow(webhook))}</tbody></table>${help}`;
  }

  renderStopped(webhook) {
    const { name, paused, failing_since: since, waiting, has_gap: hasGap } = webhook;
    const silent = html`has not answered since ${formatLongDay(since ?? webhook.paused_at)} and was paused after 3 days
      of tries.`;
    const order = hasGap
      ? "Some are older than 30 days and were deleted: when you resume it, a call asks it to read the blog again."
      : "They are sent in order when you resume it; nothing is lost.";
    const resume = () => setActive(this, webhook, true);
    return html`<section class="notice stopped">${icon("triangle-alert", "bad")}
      <div class="notice-text"><p>“${name}” ${paused === "gone" ? "answered that it is gone for good." : silent}</p>
        <p class="soft">${waiting ? `${changesWait(waiting)} for it. ${order}` : "No change waits for it."}</p></div>
      ${button("See the calls", null, { kind: "bare", href: pageOf(webhook) })}
      ${button("Resume", resume, { busy: this.busy === "active", label: `Resume ${name}` })}</section>`;
  }

  renderRow(webhook) {
    const { name, latest_calls: calls, paused } = webhook;
    const [call] = calls;
    const receiver = `${nameReceiver(webhook, this.presets)}${isBuildHook(webhook) ? ", build hook" : ""}`;
    const [changes, limit] = describeEvents(webhook);
    const menu = menuButton(`Actions for ${name}`, () => listActions(this, webhook, once));
    const after = paused === "failures" ? "3 days of tries" : call && formatDuration(call.milliseconds);
    const answer = call && (call.status ? `${call.status}, after ${after}` : answerOf(call));
    return html`<tr>
      <th scope="row" class="who"><a href=${pageOf(webhook)}>${name}</a><div class="row-help">${receiver}</div></th>
      <td class="told ink">${changes}<div class="row-help">${limit}</div></td>
      <td class="health">${renderHealth(webhook)}</td>
      <td class="last ink">${call ? formatCallTime(call) : "–"}<div class="row-help">${answer ?? nothing}</div></td>
      <td class="menu-cell">${menu}</td></tr>`;
  }
}

const formatCallTime = ({ time }) => (daysFromToday(time) ? formatDay(time) : formatTime(time));

definePage(Webhooks);
