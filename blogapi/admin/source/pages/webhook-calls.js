/** The last calls of a webhook, each with its changes, its request and its answer. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get, post } from "../api.js";
import { button, icon, pageHead } from "../components.js";
import { moveFocus, toast } from "../dialogs.js";
import { openForm } from "../forms.js";
import { count, formatDayAndTime, formatLongDay, formatSeconds, nameDay, toFields, toInstant } from "../format.js";
import { definePage, Page, refs } from "../shell.js";
import { LIST, loadWebhooks, pageOf, pathOf, sendTest, setActive } from "../webhooks/actions.js";
import { describeChange, findSuccess, summarise } from "../webhooks/calls.js";
import { nameAnswer, renderOutcome, renderRequest } from "../webhooks/parts.js";
import { answerOf, formatAttempt, formatDuration, isBuildHook, nameReceiver } from "../webhooks/words.js";

const UUID = location.pathname.split("/")[3];
const PATH = pathOf({ uuid: UUID });

/** @typedef {import("../webhooks/calls.js").Call} Call */

class Calls extends Page {
  /** @type {Call[]} */
  calls = [];
  /** @type {any} */
  webhook = null;

  get heading() {
    return this.webhook?.name ?? "Calls";
  }
  get chosen() {
    return this.calls.find(({ uuid }) => location.hash === `#${uuid}`);
  }
  get current() {
    return this.chosen ?? this.calls[0];
  }

  async load() {
    const [{ webhooks, presets }, { data: calls }] = await Promise.all([loadWebhooks(), get(`${PATH}deliveries/`)]);
    Object.assign(this, { presets, calls, webhook: webhooks.find(({ uuid }) => uuid === UUID) });
    await this.loadCall();
  }

  // Load the request of the current call.
  async loadCall() {
    const { current } = this;
    const { data } = current ? await get(`${PATH}deliveries/${current.uuid}/`) : { data: null };
    if (current === this.current) this.set({ call: data });
  }

  /** @param {Call} call */
  async sendAgain({ uuid }) {
    const answer = await this.act("send", () => post(`${PATH}deliveries/${uuid}/send/`));
    if (!answer) return;
    const { data: call } = answer;
    await this.reload();
    location.hash = call.uuid;
    toast(`${answerOf(call)}, after ${formatDuration(call.milliseconds)}`);
  }

  async replay() {
    const save = (/** @type {Json} */ { day, time }) => post(`${PATH}replay/`, { since: toInstant(day, time) });
    const values = toFields(new Date(Date.now() - 86_400_000));
    const answer = await openForm(this, refs.form, { title: "Send again from a time", values, save });
    if (answer) toast(`${count(answer.data.waiting, "change is", "changes are")} sent again`);
  }

  renderHead() {
    const { webhook } = this;
    const title = html`<a class="soft" href=${LIST}>Webhooks</a> <span class="soft">/</span> ${this.heading}`;
    if (!webhook) return pageHead(title);
    const { active } = webhook;
    const pause = { icon: active ? "circle-pause" : "play", kind: "bare", busy: this.busy === "active" };
    const test = { busyText: "Calling…", busy: this.busy === "test" };
    const actions = html`<div class="actions">
      ${button("Change", null, { icon: "pencil", kind: "bare", href: pageOf(webhook, "change/") })}
      ${button(active ? "Pause" : "Resume", () => setActive(this, webhook, !active), pause)}
      ${button("Send a test call", () => sendTest(this, webhook), test)}</div>`;
    return pageHead(title, actions);
  }

  renderPage() {
    if (!this.calls.length) return refs.empty;
    const days = Map.groupBy(this.calls, ({ time }) => toFields(time).day);
    /** @param {any} event a KeyboardEvent */
    const press = (event) => moveFocus(event, [...event.currentTarget.querySelectorAll(".version")])?.click();
    const again = html`<button type="button" class="link-button" @click=${() => this.replay()}>Send again from a
      time…</button>`;
    return html`<div class="history calls ${this.chosen ? "chosen" : ""}">
      <nav class="versions" aria-label="Calls" @keydown=${press}>
        ${[...days.values()].map((calls) => this.renderDay(calls))}
        <p class="soft small">${refs.help} ${again}</p></nav>
      <section class="version-changes" aria-label="Call">
        <a class="button bare hang-start phone-only" href="#">${icon("arrow-left")} All calls</a>
        ${this.call ? this.renderCall(this.call) : nothing}</section></div>`;
  }

