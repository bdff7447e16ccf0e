/** The save state of the editor in words. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get } from "../api.js";
import { icon } from "../components.js";
import { countDaysTo, formatDay, formatTime } from "../format.js";
import { hasRole } from "../roles.js";
import { getSession } from "../shell.js";
import { ITEM } from "./article.js";

/** The icon and the text of each state. @type {Record<string, [string, (saver: any, journal: any) => string]>} */
const STATE_TEXTS = {
  saved: ["check", ({ time }) => (time ? `Saved ${countDaysTo(time) ? formatDay(time) : formatTime(time)}` : "")],
  unsaved: ["pen-line", () => "Not saved yet"],
  saving: ["refresh-cw", () => "Saving…"],
  offline: ["cloud-off", (_, { isKept }) => `Offline: ${isKept ? "kept in this browser" : "not kept, copy your text"}`],
  conflict: ["triangle-alert", () => "Conflict: choose a version"],
  refused: [
    "triangle-alert",
    ({ problem }) => `Not saved: ${problem.loss?.words ?? STATUS_REASONS[problem.status] ?? problem.message}`,
  ],
};
/** @type {Record<number, string>} */
const STATUS_REASONS = { 401: "your login has ended" };
// The reasons why a text can no longer be saved: the words for the save state, and a sentence.
const LOSS_TEXTS = {
  deleted: { words: `the ${ITEM} was deleted`, sentence: `This ${ITEM} was deleted while you were writing.` },
  role: { words: "your role has changed", sentence: `Your role has changed: you may not change this ${ITEM} now.` },
  hidden: { words: `the ${ITEM} is not yours now`, sentence: `This ${ITEM} was deleted, or is not yours any more.` },
};

/**
 * Throw the error again; if the text can no longer be saved, `error.loss` is the reason. The reason does not reveal to
 * authors whether a hidden item exists.
 * @param {any} error @returns {Promise<never>}
 */
export async function rethrowWithReason(error) {
  if (![403, 404].includes(error.status)) throw error;
  const { user } = getSession();
  const { data: now } = await get("auth/me/", { signInAgain: false }).catch(() => ({ data: user }));
  const isDeleted = error.code === "deleted" || hasRole("editor");
  if (now.role !== user.role) error.loss = { ...LOSS_TEXTS.role, isReader: now.role === "reader" };
  else if (error.status === 404) error.loss = isDeleted ? LOSS_TEXTS.deleted : LOSS_TEXTS.hidden;
  throw error;
}

/** @param {string} state */
export const isProblemState = (state) => ["offline", "conflict", "refused"].includes(state);

/** @typedef {import("./article-page.js").ArticlePage} ArticlePage */

/** Return the words for the save state of the page; "" for a new article. @param {ArticlePage} page */
export const describeSaveState = ({ saver, journal }) => STATE_TEXTS[saver.state][1](saver, journal);

/** @param {ArticlePage} page */
export function renderSaveState(page) {
  const { state } = page.saver;
  const words = describeSaveState(page);
  const inner = words ? html`${icon(STATE_TEXTS[state][0])}<span>${words}</span>` : nothing;
  return state === "conflict"
    ? html`<button type="button" class="save-state" @click=${() => page.mergeWithTheirs()}>${inner}</button>`
    : html`<span class="save-state">${inner}</span>`;
}
