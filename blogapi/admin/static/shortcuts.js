/** The keys of shortcuts: Ctrl, or ⌘ on a Mac, where Ctrl+B, K and P move the cursor. */

const IS_MAC = /^(Mac|iPhone|iPad)/.test(navigator.platform);

/** Return the letter that is pressed together with Ctrl or ⌘ alone, in upper case, or "". */
export function letterOf({ ctrlKey, metaKey, altKey, shiftKey, isComposing, key }) {
  const isShortcut = (IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey;
  return isShortcut && !isComposing ? key.toUpperCase() : "";
}

/** "Ctrl B" or "⌘ B". */
export const keyNames = (letter) => `${IS_MAC ? "⌘" : "Ctrl"} ${letter}`;

/** The value of aria-keyshortcuts. */
export const ariaKeys = (letter) => `${IS_MAC ? "Meta" : "Control"}+${letter}`;
