/** The row of buttons over the text, from the document: one tab stop, arrow keys inside. */

import { moveFocus } from "../dialogs.js";
import { content } from "../shell.js";
import { ariaKeys, nameKeys } from "../shortcuts.js";

const [editor] = content;
nameKeys(editor);
const toolbar = editor.querySelector(".toolbar");
const buttons = [...toolbar.querySelectorAll("button")];

/** Return the command that has this letter as its shortcut, or undefined. */
export const findCommand = (letter) => buttons.find(({ ariaKeyShortcuts: keys }) => keys === ariaKeys(letter))?.name;

/** Only Markdown has all the commands. `run(name)` is called with the name of a command. */
export function startToolbar(format, run) {
  if (format !== "markdown") toolbar.replaceChildren(toolbar.querySelector("[name=picture]"));
  toolbar.querySelector("button").tabIndex = 0;
  toolbar.addEventListener("mousedown", (event) => event.preventDefault());
  for (const button of buttons) button.addEventListener("click", () => run(button.name));
  toolbar.addEventListener("keydown", (event) => {
    const shown = buttons.filter((button) => button.checkVisibility());
    const button = moveFocus(event, shown, ["ArrowRight", "ArrowLeft"]);
    if (button) for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  });
}