  /** @param {Call[]} calls */
  renderDay(calls) {
    const [{ time }] = calls;
    const entries = calls.map((call) => html`<li>${renderEntry(call, call === this.current)}</li>`);
    return html`<h2>${nameDay(time) ?? formatLongDay(time)}</h2><ul>${entries}</ul>`;
  }

  /** @param {Call} call */
  renderCall(call) {
    const { webhook, busy } = this;
    const { succeeded, time, milliseconds, answer, status, error, sent } = call;
    const send = { icon: "send", busyText: "Calling…", busy: busy === "send" };
    const who = nameReceiver(webhook, this.presets);
    const consequence = isBuildHook(webhook)
      ? `Asks ${who} for one more build, now. Calls for changes go on as before.`
      : "The same call with the same id; a receiver that checks ids takes it once.";
    return html`<header class="call-head"><div>
        <h2>${formatDayAndTime(time).replace(/[^,]+$/, "")} ${formatSeconds(time)}</h2>
        <p class="soft">${renderOutcome(succeeded)} ${nameAnswer(call)}, after ${formatDuration(milliseconds)}.
          ${this.explainRetry(call)}</p>
        <p class="help">${consequence}</p></div>
        ${button("Send again", () => this.sendAgain(call), send)}</header>
      ${renderChanges(call)}
      <h3 class="soft">Sent</h3>${renderRequest(webhook.address, sent)}
      <p class="help">Made again from the record of the call. Addresses, own headers and signatures are masked.</p>
      <h3 class="soft">Answered</h3>
      <pre class="request" tabindex="0"><strong>${status ?? nothing}</strong> ${status ? call.reason : error}${
        answer ? html`\n\n${answer}` : nothing
      }</pre>
      ${answer ? html`<p class="help">The first 1 kB of the answer is kept, as text.</p>` : nothing}`;
  }

  /** @param {Call} call */
  explainRetry(call) {
    const { calls, webhook } = this;
    const success = findSuccess(call, calls);
    if (success) return `It was tried again and arrived at ${formatSeconds(success.time)}.`;
    const isLast = calls.find(({ type }) => type !== "webhook.test")?.message_id === call.message_id;
    return !call.succeeded && isLast && webhook.next_attempt
      ? `It is tried again ${formatAttempt(webhook.next_attempt)}.`
      : nothing;
  }
}

/** @param {Call} call @param {boolean} isCurrent */
function renderEntry(call, isCurrent) {
  const { uuid, succeeded, time, status, milliseconds } = call;
  return html`<a class="version" href="#${uuid}" aria-current=${isCurrent ? "true" : nothing}>
    ${renderOutcome(succeeded)}<span class="sr-only">${succeeded ? "Arrived" : "Failed"}</span>
    <strong>${formatSeconds(time)}</strong>
    <span class="version-size">${status ? `${status}, ${formatDuration(milliseconds)}` : "No answer"}</span>
    <span class="soft small">${summarise(call)}</span></a>`;
}

/** @param {Call} call */
function renderChanges({ changes, count: number }) {
  if (!changes.length) return nothing;
  /** @param {Call} change */
  const line = (change) => {
    const { verb, name, fields, href } = describeChange(change);
    const named = href ? html`<a href=${href}>${name}</a>` : name;
    return html`<li>${verb} ${named} <span class="soft">${fields}</span></li>`;
  };
  const more = number - changes.length;
  return html`<h3 class="soft">Changes</h3><ul class="told">${changes.map(line)}
    ${more > 0 ? html`<li class="soft">And ${count(more, "more change")}</li>` : nothing}</ul>`;
}

const page = definePage(Calls);
addEventListener("hashchange", async () => {
  await page.act("call", () => page.loadCall());
  // On a phone, the call takes the place of the list.
  if (matchMedia("(width <= 48rem)").matches) scrollTo(0, 0);
});
