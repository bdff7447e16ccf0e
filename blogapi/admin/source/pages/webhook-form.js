/** The page that creates or changes a webhook: its receiver, the times and events of its calls, and a sample call. */

import { html, live, nothing } from "../../static/vendor/lit.js";
import { get, patch, post } from "../api.js";
import { button, choiceCards, field, icon, iconButton, pageHead, sectionHead } from "../components.js";
import { announceText } from "../dialogs.js";
import { showSecretOnce } from "../forms.js";
import { definePage, Page } from "../shell.js";
import { WEBHOOKS_HREF, loadWebhooks, WEBHOOKS_PATH, getWebhookHref, getWebhookPath } from "../webhooks/actions.js";
import { applyPreset, explainCallTimes, makeChangeBody, toWebhookBody, toFormValues } from "../webhooks/fields.js";
import { maskAddress, renderAnswer, renderRequest } from "../webhooks/rendering.js";
import { isBuildHook, EVENT_KINDS } from "../webhooks/texts.js";

// The choices for the mode of a webhook. The mode of a build hook is always "combined".
/** @type {[string, string, string][]} */
const MODES = [
  ["combined", "Once for any number of changes", "For a site that is built as a whole"],
  ["each", "For each change", "For a search index, a cache, a program of your own"],
];
const SECRET_FIELD = { type: "password", class: "mono", spellcheck: "false", autocomplete: "new-password" };
/** @typedef {import("../webhooks/fields.js").FormValues} FormValues */
const URL_HELP = "Anyone with this address can start builds. It is not shown again after saving.";

const UNSIGNED_NOTE = "You get the secret when the webhook is created.";

class WebhookForm extends Page {
  values = toFormValues();
  /** @type {Json} */
  samples = {};
  /** @type {Preset[]} */
  presets = [];
  /** @type {Webhook | null} null for a new webhook */
  webhook = null;

  get heading() {
    return this.webhook?.name ?? "New webhook";
  }
  get isBuild() {
    return isBuildHook(this.values);
  }
  get preset() {
    return this.presets.find(({ name }) => name === this.values.preset);
  }

  async loadData() {
    const [, , , uuid] = location.pathname.split("/");
    const reading = uuid === "new" ? null : get(getWebhookPath({ uuid }));
    const [{ presets }, webhook] = await Promise.all([loadWebhooks(), reading]);
    const isBuild = (/** @type {Preset} */ { name }) => isBuildHook({ preset: name });
    this.presets = [...presets.filter(isBuild), ...presets.filter((preset) => !isBuild(preset))];
    const { data } = webhook ?? {};
    if (data) this.setFields({ webhook: data, values: toFormValues(data), isChanged: false });
    await this.loadSample();
  }

  // Load a sample of a call for the chosen preset and mode.
  async loadSample() {
    const { preset, mode } = this.values;
    this.samples[`${preset} ${mode}`] ??= (await post(`${WEBHOOKS_PATH}sample/`, { preset, mode })).data;
    this.requestUpdate();
  }

  /** @param {Json} fields */
  changeValues(fields) {
    this.setFields({ values: { ...this.values, ...fields }, isChanged: true });
    if (!fields.preset && !fields.mode) return;
    this.setFields({ errors: {}, problem: "" });
    // The user can save while the sample loads.
    this.showFailure(this.loadSample());
  }

  async saveWebhook() {
    const { webhook, values } = this;
    // Each call changes the ETag, so only the changed fields are sent.
    const sendWebhook = () =>
      webhook
        ? patch(getWebhookPath(webhook), makeChangeBody(values, webhook), { etag: "*" })
        : post(WEBHOOKS_PATH, toWebhookBody(values));
    const answer = await this.runTask("save", sendWebhook);
    if (!answer) return;
    this.isChanged = false;
    const { secret, uuid } = answer.data;
    if (!secret) return location.assign(WEBHOOKS_HREF);
    // The secret is shown only now, so the page stays open.
    history.replaceState(null, "", getWebhookHref({ uuid }, "change/"));
    await this.reloadPage();
    const foot = "The receiver checks with it that a call comes from this blog.";
    await showSecretOnce(this, { title: `Secret of “${values.name}”. Copy it now`, value: secret, foot });
  }

  async sendTestCall() {
    const { webhook, values } = this;
    const sendTest = () =>
      webhook ? post(`${getWebhookPath(webhook)}test/`) : post(`${WEBHOOKS_PATH}test/`, toWebhookBody(values));
    const answer = await this.runTask("test", sendTest);
    if (!answer) return;
    this.setFields({ call: answer.data });
    announceText(answer.data.succeeded ? "The call has arrived" : "The call has failed");
  }

