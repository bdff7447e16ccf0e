/** The dialog of a conflict: two versions of one article, which differ. */

import { button, icon } from "../components.js";
import { copyButton, openDialog } from "../dialogs.js";
import { count, formatTime } from "../format.js";
import { html, nothing } from "../vendor/lit.js";
import { compareLines, compareWords, diffFields } from "./differences.js";

/**
 * @typedef {import("./edits.js").Edits} Edits
 * @typedef {import("../format.js").Stamp} Stamp
 * @typedef {import("./differences.js").FieldChange} FieldChange
 * @typedef {import("./differences.js").TextChange} TextChange
 * @typedef {TextChange & {name?: string, label?: string}} Place
 */

const DECIDED = html`<p class="soft">All places are decided. Your merged text becomes the article; both
  versions stay in the history.</p>`;

/**
 * Ask which version the article gets. mine, theirs: bodies of a working copy; names: the names of terms by
 * uuid.
 *
 * Returns a promise of the choice, and of the chosen body or null.
 * @param {{mine: Edits, theirs: Edits, person: string, theirTime: Stamp, myName: string, myTime: Stamp,
 *   names: Record<string, string>}} question
 * @returns {Promise<{choice: "mine" | "theirs" | "merged" | "later", fields: any}>}
 */
export async function openConflict({ mine, theirs, person, theirTime, myName, myTime, names }) {
  const fields = diffFields(theirs, mine, names).filter(({ name }) => name !== "content");
  const lines = compareLines(theirs.content, mine.content);
  /** @type {Place[]} */
  const places = [...fields, ...lines.filter((part) => !("equal" in part))];
  if (!places.length) return { choice: "theirs", fields: theirs };
  const [theirName, differ] = [`${person}’s`, count(places.length, "place")];
  // While merging, the index of the place to decide; before that, -1.
  let at = -1;

  const go = (/** @type {number} */ to) => {
    at = to;
    dialog.update();
    /** @type {any} */ (dialog.element.querySelector(".conflict-side, .main, .conflict-option")).focus();
  };
  const choose = (/** @type {string} */ side) => {
    places[at].side = side;
    go(at + 1);
  };
  const frame = (/** @type {string} */ label, /** @type {unknown} */ inner) =>
    html`<div class="conflict-lines" tabindex="0" role="group" aria-label=${label}>${inner}</div>`;
  const place = (/** @type {Place} */ part) => renderPlace(part, person);
  /** @type {(part: TextChange, n: number) => unknown} */
  const line = (part, n) =>
    "equal" in part ? renderEqual(part.equal ?? "", n > 0, n < lines.length - 1) : place(part);

  /** @typedef {(choice: string, chosen?: Edits) => void} End */
  const renderChoices = (/** @type {End} */ end) => html`
    <p class="soft">${theirName} version is from ${formatTime(theirTime)}, yours from ${formatTime(myTime)}.
      They differ in ${differ}. Whatever you choose, both stay in the history.</p>
    ${frame("Differences", [fields.map(place), lines.map(line)])}
    <div class="conflict-options">
      ${option("git-merge", "Merge", steps, () => go(0), true)}
      ${option("user", "Keep mine", keep("Your", theirName, person, theirTime), () => end("mine", mine))}
      ${option("users", `Take ${theirName}`, keep("Their", "Yours", myName, myTime), () => end("theirs", theirs))}
    </div>`;
  const steps = `Go through the ${differ} one by one. Nothing is saved before you finish.`;
  /** @type {(whose: string, other: string, name: string, time: Stamp) => string} */
  const keep = (whose, other, name, time) => `${whose} text becomes the article. ${other} stays in the history,
    named “${name}, ${formatTime(time)}”.`;

  const renderStep = (/** @type {Place} */ { name, ...part }) => {
    const side = (/** @type {string} */ key, /** @type {string} */ text) =>
      button(text, () => choose(key), { class: "button conflict-side" });
    return html`<p class="soft">Place ${at + 1} of ${places.length}</p>
      ${frame(`Place ${at + 1}`, place(part))}
      <div class="actions">${side("mine", "Mine")} ${side("theirs", theirName)}
        ${!name || Array.isArray(mine[/** @type {keyof Edits} */ (name)]) ? side("both", "Both") : nothing}</div>`;
  };

  const content = (/** @type {import("../dialogs.js").Close} */ close) => {
    /** @type {End} */
    const end = (choice, chosen) => close({ choice, fields: chosen ?? null });
    const save = () => end("merged", merge(mine, theirs, lines, fields));
    const isDecided = at === places.length;
    /** @type {typeof button} */
    const act = (text, onClick, more) => button(text, onClick, { kind: "bare", ...more });
    return html`${at < 0 ? renderChoices(end) : isDecided ? DECIDED : renderStep(places[at])}
      <div class="dialog-buttons">
        ${at < 0 ? nothing : act("Back", () => go(at - 1), { icon: "arrow-left" })}
        <span class="soft">Until you choose, your text is kept in this browser.</span>
        ${copyButton(mine.content, { label: "Copy my text", kind: "bare" })}
        ${act("Decide later", () => end("later"))}
        ${isDecided ? act("Save merged text", save, { kind: "main" }) : nothing}</div>`;
  };
  const title = `${person} saved this article while you were writing`;
  const dialog = openDialog({ title, kind: "wide conflict", content });
  return (await dialog.result) ?? { choice: "later", fields: null };
}

