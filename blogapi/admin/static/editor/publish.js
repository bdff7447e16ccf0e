// The actions that change the status of an article: publish, schedule, update, unpublish, archive.

import { html, nothing } from "../vendor/lit.js";
import { post } from "../api.js";
import { button, copyText, field, icon, openMenu, openPopover, segments, toast } from "../components.js";
import { count, distance, formatDay, formatLongDay, formatTime, toFields, toInstant } from "../format.js";
import { session } from "../shell.js";
import { slugOf } from "./details.js";
import { findOpenEnds } from "./markdown.js";

const DAY = 24 * 3600 * 1000;
const BACK = "It is a draft again";

// For each status: the main action, its request body, the message afterwards, and the consequence.
export const ACTIONS = {
  draft: { name: "Publish", body: { status: "published" }, done: "Published" },
  scheduled: { name: "Reschedule", body: { status: "published" }, done: "Published" },
  published: { name: "Update", body: {}, done: "Updated",
    consequence: "Readers see the new text at once. The former one stays in the history." },
  archived: { name: "Bring back", body: { status: "draft" }, done: BACK,
    consequence: "It becomes a draft again. Readers see it when you publish it." },
};

// Open the popover of the main button. `page` has article, document, publish() and showText().
export function openPublish(anchor, page) {
  const { status, published_at: time } = page.article ?? { status: "draft" };
  const action = ACTIONS[status];
  const title = `${action.name} this article`;
  const isScheduled = status === "scheduled";
  const tomorrow = toInstant(toFields(new Date(Date.now() + DAY)).day, "08:00");
  const form = { when: isScheduled ? "later" : "now", ...toFields(isScheduled ? time : tomorrow) };
  const set = (fields) => {
    Object.assign(form, fields);
    popover.update();
  };
  const run = async (close) => {
    const at = toInstant(form.day, form.time);
    const isAhead = form.when === "later" && at > Date.now();
    const later = { status: isAhead ? "scheduled" : "published", published_at: at };
    const body = form.when === "later" ? later : action.body;
    if (await page.publish(body, isAhead ? "Scheduled" : action.done)) close();
  };
  const popover = openPopover(anchor, (close) => html`<h2>${title}</h2>
    ${action.consequence ? nothing : choice(form, set)}
    <div class="consequence">${action.consequence ?? consequence(form)}</div>
    ${status === "archived" ? nothing : checks(page, close)} ${page.renderProblem()}
    <div class="popover-buttons">${button({ text: "Cancel", kind: "bare", onClick: () => close() })}
      ${button({ text: form.when === "later" && !isScheduled ? "Schedule" : action.name, kind: "main",
        busy: page.busy === "publish", busyText: "Saving…", onClick: () => run(close) })}</div>`,
  { label: title });
}

function choice({ when, day, time }, set) {
  const items = [{ value: "now", label: "Now" }, { value: "later", label: "Later" }];
  const part = (name, label, type, value) =>
    field({ name, label, type, value, max: "9999-12-31", required: true,
      onInput: (text) => text && set({ [name]: text }) });
  const choose = (value) => set({ when: value });
  return html`${segments({ label: "When", name: "when", items, value: when, onChange: choose })}
    ${when === "now" ? nothing : html`<div class="two-fields">
      ${part("day", "Date", "date", day)} ${part("time", "Time", "time", time)}</div>`}`;
}

function consequence({ when, day, time }) {
  if (when === "now") return html`<p>Goes live <strong>now</strong>, for readers, feeds and search.</p>`;
  const at = toInstant(day, time);
  const words = `${formatLongDay(at)} at ${formatTime(at)}`;
  const far = distance(at).replace(/^./, (letter) => letter.toUpperCase());
  return html`<p>Goes live ${at > Date.now() ? "on" : "now, dated"} <strong>${words}</strong>.</p>
    <p class="help">${far}. Time zone of the site: ${session().site.time_zone}</p>`;
}

// Checks warn and never forbid.
function checks(page, close) {
  const { document: text } = page;
  const { tasks, pictures } = findOpenEnds(page.area.text);
  const line = (isGood, words, place) => html`<li>
    ${isGood ? icon("check", "good") : icon("triangle-alert", "warn")}
    <span>${words} ${place ? html`<button type="button" class="link-button"
      @click=${() => (close(), page.showText(place.from, place.to))}>Show</button>` : nothing}</span></li>`;
  const missing = [!text.excerpt && "excerpt", !text.tags.length && "tag"].filter(Boolean).join(" and no ");
  return html`<ul class="checks">
    ${text.title.trim() ? line(true, `/articles/${slugOf(page)}`) : line(false, "The title is missing.")}
    ${missing ? line(false, `No ${missing} is set.`)
      : line(true, `Excerpt, category and ${count(text.tags.length, "tag")} are set`)}
    ${tasks.count
      ? line(false, `${count(tasks.count, "task in the text is", "tasks in the text are")} open.`, tasks)
      : nothing}
    ${pictures.count
      ? line(false, `${count(pictures.count, "picture")} without alternative text.`, pictures)
      : nothing}
  </ul>`;
}

// Open the menu beside the main button. `more` are further items that the bar of a phone does not show.
export function openActions(anchor, page, more = []) {
  const { status, working_copy: edits } = page.article ?? {};
  const act = (label, icon, status, words) =>
    ({ label, icon, action: () => publish(page, { status }, words) });
  openMenu(anchor, [
    ...more,
    status === "published" && act("Unpublish", "undo-2", "draft", BACK),
    status === "scheduled" && act("Back to draft", "undo-2", "draft", BACK),
    status !== "archived" && act("Archive", "archive", "archived", "Archived"),
    status !== "published" && { label: "Copy a preview link", icon: "share-2", action: () => share(page) },
    status !== "draft" && edits && {
      label: "Discard the edits", icon: "trash-2", risk: true, action: () => page.discard() },
  ], "More actions");
}

// Publish from a menu, which has no place for a problem.
async function publish(page, body, words) {
  const isDone = await page.publish(body, words);
  if (!isDone && page.problem) toast(page.problem);
  return isDone;
}

async function share(page) {
  const { status = "draft" } = page.article ?? {};
  if (status !== "archived" && !(await publish(page, status === "draft" ? { status } : {}))) return;
  const answer = await page.act("share", () => post(`${page.path}preview/`));
  if (!answer) return toast(page.problem);
  const link = new URL(answer.data.url, location).href;
  const copied = await copyText(link).then(() => "Copied.", () => link);
  toast(`${copied} Whoever has the link can read this article until ${formatDay(answer.data.expires)}.`);
}
