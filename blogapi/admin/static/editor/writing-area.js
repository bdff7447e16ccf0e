// The field for the text: a plain text area at first, then CodeMirror, unless the author prefers plain text.

const PLAIN = "blogapi.plain";

export class WritingArea {
  // `changed(text)` is called after each change, `receive(files)` with pasted or dropped pictures.
  constructor(parent, { text, markdown, changed, receive }) {
    Object.assign(this, { parent, markdown, changed, receive });
    parent.addEventListener("paste", (event) => this.#take(event, event.clipboardData), { capture: true });
    parent.addEventListener("drop", (event) => this.#take(event, event.dataTransfer), { capture: true });
    this.#showPlain(text);
    if (!this.isPlain) this.#enrich();
  }

  get isPlain() { return localStorage.getItem(PLAIN) === "yes"; }

  // Change to the plain text area or to CodeMirror; text, cursor and focus stay.
  set isPlain(plain) {
    localStorage.setItem(PLAIN, plain ? "yes" : "no");
    if (!plain) this.#enrich();
    else if (this.rich) this.#exchange((text) => this.#showPlain(text));
  }

  get text() { return this.rich?.getText() ?? this.plain.value; }

  set text(text) {
    if (text === this.text) return;
    this.edit({ from: 0, to: this.text.length, insert: text, selectFrom: 0, selectTo: 0 });
  }

  get selection() {
    return this.rich?.getSelection() ?? { from: this.plain.selectionStart, to: this.plain.selectionEnd };
  }

  // Make one change, which can be undone, and select a part of the result.
  edit({ from, to, insert, selectFrom, selectTo }) {
    if (this.rich) return this.rich.edit({ from, to, insert, selectFrom, selectTo });
    this.plain.focus();
    this.plain.setSelectionRange(from, to);
    // No other method keeps the undo history of a text area.
    const isDone = document.execCommand(insert ? "insertText" : "delete", false, insert);
    if (!isDone) this.plain.setRangeText(insert, from, to);
    this.plain.setSelectionRange(selectFrom, selectTo);
    this.#edited();
  }

  select(from, to) {
    if (this.rich) this.rich.select(from, to);
    else this.plain.setSelectionRange(from, to);
    this.focus();
  }

  focus() { (this.rich ?? this.plain).focus(); }

  #edited() {
    if (!CSS.supports("field-sizing", "content")) this.plain.rows = this.plain.value.split("\n").length + 2;
    this.changed(this.text);
  }

  #showPlain(text) {
    this.rich?.destroy();
    this.rich = null;
    const field = (this.plain = document.createElement("textarea"));
    const name = { ariaLabel: "Text", placeholder: "Text" };
    Object.assign(field, { ...name, className: "writing-field", dir: "auto", value: text });
    field.addEventListener("input", () => this.#edited());
    this.parent.replaceChildren(field);
  }

  async #enrich() {
    const { createEditor } = await import("../vendor/editor.js").catch(() => ({}));
    if (!createEditor || this.rich || this.isPlain) return;
    this.#exchange((text, { from, to }) => {
      this.parent.replaceChildren();
      const { parent, markdown } = this;
      const options = { parent, text, from, to, label: "Text", placeholder: "Text", markdown };
      this.rich = createEditor({ ...options, onChange: () => this.changed(this.text) });
    });
  }

  #exchange(make) {
    const scroller = this.parent.closest(".writing");
    const { selection } = this;
    const [isFocused, top] = [this.parent.contains(document.activeElement), scroller.scrollTop];
    make(this.text, selection);
    if (!this.rich) this.plain.setSelectionRange(selection.from, selection.to);
    if (isFocused) this.focus();
    scroller.scrollTop = top;
  }

  #take(event, data) {
    const files = [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
    // Word processors put a picture of the text beside the text.
    if (!files.length || data.types.includes("text/plain")) return;
    event.preventDefault();
    event.stopPropagation();
    this.receive(files);
  }
}