/** @type {(name: string, title: string, text: string, act: () => void, isFirst?: boolean) => unknown} */
const option = (name, title, text, act, isFirst = false) =>
  html`<button type="button" class="conflict-option" ?autofocus=${isFirst} @click=${act}>
    <strong>${icon(name, "accent")} ${title}</strong><span class="soft">${text}</span></button>`;

/**
 * One line before and one after a change show where it is.
 * @param {string} text @param {boolean} isAfter @param {boolean} isBefore
 */
function renderEqual(text, isAfter, isBefore) {
  const texts = text.replace(/\n$/, "").split("\n");
  const lines = texts.map((line) => renderLine("", "", line));
  const hidden = lines.slice(Number(isAfter), lines.length - Number(isBefore));
  const fold = html`<p class="conflict-equal">${count(hidden.length, "equal line")}</p>`;
  return hidden.length < 2 ? lines : lines.toSpliced(Number(isAfter), hidden.length, fold);
}

/** @param {Place} place @param {string} person */
function renderPlace({ label, before, after }, person) {
  const words = compareWords(before, after);
  const mark = (/** @type {string} */ text) => text && html`<mark>${text}</mark>`;
  /** @type {(side: string, who: string, name: "before" | "after") => unknown} */
  const line = (side, who, name) => {
    const inner = words.map((part) => part.equal ?? mark(part[name]));
    return renderLine(side, label ? `${who}: ${label}` : who, inner);
  };
  return [(label || before) && line("yours", person, "before"), (label || after) && line("mine", "You", "after")];
}

/** @param {string} side @param {string} who @param {unknown} text */
const renderLine = (side, who, text) =>
  html`<div class="conflict-line ${side}"><b>${who}</b><span dir="auto">${text}</span></div>`;

/**
 * Return the body with the chosen side of each place.
 * @param {any} mine @param {any} theirs @param {TextChange[]} lines @param {FieldChange[]} fields
 */
function merge(mine, theirs, lines, fields) {
  const merged = structuredClone(mine);
  for (const { name, side } of fields.filter((field) => field.side !== "mine")) {
    const [key, inner] = name.split(".");
    if (inner) merged[key][inner] = theirs[key][inner];
    else merged[key] = side === "both" ? [...new Set([...theirs[key], ...mine[key]])] : theirs[key];
  }
  const join = (/** @type {string} */ before, /** @type {string} */ after) =>
    (before && after ? before.replace(/\n?$/, "\n") : before) + after;
  const take = (/** @type {TextChange} */ { equal, before, after, side = "" }) =>
    equal ?? { mine: after, theirs: before, both: join(before, after) }[side];
  return { ...merged, content: lines.map(take).join("") };
}
