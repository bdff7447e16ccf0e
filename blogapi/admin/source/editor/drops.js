/** Inserts files that are dropped anywhere on the editor; otherwise, the browser would open them in its place. */

import { dropCover } from "./details.js";
import { toast } from "../dialogs.js";

/** @param {EditorPage} page @param {HTMLElement} root its element */
export function takeDrops(page, root) {
  /** @param {DragEvent} event */
  const take = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "drop") receive(page, event);
  };
  root.addEventListener("dragover", take, { capture: true });
  root.addEventListener("drop", take, { capture: true });
}

/** @param {EditorPage} page @param {any} event a DragEvent */
function receive(page, { dataTransfer, target, clientX: x, clientY: y }) {
  /** @type {File[]} */
  const files = [...dataTransfer.files];
  const pictures = files.filter(({ type }) => type.startsWith("image/"));
  if (pictures.length && target.closest(".details > .cover")) return dropCover(page, pictures[0]);
  if (!target.closest(".writing")) return toast("Drop pictures on the text.");
  if (pictures.length < files.length) toast("Only pictures can be dropped here. Add other files on the page Media.");
  if (!pictures.length) return;
  const { field } = page.area;
  const end = field.getText().length;
  // A file that is dropped above or below the text goes to its beginning or end.
  const offset = target.closest(".text") ? field.positionAt?.(x, y) : target.closest(".line") ? 0 : end;
  if (offset !== undefined && offset !== null) field.select(offset);
  page.insertPictures(pictures);
}
