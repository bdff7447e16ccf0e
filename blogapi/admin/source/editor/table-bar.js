/** The bar below the table with the cursor, and the Tab key in tables; loaded when the cursor is in a table. */

import { html, render } from "../../static/vendor/lit.js";
import { button, withButton } from "../components.js";
import { announceText, openMenu } from "../dialogs.js";
import { refs } from "../shell.js";
import * as tables from "./table-text.js";

/** @typedef {(table: import("./table-text.js").Table, text: string) => Change | null} TableCommand */

const ALIGNS = [
  ["Left", ":-", "text-align-start"],
  ["Centre", "::", "text-align-center"],
  ["Right", "-:", "text-align-end"],
];

export class TableBar {
  element = Object.assign(document.createElement("div"), { className: "table-bar", role: "group", ariaLabel: "Table" });
  // Whether Escape was the last key: then Tab leaves the text.
  isLeaving = false;
  /** @type {import("./table-text.js").Table | null} */
  table = null;

  /** @param {EditorPage} page */
  constructor(page) {
    this.page = page;
    refs.text.after(this.element);
    refs.text.addEventListener("keydown", (event) => this.handleKey(event), { capture: true });
    // Keep the focus in the text after a click on the bar.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    new ResizeObserver(() => this.updateBar()).observe(refs.text);
    refs.writing.addEventListener("scroll", () => this.placeBar(), { passive: true });
    this.drawBar();
    announceText("In a table, Tab goes to the next cell. Escape, then Tab leaves it.");
  }

  /** Return the table at the cursor; null in a plain text area, which has no bar. */
  findTable() {
    const { field } = this.page.area;
    return field.contentDOM ? tables.findTable(field.getText(), field.getSelection().from) : null;
  }

  updateBar() {
    this.table = this.findTable();
    this.placeBar();
  }

  // Place the bar below the table. If the end of the table is not visible, place the bar at the bottom of the window,
  // below the line of the cursor.
  placeBar() {
    const { field } = this.page.area;
    const { writing } = refs;
    const { top, bottom } = writing.getBoundingClientRect();
    const getBottom = (/** @type {number} */ offset) => field.getRectangleAt?.(offset)?.bottom;
    const cursor = this.table && getBottom(field.getSelection().from);
    this.element.hidden = !cursor;
    if (!this.table || !cursor) return;
    const end = getBottom(this.table.to) ?? bottom;
    const shown = Math.min(end, Math.max(cursor, bottom - this.element.offsetHeight));
    this.element.style.top = `${shown - top + writing.scrollTop}px`;
  }

  /** Make the change that a command returns; return whether it returns one. @param {TableCommand} command */
  runCommand(command) {
    const { field } = this.page.area;
    const table = this.findTable();
    const change = table && command(table, field.getText());
    if (!change) return false;
    field.applyChange(change);
    field.focus();
    return true;
  }

  /**
   * Return the text to insert for a text that is typed or pasted at an offset.
   * @param {string} text @param {number} from
   */
  changeInput(text, from) {
    const whole = this.page.area.field.getText();
    const isInCell = /[|\n]/.test(text) && tables.findTable(whole, from)?.isInCell;
    return isInCell ? tables.escapeCellText(text, whole.slice(0, from)) : text;
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { key, shiftKey, isComposing } = event;
    const { isLeaving } = this;
    this.isLeaving = key === "Escape" || (isLeaving && key === "Shift");
    if (key !== "Tab" || isLeaving || isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!this.runCommand((table) => tables.moveToCell(table, shiftKey ? -1 : 1))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  drawBar() {
    /** @param {string} label @param {string} icon @param {TableCommand} command @returns {MenuItem} */
    const toItem = (label, icon, command) => ({ label, icon, action: () => this.runCommand(command) });
    /** @param {string} label @param {string} icon @param {TableCommand} command */
    const renderTool = (label, icon, command) => button(label, () => this.runCommand(command), { icon, kind: "bare" });
    /** @param {string} label @param {string} icon @param {MenuItem[]} items @param {string} [kind] */
    const renderMenu = (label, icon, items, kind = "bare") =>
      button(
        label,
        withButton((anchor) => openMenu(anchor, items, label)),
        { icon, kind, popup: "menu" },
      );
    const aligns = ALIGNS.map(([name, align, icon]) => toItem(name, icon, (table) => tables.alignColumn(table, align)));
    const deletions = [
      toItem("Delete row", "between-horizontal-end", tables.deleteRow),
      toItem("Delete column", "between-vertical-end", tables.deleteColumn),
      { ...toItem("Delete table", "trash-2", tables.deleteTable), risk: true },
    ];
    render(
      html`${renderTool("Add row", "between-horizontal-end", tables.addRow)}
        ${renderTool("Add column", "between-vertical-end", tables.addColumn)}
        ${renderMenu("Align", "text-align-start", aligns)} ${renderMenu("Delete", "trash-2", deletions, "risk")}
        <span class="help"><kbd>Esc</kbd> <kbd>Tab</kbd> leaves</span>`,
      this.element,
    );
  }
}
