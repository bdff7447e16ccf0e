/** Lets the author choose when an article is published: now, or at a time in the time zone of the site. */

import { html } from "../../static/vendor/lit.js";
import { field, segmentControl } from "../components.js";
import { formatDistance, formatLongDay, formatTime, toFields, toInstant } from "../format.js";
import { session } from "../shell.js";
import { whenReadersSee } from "../webhooks/following.js";

/** The choice of the time: at first the time of a scheduled article, else now; "Later" begins with tomorrow morning. */
export class TimeForm {
  /** @param {() => void} changed called after each change @param {string | null} [time] */
  constructor(changed, time = null) {
    this.changed = changed;
    const tomorrow = { ...toFields(new Date(Date.now() + 86_400_000)), time: "08:00" };
    this.isLater = Boolean(time);
    this.fields = time ? toFields(time) : tomorrow;
  }

  /** The chosen time, or null for now. */
  get instant() {
    return this.isLater ? toInstant(this.fields.day, this.fields.time) : null;
  }

  get isAhead() {
    return this.instant !== null && this.instant.getTime() > Date.now();
  }

  /** The form, and a sentence about its consequence. audience: the readers for whom the article goes live. */
  render(audience = "readers, feeds and search") {
    const { instant, isAhead } = this;
    /** @param {boolean} value */
    const onChange = (value) => {
      this.isLater = value;
      this.changed();
    };
    /** @param {"day" | "time"} name @param {string} label @param {string} type */
    const renderInput = (name, label, type) => {
      const onInput = (/** @type {string} */ text) => {
        if (!text) return;
        this.fields[name] = text;
        this.changed();
      };
      return field({ name, label, type, value: this.fields[name], onInput, max: "9999-12-31", required: true });
    };
    const consequence = instant
      ? html`<div class="two-fields">${renderInput("day", "Date", "date")} ${renderInput("time", "Time", "time")}</div>
        <div class="consequence"><p>Goes live ${isAhead ? "on" : "now, dated"}
            <strong>${formatLongDay(instant)} at ${formatTime(instant)}</strong>.</p>
          <p class="help">${formatDistance(instant)}. Time zone of the site: ${session().site.time_zone}</p></div>`
      : html`<p class="consequence">Goes live <strong>${whenReadersSee()}</strong>, for ${audience}.</p>`;
    const items = { Now: false, Later: true };
    return html`${segmentControl({ label: "When", name: "when", items, value: this.isLater, onChange })}${consequence}`;
  }
}
