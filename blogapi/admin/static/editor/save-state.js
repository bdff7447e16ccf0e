/** The save state of the editor in words. */

import { html, nothing } from "../vendor/lit.js";
import { icon } from "../components.js";
import { daysFromToday, formatDay, formatTime } from "../format.js";
import { ITEM } from "./article.js";

const STATES = {
  saved: ["check", ({ time }) => (time ? `Saved ${daysFromToday(time) ? formatDay(time) : formatTime(time)}` : "")],
  unsaved: ["pen-line", () => "Not saved yet"],
  saving: ["refresh-cw", () => "Saving…"],
  offline: ["cloud-off", (_, { keeps }) => `Offline: ${keeps ? "kept in this browser" : "not kept, copy your text"}`],
  conflict: ["triangle-alert", () => "Conflict: choose a version"],
  refused: ["triangle-alert", ({ problem: { status, message } }) => `Not saved: ${WHY[status] ?? message}`],
};
const WHY = { 401: "your login has ended", 404: `the ${ITEM} was deleted` };

export const isTrouble = (state) => ["offline", "conflict", "refused"].includes(state);

/** Return the words for the state of a Saver and a Journal; "" for a new article. */
export const stateWords = ({ saver, journal }) => STATES[saver.state][1](saver, journal);

/** `page` has saver, journal and decide(). */
export function saveState(page) {
  const { state } = page.saver;
  const words = stateWords(page);
  const inner = words ? html`${icon(STATES[state][0])}<span>${words}</span>` : nothing;
  return state === "conflict"
    ? html`<button type="button" class="save-state" @click=${() => page.decide()}>${inner}</button>`
    : html`<span class="save-state">${inner}</span>`;
}
