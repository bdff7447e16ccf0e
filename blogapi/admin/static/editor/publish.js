/** How the editor offers the actions that change the status of an article, and those of its menu. */

import { html, nothing } from "../vendor/lit.js";
import { ACTIONS, listActions, MAIN_ACTIONS } from "../actions.js";
import { post } from "../api.js";
import { button, icon, problem } from "../components.js";
import { confirmRisk, copyText, openPopover, toast } from "../dialogs.js";
import { count, formatDay, toInstant } from "../format.js";
import { whenReadersSee } from "../webhooks/following.js";
import { describeAddress, isPage, ITEM, pathOf } from "./article.js";
import { duplicate } from "./duplicate.js";
import { findBrokenLinks } from "./link-picker.js";
import { findUndescribed } from "./blocks.js";
import { findLibraryText } from "./inline.js";
import { findMissing } from "./custom-fields.js";
import { findOpenTasks } from "./markdown.js";
import { makeTimeForm, renderTime } from "./publish-time.js";

const UNTITLED = {
  title: "Publish without a title?",
  text: "Readers, feeds and search engines see “Untitled”, and the address is made from it.",
};
const UPDATES = `Readers see the new text ${whenReadersSee()}. The former one stays in the history.`;
const CONSEQUENCES = {
  published: UPDATES,
  unlisted: UPDATES,
  archived: "It becomes a draft again. Readers see it when you publish it.",
};

/** Open the popover of the main button of the page, which is an Editor. */
export function openPublish(anchor, page) {
  const { status, published_at: time } = page.article ?? { status: "draft" };
  const main = MAIN_ACTIONS[status];
  const consequence = CONSEQUENCES[status];
  const form = makeTimeForm(status === "scheduled" ? time : null);
  const set = (fields) => {
    Object.assign(form, fields);
    popover?.update();
    page.schedulePreview(0, form.isLater ? toInstant(form.day, form.time) : new Date());
  };
  const chooseAction = () => {
    if (consequence) return main;
    const isAhead = form.isLater && toInstant(form.day, form.time).getTime() > Date.now();
    if (!isAhead) return ACTIONS.publish;
    return ACTIONS.schedule.from.includes(status) ? ACTIONS.schedule : ACTIONS.reschedule;
  };
  const run = async (close) => {
    const untitled = { ...UNTITLED, action: `${main.name} without a title` };
    const asks = status !== "archived" && !page.edits.title.trim();
    if (asks && !(await confirmRisk(untitled))) return;
    const at = !consequence && form.isLater ? toInstant(form.day, form.time) : null;
    if (await page.publish(chooseAction(), at)) close();
  };
  /** @type {{words: string, place: {from: number, to: number}}[]} */
  let broken = [];
  const label = `${main.name} this ${ITEM}`;
  const seenBy = isPage ? "readers and search" : undefined;
  const draw = (close) => html`<h2>${label}</h2>
    ${consequence ? html`<div class="consequence">${consequence}</div>` : renderTime(form, set, seenBy)}
    ${status === "archived" ? nothing : checks(page, close, broken)} ${problem(page.problem)}
    <div class="popover-buttons">${button("Cancel", () => close(), { kind: "bare" })}
      ${button(chooseAction().name, () => run(close), look())}</div>`;
  const look = () => ({ kind: "main", busy: page.busy === "publish", busyText: "Saving…" });
  const popover = openPopover(anchor, draw, { label });
  if (!popover) return;
  findBrokenLinks(page.area.field.getText()).then((found) => {
    broken = found;
    popover.update();
  });
  popover.result.then(() => page.schedulePreview());
}

const MAX_PICTURES = 5;
const describePicture = ({ caption }, n) => `No alternative text: ${caption ? `“${caption}”` : `picture ${n + 1}`}.`;

const PLAYERS = ", because it is no player that may be embedded";
const describeRemoved = (name) => `Readers do not get <${name}>${name === "iframe" ? PLAYERS : ""}.`;

const SHOWN_AS_TEXT = "Readers see the markup of the text, because it takes too long to render.";

function findTag(text, name) {
  const from = text.search(new RegExp(`<${name}\\b`, "i"));
  return from < 0 ? null : { from, to: from + name.length + 1 };
}

// Checks warn and never forbid.
function checks(page, close, broken) {
  const { edits, rendered } = page;
  const { title, excerpt, tags } = edits;
  const text = page.area.field.getText();
  const tasks = findOpenTasks(text);
  const pictures = findUndescribed(text).filter(({ address }) => !findLibraryText(address));
  const excerptWords = excerpt ? "Excerpt" : "Excerpt from the text";
  const good = (words) => html`<li>${icon("check", "good")}<span>${words}</span></li>`;
  const warn = (words, place) => {
    const show = () => (close(), page.showText(place.from, place.to));
    const link = place && html`<button type="button" class="link-button" @click=${show}>Show</button>`;
    return html`<li>${icon("triangle-alert", "warn")}<span>${words} ${link}</span></li>`;
  };
  const taken = describeAddress(page);
  const tasksOpen = `${count(tasks.count, "task in the text is", "tasks in the text are")} open.`;
  const address = html`<span class="address">${rendered?.url ?? rendered?.slug}</span>`;
  const set = `${excerptWords}, category and ${count(tags.length, "tag")} are set`;
  const lists = tags.length ? good(set) : warn("No tag is set.");
  return html`<ul class="checks">
    ${title.trim() ? (taken ? warn(taken) : good(address)) : warn("The title is missing.")}
    ${isPage ? nothing : lists}
    ${findMissing(edits.custom ?? {}).map(({ label }) => warn(`${label} is missing.`))}
    ${tasks.count ? warn(tasksOpen, tasks) : nothing}
    ${pictures.slice(0, MAX_PICTURES).map((place, n) => warn(describePicture(place, n), place))}
    ${pictures.length > MAX_PICTURES ? warn(`${pictures.length - MAX_PICTURES} more have none.`) : nothing}
    ${rendered?.shown_as_text ? warn(SHOWN_AS_TEXT) : nothing}
    ${(rendered?.removed ?? []).map((name) => warn(describeRemoved(name), findTag(text, name)))}
    ${broken.map(({ words, place }) => warn(words, place))}</ul>`;
}

/** Return the items of the menu beside the main button. A menu has no place for a problem. */
export function menuItems(page) {
  const article = page.article ?? { status: "draft" };
  const edits = article.working_copy || page.saver.isDirty;
  const { status } = article;
  const isPublic = status === "published" || status === "unlisted";
  const item = (label, icon, run, risk) => {
    const action = () => run().then(() => page.problem && toast(page.problem));
    return { label, icon, risk, action };
  };
  // The others have the main button.
  const others = listActions(article).filter((action) => !Object.values(MAIN_ACTIONS).includes(action));
  const live = isPublic && article.url;
  const copy = () => page.act("duplicate", () => page.store().then(() => duplicate(page.uuid)));
  return [
    ...(page.article ? others : []).map((action) => item(action.name, action.icon, () => page.publish(action))),
    live && { label: `See the ${ITEM}`, icon: "external-link", href: live, target: "_blank" },
    page.article && item("Duplicate", "copy", copy),
    page.article && { label: "Add a translation", icon: "globe", action: () => page.startTranslation() },
    (!isPublic || edits) && item("Copy a preview link", "share-2", () => share(page)),
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
  const link = new URL(answer.data.url, location.href).href;
  const note = `Anyone with the link can read this ${ITEM} until ${formatDay(answer.data.expires)}.`;
  const show = (text) => toast(`${text} ${note}`);
  copyText(link).then(
    () => show("Copied."),
    () => show(link),
  );
}