  renderHead() {
    const title = html`<a class="soft" href=${WEBHOOKS_HREF}>Webhooks</a> <span class="soft">/</span> ${this.heading}`;
    const options = { kind: "main", type: "submit", form: "webhook", busyText: "Saving…", busy: this.busy === "save" };
    const main = html`<div class="actions">${button("Cancel", null, { kind: "bare", href: WEBHOOKS_HREF })}
      ${button(this.webhook ? "Save webhook" : "Create webhook", null, options)}</div>`;
    return pageHead(title, this.state === "ready" ? main : nothing);
  }

  renderPage() {
    const submitForm = (/** @type {Event} */ event) => (event.preventDefault(), this.saveWebhook());
    return html`${this.once}<div class="columns webhook-columns">
      <form id="webhook" class="webhook-form" novalidate autocomplete="off" @submit=${submitForm}>
        ${this.renderReceiver()}<hr>${this.renderTimes()}<hr>${this.renderEvents()}</form>
      <aside aria-label="What it does">${this.renderSample()}${this.renderTestCall()}</aside></div>`;
  }

  /** @param {keyof FormValues} name @param {string} label @param {Json} [more] */
  renderInput(name, label, more) {
    const onInput = (/** @type {string} */ text) => this.changeValues({ [name]: text });
    return field({ name, label, value: this.values[name], errors: this.errors, onInput, ...more });
  }

  renderReceiver() {
    const { values, webhook, preset } = this;
    /** @type {[string, string][]} */
    const items = this.presets.map(({ name, label }) => [name, label]);
    const onChange = (/** @type {string} */ name) => this.changeValues(applyPreset(values, name));
    const cards = choiceCards({ label: "Who is called", name: "preset", items, value: values.preset, onChange });
    const kept = webhook ? `Empty: ${webhook.address} stays. ` : "";
    const help = this.isBuild ? URL_HELP : "It is not shown again after saving, and is in no log and no export.";
    const label = this.isBuild ? "Address of the build hook" : "Address";
    return html`<div>${cards}<p class="help">${preset?.help}</p></div>
      <div class="two-fields">${this.renderInput("name", "Name", { maxlength: 100 })}
        ${this.renderInput("url", label, SECRET_FIELD)}<p class="help">${kept}${help}</p></div>
      ${values.preset === "github" ? this.renderToken() : nothing}
      ${this.isBuild ? nothing : this.renderHeaders()}`;
  }

  renderToken() {
    const help = this.values.keepsHeaders ? "Empty: the token stays." : "Sent as Authorization: Bearer.";
    return this.renderInput("token", "Token", { ...SECRET_FIELD, help, errors: { token: this.errors.headers } });
  }

  renderHeaders() {
    const { headers, keepsHeaders } = this.values;
    /** @typedef {[string, string]} Header its name and its value */
    const changeHeaders = (/** @type {Header[]} */ changed) =>
      this.changeValues({ headers: changed, keepsHeaders: false });
    /** @param {Header} header @param {number} n @param {0 | 1} side @param {string} label */
    const renderPart = (header, n, side, label) => {
      const onInput = (/** @type {string} */ text) =>
        changeHeaders(headers.with(n, /** @type {Header} */ (header.with(side, text))));
      return field({ name: `header-${n}-${side}`, label, value: header[side], onInput, maxlength: 1000 });
    };
    /** @param {Header} header @param {number} n */
    const renderHeader = (header, n) => {
      const removeHeader = () => changeHeaders(headers.toSpliced(n, 1));
      return html`<li class="site-entry form">${renderPart(header, n, 0, "Header")} ${renderPart(header, n, 1, "Value")}
        ${iconButton("x", `Remove ${header[0] || "header"}`, removeHeader, { kind: "bare" })}</li>`;
    };
    const addHeader = () => changeHeaders([...headers, ["", ""]]);
    const text = keepsHeaders ? "Replace the headers" : "Add a header";
    const names = keepsHeaders && this.webhook?.header_names.join(", ");
    const help = this.errors.headers ?? (names ? `Sent now: ${names}.` : "Their values are not shown again.");
    return html`<div class="field ${this.errors.headers ? "faulty" : ""}"><span class="label">Custom headers</span>
      <ul class="form">${headers.map(renderHeader)}</ul>
      <p>${button(text, addHeader, { icon: "plus", id: "field-headers", "aria-describedby": "headers-help" })}</p>
      <p class="help" id="headers-help">${help}</p></div>`;
  }

