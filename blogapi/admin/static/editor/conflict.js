/** The dialog of a conflict: two versions of one article, which differ. */

import { button, copyButton, icon, openDialog } from "../components.js";
import { count, formatTime } from "../format.js";
import { html, nothing } from "../vendor/lit.js";
import { compareLines, compareWords, diffFields } from "./differences.js";

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
  const choose = (side) => {
    places[at].side = side;
    go(at + 1);
  };
  const frame = (label, inner) =>
    html`<div class="conflict-lines" tabindex="0" role="group" aria-label=${label}>${inner}</div>`;
  const place = (part) => renderPlace(part, person);
  const line = (part, n) => ("equal" in part ? renderEqual(part.equal, n > 0, n < lines.length - 1) : place(part));

  const renderChoices = (end) => html`
    <p class="soft">${theirName} version is from ${formatTime(theirTime)}, yours from ${formatTime(myTime)}.
      They differ in ${differ}. Whatever you choose, both stay in the history.</p>
    ${frame("Differences", [fields.map(place), lines.map(line)])}
    <div class="conflict-options">
      ${option(
        "git-merge",
        "Merge",
        `Go through the ${differ} one by one. Nothing is saved before you
        finish.`,
        () => go(0),
        true,
      )}
      ${option(
        "user",
        "Keep mine",
        `Your text becomes the article. ${theirName} stays in the history,
        named “${person}, ${formatTime(theirTime)}”.`,
        () => end("mine", mine),
      )}
      ${option(
        "users",
        `Take ${theirName}`,
        `Their text becomes the article. Yours stays in the history,
        named “${myName}, ${formatTime(myTime)}”.`,
        () => end("theirs", theirs),
      )}</div>`;

  const renderStep = ({ name, ...part }) => {
    const side = (key, text) => button({ text, class: "button conflict-side", onClick: () => choose(key) });
    return html`<p class="soft">Place ${at + 1} of ${places.length}</p>
      ${frame(`Place ${at + 1}`, place(part))}
      <div class="actions">${side("mine", "Mine")} ${side("theirs", theirName)}
        ${!name || Array.isArray(mine[name]) ? side("both", "Both") : nothing}</div>`;
  };

  const content = (close) => {
    const end = (choice, chosen = null) => close({ choice, fields: chosen });
    const save = () => end("merged", merge(mine, theirs, lines, fields));
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
function renderEqual(text, isAfter, isBefore) {
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => renderLine("", "", line));
  const hidden = lines.slice(Number(isAfter), lines.length - Number(isBefore));
  const fold = html`<p class="conflict-equal">${count(hidden.length, "equal line")}</p>`;
  return hidden.length < 2 ? lines : lines.toSpliced(Number(isAfter), hidden.length, fold);
}

function renderPlace({ label, before, after }, person) {
  const words = compareWords(before, after);
  const mark = (text) => text && html`<mark>${text}</mark>`;
  const line = (side, who, name) =>
    renderLine(
      side,
      label ? `${who}: ${label}` : who,
      words.map((part) => part.equal ?? mark(part[name])),
    );
  return [
    label || before ? line("yours", person, "before") : nothing,
    label || after ? line("mine", "You", "after") : nothing,
  ];
}

const renderLine = (side, who, text) =>
  html`<div class="conflict-line ${side}"><b>${who}</b><span dir="auto">${text}</span></div>`;

// Return the body with the chosen side of each place.
function merge(mine, theirs, lines, fields) {
  const merged = structuredClone(mine);
  for (const { name, side } of fields.filter((field) => field.side !== "mine")) {
    const [key, inner] = name.split(".");
    if (inner) merged[key][inner] = theirs[key][inner];
    else merged[key] = side === "both" ? [...new Set([...theirs[key], ...mine[key]])] : theirs[key];
  }
  const join = (before, after) => (before && after ? before.replace(/\n?$/, "\n") : before) + after;
  const take = ({ equal, before, after, side }) =>
    equal ?? { mine: after, theirs: before, both: join(before, after) }[side];
  return { ...merged, content: lines.map(take).join("") };
}
