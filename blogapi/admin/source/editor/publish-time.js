/** Lets the author choose when an article is published: now, or at a time in the time zone of the site. */

import { html } from "../../static/vendor/lit.js";
import { field, segmentControl } from "../components.js";
import { formatDistance, formatLongDay, formatTime, toDateInputs, toDate } from "../format.js";
import { getSession } from "../shell.js";
import { describeDelay } from "../webhooks/on-its-way.js";

/**
 * The choice of the publication time: at first, now or the time of a scheduled article; for "Later", tomorrow at 8:00.
 */
export class PublishTimeForm {
  /** @param {() => void} onChange called after each change @param {string | null} [time] */
  constructor(onChange, time = null) {
    this.onChange = onChange;
    const tomorrow = { ...toDateInputs(new Date(Date.now() + 86_400_000)), time: "08:00" };
    this.isLater = Boolean(time);
    this.fields = time ? toDateInputs(time) : tomorrow;
  }

  /** The chosen time, or null for now. */
  get instant() {
    return this.isLater ? toDate(this.fields.day, this.fields.time) : null;
  }

  get isFuture() {
    return this.instant !== null && this.instant.getTime() > Date.now();
  }

  /** Render the form, and a sentence about its consequence. audience: the words for who sees the article then. */
  render(audience = "readers, feeds and search") {
    const { instant, isFuture } = this;
    /** @param {boolean} value */
    const onChange = (value) => {
      this.isLater = value;
      this.onChange();
    };
    /** @param {"day" | "time"} name @param {string} label @param {string} type */
    const renderInput = (name, label, type) => {
      const onInput = (/** @type {string} */ text) => {
        if (!text) return;
        this.fields[name] = text;
        this.onChange();
      };
      return field({ name, label, type, value: this.fields[name], onInput, max: "9999-12-31", required: true });
    };
    const consequence = instant
      ? html`<div class="two-fields">${renderInput("day", "Date", "date")} ${renderInput("time", "Time", "time")}</div>
        <div class="consequence"><p>Goes live ${isFuture ? "on" : "now, dated"}
            <strong>${formatLongDay(instant)} at ${formatTime(instant)}</strong>.</p>
          <p class="help">${formatDistance(instant)}. Time zone of the site: ${getSession().site.time_zone}</p></div>`
      : html`<p class="consequence">Goes live <strong>${describeDelay()}</strong>, for ${audience}.</p>`;
    const items = { Now: false, Later: true };
    return html`${segmentControl({ label: "When", name: "when", items, value: this.isLater, onChange })}${consequence}`;
  }
}
