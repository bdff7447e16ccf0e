/** The popover of the editor that publishes an article, and the menu beside the main button. */

import { html, nothing } from "../../static/vendor/lit.js";
import { ACTIONS, listActions, MAIN_ACTIONS } from "../actions.js";
import { del, post } from "../api.js";
import { icon, problemAlert } from "../components.js";
import { confirmRisk, copyText, openPopover, dialogButtons, toast } from "../dialogs.js";
import { formatCount, formatDay } from "../format.js";
import { hasBin } from "../pages/items.js";
import { mayChangeItem } from "../roles.js";
import { describeDelay } from "../webhooks/on-its-way.js";
import { describeAddressProblem, isPage, ITEM, getItemPath } from "./article.js";
import { duplicateItem } from "./duplicate.js";
import { findBrokenLinks } from "./link-picker.js";
import { findUndescribedPictures } from "./blocks.js";
import { isDescribedInLibrary } from "./media-files.js";
import { findMissingFields } from "./custom-fields.js";
import { findOpenTasks } from "./markdown.js";
import { PublishTimeForm } from "./publish-time.js";

const UNTITLED_QUESTION = {
  title: "Publish without a title?",
  text: "Readers, feeds and search engines see “Untitled”, and the address is made from it.",
};
const DRAFT_AGAIN_NOTE = "It becomes a draft again. Readers see it when you publish it.";
const describeUpdate = () => `Readers see the new text ${describeDelay()}. The former one stays in the history.`;

/** Open the popover of the main button. @param {HTMLElement} anchor @param {EditorPage} page */
export function openPublishPopover(anchor, page) {
  /** @type {{status: Status, published_at?: string | null}} */
  const { status, published_at } = page.article ?? { status: "draft" };
  const main = MAIN_ACTIONS[status];
  const consequence = status === "archived" ? DRAFT_AGAIN_NOTE : main === ACTIONS.update && describeUpdate();
  const showChosenTime = () => {
    popover?.update();
    page.schedulePreview(0, time.instant ?? new Date());
  };
  const time = new PublishTimeForm(showChosenTime, status === "scheduled" ? published_at : null);
  const chooseAction = () => {
    if (consequence) return main;
    if (!time.isFuture) return ACTIONS.publish;
    return ACTIONS.schedule.from.includes(status) ? ACTIONS.schedule : ACTIONS.reschedule;
  };
  /** @param {Close} close */
  const runMainAction = async (close) => {
    const untitled = { ...UNTITLED_QUESTION, action: `${main.name} without a title` };
    const asks = status !== "archived" && !page.edits.title.trim();
    if (asks && !(await confirmRisk(untitled))) return;
    if (await page.runAction(chooseAction(), consequence ? null : time.instant)) close();
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
const describeNoAlt = ({ caption }, n) => `No alternative text: ${caption ? `“${caption}”` : `picture ${n + 1}`}.`;

const PLAYER_NOTE = ": of embedded pages, only players of known sites are shown";
/** @param {string} name of an element */
const describeRemovedElement = (name) => `Readers do not get <${name}>${name === "iframe" ? PLAYER_NOTE : ""}.`;

const SHOWN_AS_TEXT = "Readers see the markup of the text, because it takes too long to render.";

/** @param {string} text @param {string} name */
function findTagRange(text, name) {
  const from = text.search(new RegExp(`<${name}\\b`, "i"));
  return from < 0 ? null : { from, to: from + name.length + 1 };
}

/**
 * Render the checks before publishing. Their warnings do not prevent publishing.
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
    const showRange = () => (close(), page.showTextRange(range?.from, range?.to));
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
    ${pictures.slice(0, MAX_PICTURES).map((picture, n) => renderWarning(describeNoAlt(picture, n), picture))}
    ${pictures.length > MAX_PICTURES ? renderWarning(`${pictures.length - MAX_PICTURES} more lack a text.`) : nothing}
    ${rendered?.shown_as_text ? renderWarning(SHOWN_AS_TEXT) : nothing}
    ${removed.map((tag) => renderWarning(describeRemovedElement(tag), findTagRange(text, tag)))}
    ${linkWarnings.map(({ words, range }) => renderWarning(words, range))}</ul>`;
}

/** Return the items of the menu beside the main button. @param {EditorPage} page @returns {MenuItems} */
export function listEditorActions(page) {
  const article = page.article ?? { status: "draft" };
  const edits = article.working_copy || page.saver.isDirty;
  const { status } = article;
  const isPublic = status === "published" || status === "unlisted";
  /** @param {string} label @param {string | undefined} icon @param {() => Promise<any>} run @param {boolean} [risk] */
  const makeItem = (label, icon, run, risk) => {
    // A toast shows the problem, because the menu is closed then.
    return { label, icon, risk, action: () => run().then(() => page.problem && toast(page.problem)) };
  };
  // The main button offers the actions in MAIN_ACTIONS.
  const others = listActions(article).filter((action) => !Object.values(MAIN_ACTIONS).includes(action));
  const live = isPublic && article.url;
  const duplicatePage = () => page.runTask("duplicate", () => page.ensureSaved().then(() => duplicateItem(page.uuid)));
  return [
    ...(page.article ? others : []).map((action) => makeItem(action.name, action.icon, () => page.runAction(action))),
    live && { label: `See the ${ITEM}`, icon: "external-link", href: live, target: "_blank" },
    page.article && makeItem("Duplicate", "copy", duplicatePage),
    page.article && { label: "Add a translation", icon: "globe", action: () => page.startTranslation() },
    (!isPublic || edits) && makeItem("Copy a preview link", "share-2", () => copyPreviewLink(page)),
    status !== "draft" && edits && makeItem("Discard the edits", "trash-2", () => page.discardEdits(), true),
    page.article && mayChangeItem(page.article) && makeItem("Delete", "trash-2", () => deleteItem(page), true),
  ];
}

/** Delete the item, and load the page again, which then offers to restore the item. @param {EditorPage} page */
async function deleteItem(page) {
  const text = "There is no undo. Its versions stay in the database and in its backups.";
  if (!hasBin && !(await confirmRisk({ title: `Delete this ${ITEM}?`, text, action: "Delete" }))) return;
  await page.runTask("delete", async () => {
    await page.ensureSaved();
    await del(getItemPath(page.uuid), { etag: "*" });
    location.reload();
  });
}

/** Copy a link that shows the saved edits. @param {EditorPage} page */
async function copyPreviewLink(page) {
  const answer = await page.runTask("share", async () => {
    await page.ensureSaved();
    return post(`${getItemPath(page.uuid)}preview/`);
  });
  if (!answer) return;
  const link = new URL(answer.data.url, location.href).href;
  const note = `Anyone with the link can read this ${ITEM} until ${formatDay(answer.data.expires)}.`;
  const copied = copyText(link).then(() => "Copied.");
  toast(`${await copied.catch(() => link)} ${note}`);
}
