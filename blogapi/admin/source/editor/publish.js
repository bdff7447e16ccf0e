/** The actions of the editor that change the status of an article, and the other actions of its menu. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ACTIONS, listActions, MAIN_ACTIONS } from "../actions.js";
import { del, post } from "../api.js";
import { icon, problemAlert } from "../components.js";
import { confirmRisk, copyText, openPopover, dialogButtons, toast } from "../dialogs.js";
import { formatCount, formatDay } from "../format.js";
import { hasBin } from "../pages/lists.js";
import { mayChange } from "../roles.js";
import { whenReadersSee } from "../webhooks/following.js";
import { describeAddressProblem, isPage, ITEM, getPath } from "./article.js";
import { duplicateItem } from "./duplicate.js";
import { findBrokenLinks } from "./link-picker.js";
import { findUndescribedPictures } from "./blocks.js";
import { isDescribedInLibrary } from "./files.js";
import { findMissingFields } from "./custom-fields.js";
import { findOpenTasks } from "./markdown.js";
import { TimeForm } from "./publish-time.js";

const UNTITLED = {
  title: "Publish without a title?",
  text: "Readers, feeds and search engines see “Untitled”, and the address is made from it.",
};
const DRAFT_AGAIN = "It becomes a draft again. Readers see it when you publish it.";
const describeUpdate = () => `Readers see the new text ${whenReadersSee()}. The former one stays in the history.`;

/** Open the popover of the main button. @param {HTMLElement} anchor @param {EditorPage} page */
export function openPublishPopover(anchor, page) {
  /** @type {{status: Status, published_at?: string | null}} */
  const { status, published_at } = page.article ?? { status: "draft" };
  const main = MAIN_ACTIONS[status];
  const consequence = status === "archived" ? DRAFT_AGAIN : main === ACTIONS.update && describeUpdate();
  const showChosenTime = () => {
    popover?.update();
    page.schedulePreview(0, time.instant ?? new Date());
  };
  const time = new TimeForm(showChosenTime, status === "scheduled" ? published_at : null);
  const chooseAction = () => {
    if (consequence) return main;
    if (!time.isAhead) return ACTIONS.publish;
    return ACTIONS.schedule.from.includes(status) ? ACTIONS.schedule : ACTIONS.reschedule;
  };
  /** @param {Close} close */
  const runMainAction = async (close) => {
    const untitled = { ...UNTITLED, action: `${main.name} without a title` };
    const asks = status !== "archived" && !page.edits.title.trim();
    if (asks && !(await confirmRisk(untitled))) return;
    if (await page.publish(chooseAction(), consequence ? null : time.instant)) close();
  };
  /** @type {Warning[]} */
  let linkWarnings = [];
  const label = `${main.name} this ${ITEM}`;
  const audience = isPage ? "readers and search" : undefined;
  const renderPopover = (/** @type {Close} */ close) => html`<h2>${label}</h2>
    ${consequence ? html`<div class="consequence">${consequence}</div>` : time.render(audience)}
    ${status === "archived" ? nothing : renderChecks(page, close, linkWarnings)} ${problemAlert(page.problem)}
    ${dialogButtons(close, chooseAction().name, () => runMainAction(close), getButtonOptions())}`;
  const getButtonOptions = () => ({ busy: page.busy === "publish", busyText: "Saving…" });
  const popover = openPopover(anchor, renderPopover, { label });
  if (!popover) return;
  findBrokenLinks(page.area.field.getText()).then((found) => {
    linkWarnings = found;
    popover.update();
  });
  popover.result.then(() => page.schedulePreview());
}

const MAX_PICTURES = 5;
/** @param {{caption: string}} picture @param {number} n */
const describePicture = ({ caption }, n) => `No alternative text: ${caption ? `“${caption}”` : `picture ${n + 1}`}.`;

const PLAYERS = ": of embedded pages, only players of known sites are shown";
/** @param {string} name of an element */
const describeRemoved = (name) => `Readers do not get <${name}>${name === "iframe" ? PLAYERS : ""}.`;

const SHOWN_AS_TEXT = "Readers see the markup of the text, because it takes too long to render.";

/** @param {string} text @param {string} name */
function findTagRange(text, name) {
  const from = text.search(new RegExp(`<${name}\\b`, "i"));
  return from < 0 ? null : { from, to: from + name.length + 1 };
}

/**
 * The checks before publishing; they warn, but prevent nothing.
 * @param {EditorPage} page @param {Close} close @param {Warning[]} linkWarnings
 */
