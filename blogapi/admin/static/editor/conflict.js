/** The dialog of a conflict: two versions of one article, which differ. */

import { button, copyButton, icon, openDialog } from "../components.js";
import { count, formatTime } from "../format.js";
import { html, nothing } from "../vendor/lit.js";
import { compareLines, compareWords, diffFields } from "./differences.js";

const LISTS = ["tags", "authors"];
const DECIDED = html`<p class="soft">All places are decided. Your merged text becomes the article; both
  versions stay in the history.</p>`;

/**
 * Ask which version the article gets. mine, theirs: bodies of a working copy; names: of terms, by uuid.
 *
 * Returns a promise of {choice: "mine", "theirs", "merged" or "later", fields: the chosen body or null}.
 */
export async function openConflict({ mine, theirs, person, theirTime, myName, myTime, names }) {
  const fields = diffFields(theirs, mine, names).filter(({ name }) => name !== "content");
  const lines = compareLines(theirs.content, mine.content);
  const places = [...fields, ...lines.filter((part) => !("equal" in part))];
  if (!places.length) return { choice: "theirs", fields: theirs };
  const [theirName, differ] = [`${person}’s`, count(places.length, "place")];
  // While merging, the index of the place to decide; before that, -1.
  let at = -1;

  const go = (to) => {
    at = to;
    dialog.update();
    dialog.element.querySelector(".conflict-side, .main, .conflict-option").focus();
  };
  const frame = (label, inner) =>
    html`<div class="conflict-lines" tabindex="0" role="group" aria-label=${label}>${inner}</div>`;

  const renderChoices = (end) => html`
    <p class="soft">${theirName} version is from ${formatTime(theirTime)}, yours from ${formatTime(myTime)}.
      They differ in ${differ}. Whatever you choose, both stay in the history.</p>
    ${frame("Differences", [fields.map((field) => renderPlace(field, person)), lines.map((part, n) =>
      "equal" in part ? renderEqual(part.equal, n, lines.length) : renderPlace(part, person))])}
    <div class="conflict-options">
      ${option("git-merge", "Merge", html`Go through the ${differ} one by one. Nothing is saved before you
        finish.`, () => go(0), true)}
      ${option("user", "Keep mine", html`Your text becomes the article. ${theirName} stays in the history,
        named “${person}, ${formatTime(theirTime)}”.`, () => end("mine", mine))}
      ${option("users", `Take ${theirName}`, html`Their text becomes the article. Yours stays in the history,
        named “${myName}, ${formatTime(myTime)}”.`, () => end("theirs", theirs))}</div>`;

  const renderStep = (place) => {
    const choose = (side) => () => {
      place.side = side;
      go(at + 1);
    };
    const sides = [["mine", "Mine"], ["theirs", theirName], ["both", "Both"]];
    const hasBoth = !place.name || LISTS.includes(place.name);
    return html`<p class="soft">Place ${at + 1} of ${places.length}</p>
      ${frame(`Place ${at + 1}`, renderPlace(place, person))}
      <div class="actions">${sides.slice(0, hasBoth ? 3 : 2).map(([side, text]) =>
        button({ text, class: "button conflict-side", onClick: choose(side) }))}</div>`;
  };

  const content = (close) => {
    const end = (choice, chosen = null) => close({ choice, fields: chosen });
    const save = () => end("merged", merge(mine, theirs, lines, places));
    const isDecided = at === places.length;
    const act = (text, onClick, more) => button({ text, kind: "bare", onClick, ...more });
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

const option = (name, title, text, act, isFirst = false) =>
  html`<button type="button" class="conflict-option" ?autofocus=${isFirst} @click=${act}>
    <strong>${icon(name, "accent")} ${title}</strong><span class="soft">${text}</span></button>`;

// One line before and one after a change show where it is.
function renderEqual(text, at, length) {
  const lines = text.replace(/\n$/, "").split("\n").map((line) => renderLine("", "", line));
  const [first, last] = [at ? 1 : 0, lines.length - (at < length - 1 ? 1 : 0)];
  if (last - first < 2) return lines;
  const hidden = html`<p class="conflict-equal">${count(last - first, "equal line")}</p>`;
  return [lines.slice(0, first), hidden, lines.slice(last)];
}

function renderPlace({ label, before, after }, person) {
  const words = compareWords(before, after);
  const mark = (text) => (text ? html`<mark>${text}</mark>` : "");
  const marked = (name) => words.map((part) => part.equal ?? mark(part[name]));
  const line = (side, who, name) => label || { before, after }[name]
    ? renderLine(side, label ? `${who}: ${label}` : who, marked(name)) : nothing;
  return html`${line("yours", person, "before")}${line("mine", "You", "after")}`;
}

const renderLine = (side, who, text) =>
  html`<div class="conflict-line ${side}"><b>${who}</b><span dir="auto">${text}</span></div>`;

// Return the body with the chosen side of each place.
function merge(mine, theirs, lines, places) {
  const merged = structuredClone(mine);
  for (const { name, side } of places.filter((place) => place.name && place.side !== "mine")) {
    const [key, inner] = name.split(".");
    if (inner) merged[key][inner] = theirs[key][inner];
    else merged[key] = side === "both" ? [...new Set([...theirs[key], ...mine[key]])] : theirs[key];
  }
  const join = (before, after) => (before && after ? before.replace(/\n?$/, "\n") : before) + after;
  const take = ({ equal, before, after, side }) =>
    equal ?? { mine: after, theirs: before, both: join(before, after) }[side];
  return { ...merged, content: lines.map(take).join("") };
}
