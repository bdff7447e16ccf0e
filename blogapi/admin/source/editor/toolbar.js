/**
 * The toolbar above the text, with the buttons of editor.html. It is one tab stop; arrow keys move the focus inside.
 */

import { moveFocus } from "../dialogs.js";
import { refs } from "../shell.js";
import { getAriaKeys, showMacKeys } from "../shortcuts.js";

showMacKeys(refs.editor);
const { toolbar } = refs;
const buttons = [...toolbar.querySelectorAll("button")];

/** Return the command that has this letter as its shortcut, or undefined. @param {string} letter */
export const findCommand = (letter) => buttons.find(({ ariaKeyShortcuts: keys }) => keys === getAriaKeys(letter))?.name;

/**
 * Show the buttons, and handle them: all buttons for Markdown, only the button for pictures for other formats.
 * @param {string} format @param {(name: string) => unknown} run called with the name of a command
 */
export function startToolbar(format, run) {
  const offered = format === "markdown" ? buttons : buttons.filter(({ name }) => name === "picture");
  if (offered !== buttons) toolbar.replaceChildren(...offered);
  offered[0].tabIndex = 0;
  toolbar.addEventListener("mousedown", (event) => event.preventDefault());
  for (const button of buttons) button.addEventListener("click", () => run(button.name));
  toolbar.addEventListener("keydown", (event) => {
    const shown = buttons.filter((button) => button.checkVisibility());
    const button = moveFocus(event, shown, ["ArrowRight", "ArrowLeft"]);
    if (button) for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  });
}