  renderTimes() {
    const { values } = this;
    /** @param {"quiet_seconds" | "interval_seconds"} name @param {string} label */
    const renderSeconds = (name, label) => {
      const more = { type: "number", min: 0, inputmode: "numeric", class: "seconds" };
      return html`<div class="with-unit">${this.renderInput(name, label, more)}<span
        aria-hidden="true">seconds</span></div>`;
    };
    const times = () => html`<div class="two-times">${renderSeconds("quiet_seconds", "Quiet time before the call")}
        ${renderSeconds("interval_seconds", "Not more often than every")}</div>
      <p class="help measure">${explainCallTimes(values)}</p>`;
    const onChange = (/** @type {string} */ mode) => this.changeValues({ mode });
    const cards = choiceCards({ label: "When it is called", name: "mode", items: MODES, value: values.mode, onChange });
    return html`${this.isBuild ? nothing : cards}
      ${values.mode === "combined" ? times() : nothing}`;
  }

  renderEvents() {
    const { events } = this.values;
    /** @param {[string, string]} kind */
    const renderKind = ([name, text]) => {
      const toggleKind = (/** @type {FieldEvent} */ { target }) =>
        this.changeValues({ events: { ...events, [name]: target.checked ? [`${name}.*`] : [] } });
      const isAll = events[name].includes(`${name}.*`);
      return html`<label><input type="checkbox" .checked=${live(isAll)} @change=${toggleKind}
        .indeterminate=${live(!isAll && events[name].length > 0)}><span>${text}</span></label>`;
    };
    const toggleUnlisted = (/** @type {FieldEvent} */ { target }) => this.changeValues({ unlisted: target.checked });
    const unlisted = html`<label><input type="checkbox" ?disabled=${this.isBuild} @change=${toggleUnlisted}
      .checked=${live(this.isBuild || this.values.unlisted)}><span>Unlisted articles and pages</span></label>`;
    const toggleBackups = (/** @type {FieldEvent} */ { target }) => this.changeValues({ backups: target.checked });
    const backups = html`<label><input type="checkbox" ?disabled=${this.isBuild} @change=${toggleBackups}
      .checked=${live(!this.isBuild && this.values.backups)}><span>Failed backups</span></label>`;
    const error = [this.errors.events ?? []].flat().join(" ");
    return html`<fieldset class="checks-row ${error ? "faulty" : ""}" id="field-events">
      <legend>Which changes</legend><div>${Object.entries(EVENT_KINDS).map(renderKind)}${unlisted}${backups}</div>
      <p class="help" ?hidden=${!error}>${icon("circle-alert")} ${error && "Choose at least one."}</p></fieldset>`;
  }

  renderSample() {
    const { values, webhook, samples } = this;
    const sample = samples[`${values.preset} ${values.mode}`];
    const token = values.token || (values.preset === "github" && values.keepsHeaders);
    const maskValues = (/** @type {string[]} */ names) => Object.fromEntries(names.map((name) => [name, "•••"]));
    const own = values.headers.flatMap(([name]) => name || []);
    const headers = maskValues(values.keepsHeaders && webhook ? webhook.header_names : own);
    const more = token ? { Authorization: "Bearer •••" } : headers;
    const request = sample && { ...sample, headers: { ...sample.headers, ...more } };
    const address = values.url || !webhook ? maskAddress(values.url) : webhook.address;
    const side = html`<span class="soft">${this.preset?.label}${this.isBuild ? ", build hook" : ""}</span>`;
    return html`<section>${sectionHead("What is sent", side)}
      ${request ? renderRequest(address, request) : nothing}</section>`;
  }

  renderTestCall() {
    const { webhook, isBuild, call, isChanged, preset } = this;
    const isNamed = isBuild && preset?.name !== "plain";
    const who = (isNamed && preset?.label) || "The receiver";
    const real = isBuild ? ` ${who} starts a real build.` : "";
    const saved = webhook && isChanged ? " Unsaved changes are not tested." : "";
    const text = webhook || isBuild ? `Calls the address once, now.${real}${saved}` : UNSIGNED_NOTE;
    const options = { icon: "send", busyText: "Calling…", busy: this.busy === "test" };
    const send = button("Send a test call", () => this.sendTestCall(), options);
    const outcome = isBuild ? ` Only ${isNamed ? who : "the receiver"} knows whether the build succeeds.` : "";
    return html`<section class="webhook-test"><h2>Test</h2><p class="soft">${text}</p>
      ${webhook || isBuild ? send : nothing}${call ? renderAnswer(call) : nothing}
      ${call?.succeeded ? html`<p class="help">${who} took the call.${outcome}</p>` : nothing}</section>`;
  }
}

const page = definePage(WebhookForm);
addEventListener("beforeunload", (event) => page.isChanged && event.preventDefault());
