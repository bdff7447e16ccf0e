// Shows the address of a link to another article as a chip with its path, in place of its uuid.
import { syntaxTree } from "@codemirror/language";
import { Decoration, EditorView, MatchDecorator, ViewPlugin, WidgetType } from "@codemirror/view";

/**
 * A function that calls show() with a short description of the article, at once or after a request.
 *
 * @typedef {(uuid: string, show: (words: string) => void) => void} DescribeLink
 */

class LinkChip extends WidgetType {
  /** @param {string} uuid @param {DescribeLink} describe */
  constructor(uuid, describe) {
    super();
    this.uuid = uuid;
    this.describe = describe;
  }

  /** @param {any} other */
  eq(other) {
    return other.uuid === this.uuid;
  }

  toDOM() {
    const chip = Object.assign(document.createElement("span"), { className: "link-chip", textContent: "…" });
    this.describe(this.uuid, (words) => (chip.textContent = words));
    return chip;
  }

  ignoreEvent() {
    return false;
  }
}

/** @param {DescribeLink} describe */
export function showLinkChips(describe) {
  const matcher = new MatchDecorator({
    regexp: /article:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi,
    decorate(add, from, to, match, view) {
      // `article:` and a uuid in a sentence or in code are not replaced.
      if (syntaxTree(view.state).resolveInner(from, 1).name !== "URL") return;
      add(from, to, Decoration.replace({ widget: new LinkChip(match[1].toLowerCase(), describe) }));
    },
  });
  const plugin = ViewPlugin.define(
    (view) => ({
      decorations: matcher.createDeco(view),
      /** @this {any} @param {import("@codemirror/view").ViewUpdate} update */
      update(update) {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        this.decorations =
          isParsed && !update.docChanged
            ? matcher.createDeco(update.view)
            : matcher.updateDeco(update, this.decorations);
      },
    }),
    {
      decorations: (value) => value.decorations,
      provide: (self) => EditorView.atomicRanges.of((view) => view.plugin(self)?.decorations ?? Decoration.none),
    },
  );
  return plugin;
}
