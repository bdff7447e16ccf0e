/** The modifier key of shortcuts: Ctrl, or ⌘ on a Mac, where Ctrl B, K and P move the cursor. */

const IS_MAC = /^(Mac|iPhone|iPad)/.test(navigator.platform);

/**
 * Return the key, in upper case, if Ctrl (⌘ on a Mac) is the only modifier; otherwise "".
 * @param {KeyboardEvent} event
 */
export function getShortcutKey({ ctrlKey, metaKey, altKey, shiftKey, isComposing, key }) {
  const isShortcut = (IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey;
  return isShortcut && !isComposing ? key.toUpperCase() : "";
}

/** Return the value of aria-keyshortcuts for a letter. @param {string} letter */
export const getAriaKeys = (letter) => `${IS_MAC ? "Meta" : "Control"}+${letter}`;

/** On a Mac, replace Ctrl with ⌘ in this part of the document. @param {ParentNode} root */
export function showMacKeys(root) {
  if (!IS_MAC) return;
  for (const key of root.querySelectorAll("kbd")) key.textContent = key.textContent.replace("Ctrl", "⌘");
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[aria-keyshortcuts]"))) {
    button.ariaKeyShortcuts = button.ariaKeyShortcuts?.replace("Control", "Meta") ?? null;
    button.title = button.title.replace("Ctrl", "⌘");
  }
}
