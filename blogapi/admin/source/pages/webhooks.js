/** The page of the webhooks: their receivers, the changes that they receive, and the results of their calls. */

import { html, nothing, repeat } from "../../static/vendor/lit.js";
import { get, post } from "../api.js";
import { button, foldBox, icon, table } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { openForm } from "../forms.js";
import { formatCount, countDaysTo, formatDay, formatLongDay, formatTime, toDateInputs, toDate } from "../format.js";
import { definePage, Page, refs } from "../shell.js";
import { listWebhookActions, loadWebhooks, getWebhookHref, getWebhookPath, setActive } from "../webhooks/actions.js";
import { describeCall, renderCallHead, renderCall } from "../webhooks/calls.js";
import { renderCallStrip } from "../webhooks/rendering.js";
import { formatBacklog, describeArrivals, formatDuration, isBuildHook } from "../webhooks/texts.js";
import { describeAnswer, describeEvents, describeHealth, getReceiverName } from "../webhooks/texts.js";

/** @typedef {import("../webhooks/calls.js").Call} Call */

const COLUMN_HEADS = [["Name"], ["Receives"], ["Health"], ["Last call"]];
// The address /admin/webhooks/UUID/ opens the calls of this webhook at first.
const [, , , CHOSEN_UUID] = location.pathname.split("/");

class Webhooks extends Page {
  main = refs.newButton;
  /** @type {Webhook[]} */
  webhooks = [];
  /** @type {Preset[]} */
  presets = [];
  /** @type {Record<string, Call[]>} the calls of the webhooks that are open, by the uuid of the webhook */
  calls = CHOSEN_UUID ? { [CHOSEN_UUID]: [] } : {};
  /** @type {Record<string, Call>} calls with their requests, by uuid */
  requests = {};

  async loadData() {
    Object.assign(this, await loadWebhooks());
    // A webhook whose calls are open can be deleted.
    const open = this.webhooks.filter(({ uuid }) => uuid in this.calls);
    await Promise.all(open.map((webhook) => this.loadCalls(webhook)));
  }

  /** @param {{uuid: string}} webhook */
  async loadCalls(webhook) {
    const { data } = await get(`${getWebhookPath(webhook)}deliveries/`);
    this.setFields({ calls: { ...this.calls, [webhook.uuid]: data } });
  }

  /** Load the request and the answer of a call. @param {Webhook} webhook @param {Call} call */
  async loadRequest(webhook, { uuid }) {
    const { data } = await get(`${getWebhookPath(webhook)}deliveries/${uuid}/`);
    this.setFields({ requests: { ...this.requests, [uuid]: data } });
  }

  /** @param {Webhook} webhook @param {Call} call */
  async sendCallAgain(webhook, { uuid }) {
    const answer = await this.runAndReload("send", () => post(`${getWebhookPath(webhook)}deliveries/${uuid}/send/`));
    if (answer) toast(`${describeAnswer(answer.data)}, after ${formatDuration(answer.data.milliseconds)}`);
  }

  /** @param {Webhook} webhook */
  async replayChanges(webhook) {
    const sendAgainSince = (/** @type {Json} */ { day, time }) =>
      post(`${getWebhookPath(webhook)}replay/`, { since: toDate(day, time) });
    const values = toDateInputs(new Date(Date.now() - 86_400_000));
    const answer = await openForm(this, refs.form, { title: "Send again from a time", values, save: sendAgainSince });
    if (answer) toast(`${formatCount(answer.data.waiting, "change is", "changes are")} sent again`);
  }

  updated() {
    super.updated();
    if (this.state !== "ready" || this.isShown) return;
    this.isShown = true;
    this.querySelector(".calls [open]")?.scrollIntoView({ block: "center" });
  }

  renderPage() {
    const { webhooks } = this;
    if (!webhooks.length) return refs.empty;
    const stopped = webhooks.filter(({ paused }) => ["failures", "gone"].includes(paused));
    const rows = webhooks.map((webhook) => this.renderRow(webhook));
    return html`${this.once}${webhooks[0].is_served ? nothing : refs.notServed}
      ${stopped.map((webhook) => this.renderPausedNotice(webhook))}
      ${table(COLUMN_HEADS, rows, "bleed cards webhooks")}${refs.help}`;
  }

