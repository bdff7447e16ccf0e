/** Inserts files that are dropped on the editor. Without this, the browser would leave the editor and open the file. */

import { useDroppedCover } from "./details.js";
import { toast } from "../dialogs.js";

/** @param {EditorPage} page @param {HTMLElement} root the element of the editor */
export function enableFileDrops(page, root) {
  /** @param {DragEvent} event */
  const handleDrag = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "drop") insertDroppedFiles(page, event);
  };
  root.addEventListener("dragover", handleDrag, { capture: true });
  root.addEventListener("drop", handleDrag, { capture: true });
}

/** @param {EditorPage} page @param {any} event a DragEvent */
function insertDroppedFiles(page, { dataTransfer, target, clientX: x, clientY: y }) {
  /** @type {File[]} */
  const files = [...dataTransfer.files];
  const pictures = files.filter(({ type }) => type.startsWith("image/"));
  if (pictures.length && target.closest(".details > .cover")) return useDroppedCover(page, pictures[0]);
  if (!target.closest(".writing")) return toast("Drop pictures on the text.");
  if (pictures.length < files.length) toast("Only pictures can be dropped here. Add other files on the page Media.");
  if (!pictures.length) return;
  const { field } = page.area;
  const end = field.getText().length;
  // Files that are dropped above or below the text are inserted at its beginning or end.
  const offset = target.closest(".text") ? field.getOffsetAt?.(x, y) : target.closest(".line") ? 0 : end;
  if (offset !== undefined && offset !== null) field.selectRange(offset);
  page.insertPictures(pictures);
}
