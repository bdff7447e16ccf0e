/** The dialog of a conflict: two versions of one article, which differ. */

import { button, copyButton, icon, openDialog } from "../components.js";
import { count, formatTime } from "../format.js";
import { html, nothing } from "../vendor/lit.js";
import { compareLines, compareWords, diffFields } from "./differences.js";

const LISTS = ["tags", "authors"];

/**
 * Ask which version the article gets. mine, theirs: bodies of a working copy; names: of terms, by uuid.
 *
 * Returns a promise of {choice: "mine", "theirs", "merged" or "later", fields: the chosen body or null}.
 */
export async function openConflict({ mine, theirs, person, theirTime, myName, myTime, names = {} }) {
  const fields = diffFields(theirs, mine, names).filter(({ name }) => name !== "content");
  const lines = compareLines(theirs.content, mine.content);
  const places = [...fields, ...lines.filter((part) => !("equal" in part))];
  if (!places.length) return { choice: "theirs", fields: theirs };
  // While merging, the index of the place to decide; before that, -1.
  let at = -1;
  const theirName = `${person}’s`;

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
  const renderAll = () => [fields.map((field) => renderPlace(field, person)), lines.map((part, n) =>
    "equal" in part ? renderEqual(part.equal, n, lines.length) : renderPlace(part, person))];
  const renderSides = ({ name }) => [["mine", "Mine"], ["theirs", theirName], ["both", "Both"]]
    .filter(([side]) => side !== "both" || !name || LISTS.includes(name))
    .map(([side, text]) => button({ text, class: "button conflict-side", onClick: () => choose(side) }));

  const content = (close) => {
    const end = (choice, chosen = null) => close({ choice, fields: chosen });
    const act = (text, kind, onClick, name) => button({ text, kind, onClick, icon: name });
    const foot = (before = nothing, after = nothing) => html`<div class="dialog-buttons">${before}
      <span class="soft">Until you choose, your text is kept in this browser.</span>
      ${copyButton(mine.content, { label: "Copy my text", kind: "bare" })}
      ${act("Decide later", "bare", () => end("later"))}${after}</div>`;
    const back = act("Back", "bare", () => go(at - 1), "arrow-left");
    const differ = count(places.length, "place");
    if (at < 0) {
      return html`<p class="soft">${theirName} version is from ${formatTime(theirTime)}, yours from
          ${formatTime(myTime)}. They differ in ${differ}. Whatever you choose, both stay in the history.</p>
        ${frame("Differences", renderAll())}
        <div class="conflict-options">
          ${option("git-merge", "Merge", `Go through the ${differ} one by one. Nothing is saved before you
            finish.`, () => go(0), true)}
          ${option("user", "Keep mine", `Your text becomes the article. ${theirName} stays in the history,
            named “${person}, ${formatTime(theirTime)}”.`, () => end("mine", mine))}
          ${option("users", `Take ${theirName}`, `Their text becomes the article. Yours stays in the history,
            named “${myName}, ${formatTime(myTime)}”.`, () => end("theirs", theirs))}</div>${foot()}`;
    }
    if (at < places.length) {
      return html`<p class="soft">Place ${at + 1} of ${places.length}</p>
        ${frame(`Place ${at + 1}`, renderPlace(places[at], person))}
        <div class="actions">${renderSides(places[at])}</div>${foot(back)}`;
    }
    const finish = () => end("merged", merge(mine, theirs, lines, places));
    return html`<p class="soft">All places are decided. Your merged text becomes the article; both versions
      stay in the history.</p>${foot(back, act("Save merged text", "main", finish))}`;
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
  const lines = text.replace(/\n$/, "").split("\n");
  const [first, last] = [at ? 1 : 0, at < length - 1 ? 1 : 0];
  const hidden = lines.length - first - last;
  const show = (some) => some.map((line) => renderLine("", "", line));
  if (hidden < 2) return show(lines);
  return html`${show(lines.slice(0, first))}<p class="conflict-equal">${count(hidden, "equal line")}</p>
    ${last ? show(lines.slice(-1)) : nothing}`;
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