function renderChecks(page, close, linkWarnings) {
  const { edits, rendered } = page;
  const { title, excerpt, tags } = edits;
  const text = page.area.field.getText();
  const tasks = findOpenTasks(text);
  const pictures = findUndescribedPictures(text).filter(({ address }) => !isDescribedInLibrary(address));
  /** @type {string[]} */
  const removed = rendered?.removed ?? [];
  const excerptWords = excerpt ? "Excerpt" : "Excerpt from the text";
  const renderGood = (/** @type {Renderable} */ words) => html`<li>${icon("check", "good")}<span>${words}</span></li>`;
  /** @param {string} words @param {TextRange | null} [range] */
  const renderWarning = (words, range) => {
    const showRange = () => (close(), page.showText(range?.from, range?.to));
    const link = range && html`<button type="button" class="link-button" @click=${showRange}>Show</button>`;
    return html`<li>${icon("triangle-alert", "warn")}<span>${words} ${link}</span></li>`;
  };
  const taken = describeAddressProblem(page);
  const tasksOpen = `${formatCount(tasks.count, "task in the text is", "tasks in the text are")} open.`;
  const address = html`<span class="address">${rendered?.url ?? rendered?.slug}</span>`;
  const set = `${excerptWords}, category and ${formatCount(tags.length, "tag")} are set`;
  const lists = tags.length ? renderGood(set) : renderWarning("No tag is set.");
  return html`<ul class="checks">
    ${title.trim() ? (taken ? renderWarning(taken) : renderGood(address)) : renderWarning("The title is missing.")}
    ${isPage ? nothing : lists}
    ${findMissingFields(edits.custom ?? {}).map(({ label }) => renderWarning(`${label} is missing.`))}
    ${tasks.count ? renderWarning(tasksOpen, tasks) : nothing}
    ${pictures.slice(0, MAX_PICTURES).map((picture, n) => renderWarning(describePicture(picture, n), picture))}
    ${pictures.length > MAX_PICTURES ? renderWarning(`${pictures.length - MAX_PICTURES} more have none.`) : nothing}
    ${rendered?.shown_as_text ? renderWarning(SHOWN_AS_TEXT) : nothing}
    ${removed.map((tag) => renderWarning(describeRemoved(tag), findTagRange(text, tag)))}
    ${linkWarnings.map(({ words, range }) => renderWarning(words, range))}</ul>`;
}

/** Return the items of the menu beside the main button. @param {EditorPage} page @returns {MenuItems} */
export function listMenuItems(page) {
  const article = page.article ?? { status: "draft" };
  const edits = article.working_copy || page.saver.isDirty;
  const { status } = article;
  const isPublic = status === "published" || status === "unlisted";
  /** @param {string} label @param {string | undefined} icon @param {() => Promise<any>} run @param {boolean} [risk] */
  const makeMenuItem = (label, icon, run, risk) => {
    // A toast shows the problem, because a menu cannot.
    return { label, icon, risk, action: () => run().then(() => page.problem && toast(page.problem)) };
  };
  // The actions in MAIN_ACTIONS are the main button.
  const others = listActions(article).filter((action) => !Object.values(MAIN_ACTIONS).includes(action));
  const live = isPublic && article.url;
  const duplicatePage = () => page.act("duplicate", () => page.ensureSaved().then(() => duplicateItem(page.uuid)));
  return [
    ...(page.article ? others : []).map((action) => makeMenuItem(action.name, action.icon, () => page.publish(action))),
    live && { label: `See the ${ITEM}`, icon: "external-link", href: live, target: "_blank" },
    page.article && makeMenuItem("Duplicate", "copy", duplicatePage),
    page.article && { label: "Add a translation", icon: "globe", action: () => page.startTranslation() },
    (!isPublic || edits) && makeMenuItem("Copy a preview link", "share-2", () => copyPreviewLink(page)),
    status !== "draft" && edits && makeMenuItem("Discard the edits", "trash-2", () => page.discard(), true),
    page.article && mayChange(page.article) && makeMenuItem("Delete", "trash-2", () => deleteItem(page), true),
  ];
}

/** Delete the item; its page offers to restore it then. @param {EditorPage} page */
async function deleteItem(page) {
  const text = "There is no undo. Its versions stay in the database and in its backups.";
  if (!hasBin && !(await confirmRisk({ title: `Delete this ${ITEM}?`, text, action: "Delete" }))) return;
  await page.act("delete", async () => {
    await page.ensureSaved();
    await del(getPath(page.uuid), { etag: "*" });
    location.reload();
  });
}

/** Copy a link that shows the saved edits. @param {EditorPage} page */
async function copyPreviewLink(page) {
  const answer = await page.act("share", async () => {
    await page.ensureSaved();
    return post(`${getPath(page.uuid)}preview/`);
  });
  if (!answer) return;
  const link = new URL(answer.data.url, location.href).href;
  const note = `Anyone with the link can read this ${ITEM} until ${formatDay(answer.data.expires)}.`;
  const copied = copyText(link).then(() => "Copied.");
  toast(`${await copied.catch(() => link)} ${note}`);
}
