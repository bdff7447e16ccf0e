/** The row of buttons over the text: one tab stop, arrow keys inside. */

import { html, nothing } from "../vendor/lit.js";
import { icon, moveFocus } from "../components.js";
import { ariaKeys, keyNames } from "../shortcuts.js";

// [name of the command, label, letter of the shortcut, icon if it is not the name]
const GROUPS = [
  [["heading", "Heading"], ["bold", "Bold", "B"], ["italic", "Italic", "I"], ["link", "Link", "K"]],
  [["list", "List"], ["tasks", "Tasks", "", "list-checks"], ["quote", "Quote"]],
  [["picture", "Picture", "", "image"], ["code", "Code"], ["table", "Table"]],
];

/** The commands with a shortcut. */
export const WITH_KEYS = GROUPS.flat().filter(([, , letter]) => letter);

/** `run(name)` is called with the name of the command. */
export function toolbar(format, run) {
  const groups = format === "markdown" ? GROUPS : [[["picture", "Picture", "", "image"]]];
  return html`<div class="toolbar" role="toolbar" aria-label="Format" @keydown=${move}>
    ${groups.map((group, n) => html`${n ? html`<span class="divider"></span>` : nothing}
      ${group.map(([name, label, letter, picture = name], m) => html`<button type="button"
        class="button bare icon-only tool-${name}" tabindex=${n || m ? -1 : 0} aria-label=${label}
        title=${letter ? `${label} (${keyNames(letter)})` : label}
        aria-keyshortcuts=${letter ? ariaKeys(letter) : nothing}
        @mousedown=${(event) => event.preventDefault()} @click=${() => run(name)}
        >${icon(picture)}</button>`)}`)}</div>`;
}

function move(event) {
  const all = [...event.currentTarget.querySelectorAll("button")];
  const buttons = all.filter((button) => button.checkVisibility());
  const button = moveFocus(event, buttons, ["ArrowRight", "ArrowLeft"]);
  if (button) for (const other of all) other.tabIndex = other === button ? 0 : -1;
}
