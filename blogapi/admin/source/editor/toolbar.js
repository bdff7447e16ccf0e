/** The toolbar above the text; its buttons are in editor.html. It is one tab stop, with arrow keys inside. */

import { moveFocus } from "../dialogs.js";
import { refs } from "../shell.js";
import { ariaKeys, nameKeys } from "../shortcuts.js";

nameKeys(refs.editor);
const { toolbar } = refs;
const buttons = [...toolbar.querySelectorAll("button")];

/** Return the command that has this letter as its shortcut, or undefined. @param {string} letter */
export const findCommand = (letter) => buttons.find(({ ariaKeyShortcuts: keys }) => keys === ariaKeys(letter))?.name;

/**
 * Only Markdown has all the commands; other formats have only that for pictures.
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
