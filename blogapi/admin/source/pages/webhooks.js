/** The webhooks: their receivers, the changes they receive, and the results of their calls. */

import { html, nothing } from "../../static/vendor/lit.js";
import { button, icon, table } from "../components.js";
import { menuButton } from "../dialogs.js";
import { daysFromToday, formatDay, formatLongDay, formatTime } from "../format.js";
import { definePage, Page, refs } from "../shell.js";
import { listActions, loadWebhooks, pageOf, setActive } from "../webhooks/actions.js";
import { renderHealth } from "../webhooks/parts.js";
import { answerOf, changesWait, describeEvents, formatDuration, isBuildHook, nameReceiver } from "../webhooks/words.js";

const HEADS = [["Name"], ["Receives"], ["Health"], ["Last call"]];

class Webhooks extends Page {
  main = refs.newButton;
  /** @type {Webhook[]} */
  webhooks = [];
  /** @type {Preset[]} */
  presets = [];

  async load() {
    Object.assign(this, await loadWebhooks());
  }

  renderPage() {
    const { webhooks } = this;
    if (!webhooks.length) return refs.empty;
    const stopped = webhooks.filter(({ paused }) => ["failures", "gone"].includes(paused));
    const rows = webhooks.map((webhook) => this.renderRow(webhook));
    return html`${this.once}${webhooks[0].is_served ? nothing : refs.notServed}
      ${stopped.map((webhook) => this.renderStopped(webhook))}
      ${table(HEADS, rows, "bleed cards webhooks")}${refs.help}`;
  }

  /** @param {Webhook} webhook */
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

  /** @param {Webhook} webhook */
  renderRow(webhook) {
    const { name, latest_calls: calls, paused } = webhook;
    const [call] = calls;
    const receiver = `${nameReceiver(webhook, this.presets)}${isBuildHook(webhook) ? ", build hook" : ""}`;
    const [changes, limit] = describeEvents(webhook);
    const menu = menuButton(`Actions for ${name}`, () => listActions(this, webhook));
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

/** @param {{time: string}} call */
const formatCallTime = ({ time }) => (daysFromToday(time) ? formatDay(time) : formatTime(time));

definePage(Webhooks);