  /** @param {Webhook} webhook */
  renderPausedNotice(webhook) {
    const { name, paused, failing_since: since, waiting, has_gap: hasGap } = webhook;
    const silent = html`has not answered since ${formatLongDay(since ?? webhook.paused_at)} and was paused after 3 days
      of tries.`;
    const order = hasGap
      ? "Changes older than 30 days are deleted. When you resume it, a call asks to read the blog again."
      : "They are sent in order when you resume it; nothing is lost.";
    const resumeWebhook = () => setActive(this, webhook, true);
    return html`<section class="notice stopped">${icon("triangle-alert", "bad")}
      <div class="notice-text"><p>“${name}” ${paused === "gone" ? "answered that it is gone for good." : silent}</p>
        <p class="soft">${waiting ? `${formatBacklog(waiting)} for it. ${order}` : "No change waits for it."}</p></div>
      ${button("See the calls", null, { kind: "bare", href: getWebhookHref(webhook) })}
      ${button("Resume", resumeWebhook, { busy: this.busy === "active", label: `Resume ${name}` })}</section>`;
  }

  /** @param {Webhook} webhook */
  renderRow(webhook) {
    const { name, latest_calls: calls, paused } = webhook;
    const [call] = calls;
    const receiver = `${getReceiverName(webhook, this.presets)}${isBuildHook(webhook) ? ", build hook" : ""}`;
    const [changes, limit] = describeEvents(webhook);
    const menu = menuButton(`Actions for ${name}`, () =>
      listWebhookActions(this, webhook, () => this.replayChanges(webhook)),
    );
    const after = paused === "failures" ? "3 days of tries" : call && formatDuration(call.milliseconds);
    const answer = call && (call.status ? `${call.status}, after ${after}` : describeAnswer(call));
    const [mark, kind, health] = describeHealth(webhook);
    return html`<tr>
      <th scope="row" class="who"><a href=${getWebhookHref(webhook, "change/")}>${name}</a>
        <div class="row-help">${receiver}</div></th>
      <td class="told ink">${changes}<div class="row-help">${limit}</div></td>
      <td class="health"><span class="badge">${icon(mark, kind)}<span>${health}</span></span></td>
      <td class="last ink">${call ? formatCallTime(call) : "–"}<div class="row-help">${answer ?? nothing}</div></td>
      <td class="menu-cell">${menu}</td></tr>
      <tr class="calls"><td colspan="5">${calls.length ? this.renderCalls(webhook) : "No call yet"}</td></tr>`;
  }

  /** Render the calls of a webhook, which are loaded when the user opens them. @param {Webhook} webhook */
  renderCalls(webhook) {
    const { uuid, latest_calls: latest } = webhook;
    const calls = this.calls[uuid] ?? [];
    const renderCallFold = (/** @type {Call} */ call) => {
      const request = this.requests[call.uuid];
      const options = { icon: "send", busyText: "Calling…", busy: this.busy === "send" };
      const send = button("Send again", () => this.sendCallAgain(webhook, call), options);
      const loadWhenOpened = (/** @type {boolean} */ isOpen) =>
        isOpen && !request && this.showFailure(this.loadRequest(webhook, call));
      const content = request ? renderCall(request, calls, webhook, send) : html`<p class="loading">Loading…</p>`;
      return foldBox(renderCallHead(call), describeCall(call), content, false, loadWhenOpened);
    };
    const loadCallsWhenOpened = (/** @type {boolean} */ isOpen) => {
      if (isOpen && !this.calls[uuid]) this.showFailure(this.loadCalls(webhook));
    };
    const list = repeat(calls, (call) => call.uuid, renderCallFold);
    const name = html`${renderCallStrip(webhook)} <span class="sr-only">Calls of ${webhook.name}:</span>`;
    return foldBox(name, describeArrivals(latest), list, uuid === CHOSEN_UUID, loadCallsWhenOpened);
  }
}

/** @param {{time: string}} call */
const formatCallTime = ({ time }) => (countDaysTo(time) ? formatDay(time) : formatTime(time));

definePage(Webhooks);
