/** The actions that change the status of an article: publish, schedule, update, unpublish, archive. */

import { html, nothing } from "../vendor/lit.js";
import { post } from "../api.js";
import { button, copyText, field, icon, openPopover, segments, toast } from "../components.js";
import { count, distance, formatDay, formatLongDay, formatTime, toFields, toInstant } from "../format.js";
import { session } from "../shell.js";
import { pathOf } from "./article.js";
import { findOpenEnds } from "./markdown.js";

const BACK = "It is a draft again";

/** For each status: the main action, its request body, the message afterwards, and the consequence. */
export const ACTIONS = {
  draft: { name: "Publish", body: { status: "published" }, done: "Published" },
  scheduled: { name: "Reschedule", body: { status: "published" }, done: "Published" },
  published: {
    name: "Update",
    body: {},
    done: "Updated",
    consequence: "Readers see the new text at once. The former one stays in the history.",
  },
  archived: {
    name: "Bring back",
    body: { status: "draft" },
    done: BACK,
    consequence: "It becomes a draft again. Readers see it when you publish it.",
  },
};

/** Open the popover of the main button of the page, which is an Editor. */
export function openPublish(anchor, page) {
  const { status, published_at: time } = page.article ?? { status: "draft" };
  const { name, body, done, consequence } = ACTIONS[status];
  const isScheduled = status === "scheduled";
  const tomorrow = { ...toFields(new Date(Date.now() + 86_400_000)), time: "08:00" };
  const form = { isLater: isScheduled, ...(isScheduled ? toFields(time) : tomorrow) };
  const set = (fields) => {
    Object.assign(form, fields);
    popover.update();
    page.schedulePreview(0, form.isLater ? toInstant(form.day, form.time) : new Date());
  };
  const run = async (close) => {
    const at = toInstant(form.day, form.time);
    const isAhead = form.isLater && at > Date.now();
    const later = { status: isAhead ? "scheduled" : "published", published_at: at };
    if (await page.publish(form.isLater ? later : body, isAhead ? "Scheduled" : done)) close();
  };
  const label = `${name} this article`;
  const popover = openPopover(
    anchor,
    (close) => html`<h2>${label}</h2>
    ${consequence ? html`<div class="consequence">${consequence}</div>` : renderTime(form, set)}
    ${status === "archived" ? nothing : checks(page, close)} ${page.renderProblem()}
    <div class="popover-buttons">${button({ text: "Cancel", kind: "bare", onClick: () => close() })}
      ${button({
        text: form.isLater && !isScheduled ? "Schedule" : name,
        kind: "main",
        busy: page.busy === "publish",
        busyText: "Saving…",
        onClick: () => run(close),
      })}</div>`,
    { label },
  );
  popover?.result.then(() => page.schedulePreview());
}

// The choice of the time, and its consequence.
function renderTime({ isLater, day, time }, set) {
  const at = toInstant(day, time);
  const items = [
    { value: false, label: "Now" },
    { value: true, label: "Later" },
  ];
  const onChange = (value) => set({ isLater: value });
  const part = (name, label, type, value) =>
    field({
      name,
      label,
      type,
      value,
      max: "9999-12-31",
      required: true,
      onInput: (text) => text && set({ [name]: text }),
    });
  return html`${segments({ label: "When", name: "when", items, value: isLater, onChange })}
    ${
      isLater
        ? html`<div class="two-fields">
        ${part("day", "Date", "date", day)} ${part("time", "Time", "time", time)}</div>
      <div class="consequence"><p>Goes live ${at > Date.now() ? "on" : "now, dated"}
          <strong>${formatLongDay(at)} at ${formatTime(at)}</strong>.</p>
        <p class="help">${distance(at)}. Time zone of the site: ${session().site.time_zone}</p></div>`
        : html`<p class="consequence">Goes live <strong>now</strong>, for readers, feeds and search.</p>`
    }`;
}

// Checks warn and never forbid.
function checks(page, close) {
  const {
    edits: { title, excerpt, tags },
    rendered,
  } = page;
  const { tasks, pictures } = findOpenEnds(page.area.getText());
  const missing = [!excerpt && "excerpt", !tags.length && "tag"].filter(Boolean).join(" and no ");
  const line = (isGood, words, place) => html`<li>
    ${isGood ? icon("check", "good") : icon("triangle-alert", "warn")}
    <span>${words} ${
      place
        ? html`<button type="button" class="link-button"
      @click=${() => (close(), page.showText(place.from, place.to))}>Show</button>`
        : nothing
    }</span></li>`;
  const warn = (place, words) => (place.count ? line(false, words, place) : nothing);
  return html`<ul class="checks">
    ${
      title.trim()
        ? line(true, html`<span class="address">${rendered?.url ?? rendered?.slug}</span>`)
        : line(false, "The title is missing.")
    }
    ${
      missing
        ? line(false, `No ${missing} is set.`)
        : line(true, `Excerpt, category and ${count(tags.length, "tag")} are set`)
    }
    ${warn(tasks, `${count(tasks.count, "task in the text is", "tasks in the text are")} open.`)}
    ${warn(pictures, `${count(pictures.count, "picture")} without alternative text.`)}</ul>`;
}

/** Return the items of the menu beside the main button. A menu has no place for a problem. */
export function menuItems(page) {
  const { status = "draft", working_copy: copy } = page.article ?? {};
  const edits = copy || page.saver.isDirty;
  const item = (label, icon, run, risk) => ({
    label,
    icon,
    risk,
    action: () => run().then(() => page.problem && toast(page.problem)),
  });
  const become = (label, icon, status, words) => item(label, icon, () => page.publish({ status }, words));
  return [
    status === "published" && become("Unpublish", "undo-2", "draft", BACK),
    status === "scheduled" && become("Back to draft", "undo-2", "draft", BACK),
    status !== "archived" && become("Archive", "archive", "archived", "Archived"),
    (status !== "published" || edits) && item("Copy a preview link", "share-2", () => share(page)),
    status !== "draft" && edits && item("Discard the edits", "trash-2", () => page.discard(), true),
  ];
}

// The link shows the edits that are saved.
async function share(page) {
  const answer = await page.act("share", async () => {
    await page.store();
    return post(`${pathOf(page.uuid)}preview/`);
  });
  if (!answer) return;
  const link = new URL(answer.data.url, location).href;
  const copied = await copyText(link).then(
    () => "Copied.",
    () => link,
  );
  toast(`${copied} Anyone with the link can read this article until ${formatDay(answer.data.expires)}.`);
}
