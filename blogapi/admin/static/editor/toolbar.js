// The row of buttons over the text: one tab stop, arrow keys inside.

import { html, nothing } from "../vendor/lit.js";
import { icon } from "../components.js";

const GROUPS = [
  [["heading", "Heading"], ["bold", "Bold", "B"], ["italic", "Italic", "I"], ["link", "Link", "K"]],
  [["list", "List"], ["tasks", "Tasks", "", "list-checks"], ["quote", "Quote"]],
  [["picture", "Picture", "", "image"], ["code", "Code"], ["table", "Table"]],
];

// `run(name)` is called with the name of the command.
export function toolbar(format, run) {
  const groups = format === "markdown" ? GROUPS : [[["picture", "Picture", "", "image"]]];
  return html`<div class="toolbar" role="toolbar" aria-label="Format" @keydown=${move}>
    ${groups.map((group, n) => html`${n ? html`<span class="divider"></span>` : nothing}
      ${group.map(([name, label, key, picture = name], m) => html`<button type="button"
        class="button bare icon-only tool-${name}" tabindex=${n || m ? -1 : 0} aria-label=${label}
        title=${key ? `${label} (Ctrl+${key})` : label} aria-keyshortcuts=${key ? `Control+${key}` : nothing}
        @mousedown=${(event) => event.preventDefault()} @click=${() => run(name)}
        >${icon(picture)}</button>`)}`)}</div>`;
}

function move(event) {
  const all = [...event.currentTarget.querySelectorAll("button")];
  const buttons = all.filter((button) => button.checkVisibility());
  const at = buttons.indexOf(event.target);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  for (const button of buttons) button.tabIndex = -1;
  const button = buttons.at(next % buttons.length);
  button.tabIndex = 0;
  button.focus();
}
