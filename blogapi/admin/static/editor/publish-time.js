/** When an article is published: now, or at a time in the time zone of the site. */

import { html } from "../vendor/lit.js";
import { field, segments } from "../components.js";
import { distance, formatLongDay, formatTime, toFields, toInstant } from "../format.js";
import { session } from "../shell.js";
import { whenReadersSee } from "../webhooks/following.js";

/** The values of the form: those of a scheduled time, or else tomorrow morning, if the author chooses it. */
export function makeTimeForm(time = null) {
  const tomorrow = { ...toFields(new Date(Date.now() + 86_400_000)), time: "08:00" };
  return { isLater: Boolean(time), ...(time ? toFields(time) : tomorrow) };
}

/** The choice of the time, and its consequence. set(fields) changes the form; places: where it goes live. */
export function renderTime({ isLater, day, time }, set, places = "readers, feeds and search") {
  const at = toInstant(day, time);
  const items = { Now: false, Later: true };
  const onChange = (value) => set({ isLater: value });
  const part = (name, label, type, value) => {
    const onInput = (text) => text && set({ [name]: text });
    return field({ name, label, type, value, onInput, max: "9999-12-31", required: true });
  };
  const later = () => html`<div class="two-fields">
        ${part("day", "Date", "date", day)} ${part("time", "Time", "time", time)}</div>
      <div class="consequence"><p>Goes live ${at.getTime() > Date.now() ? "on" : "now, dated"}
          <strong>${formatLongDay(at)} at ${formatTime(at)}</strong>.</p>
        <p class="help">${distance(at)}. Time zone of the site: ${session().site.time_zone}</p></div>`;
  const now = html`<p class="consequence">Goes live <strong>${whenReadersSee()}</strong>, for ${places}.</p>`;
  return html`${segments({ label: "When", name: "when", items, value: isLater, onChange })}${isLater ? later() : now}`;
}
