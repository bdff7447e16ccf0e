/** Inserts files that are dropped anywhere on the editor; otherwise, the browser would open them in its place. */

import { useDroppedCover } from "./details.js";
import { toast } from "../dialogs.js";

/** @param {EditorPage} page @param {HTMLElement} root its element */
export function enableFileDrops(page, root) {
  /** @param {DragEvent} event */
  const handleDrag = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "drop") insertFiles(page, event);
  };
  root.addEventListener("dragover", handleDrag, { capture: true });
  root.addEventListener("drop", handleDrag, { capture: true });
}

/** @param {EditorPage} page @param {any} event a DragEvent */
function insertFiles(page, { dataTransfer, target, clientX: x, clientY: y }) {
  /** @type {File[]} */
  const files = [...dataTransfer.files];
  const pictures = files.filter(({ type }) => type.startsWith("image/"));
  if (pictures.length && target.closest(".details > .cover")) return useDroppedCover(page, pictures[0]);
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
