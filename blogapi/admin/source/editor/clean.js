/** Cleans rich text of the clipboard: formats that programs write as styles become elements. */

const BLOCK_ELEMENTS =
  "address, article, aside, blockquote, center, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6, header, " +
  "hr, li, main, nav, ol, p, pre, section, table, td, th, ul";
const REMOVED_ELEMENTS =
  "audio, button, canvas, embed, iframe, link, math, meta, noscript, object, script, select, style, svg, template, " +
  "textarea, title, video, xml, [hidden], [aria-hidden=true]:not(:has(img))";
const FRAME_ELEMENTS = "iframe, video, audio, embed, object";
const HEADINGS = "h1, h2, h3, h4, h5, h6";
const INLINE_ELEMENTS = "a, b, strong, i, em, del, s, strike";
const MONOSPACE = /courier|consolas|menlo|monaco|\bmono\b|monospace/i;
// The elements for the classes of paragraphs of Word.
const WORD_STYLES = { MsoTitle: "h1", MsoQuote: "blockquote", MsoIntenseQuote: "blockquote" };
/** Addresses of redirect services, and the query parameter with the target. @type {[RegExp, string][]} */
const REDIRECT_SERVICES = [
  [/^www\.google\.[a-z.]+\/url$/, "q"],
  [/\.safelinks\.protection\.outlook\.com\//, "url"],
  [/^lm?\.facebook\.com\/l\.php$/, "u"],
];
const MAX_COLUMNS = 50;
// The names of attributes that the Content-Security-Policy of the page forbids get this prefix, because browsers report
// each such attribute, even in a document that is not shown.
export const INERT = "\ue003";
const INERT_STYLE = `${INERT}style`;

/** @param {Element} root @param {string} selector @param {(element: any) => unknown} action */
const forEach = (root, selector, action) => {
  for (const element of [...root.querySelectorAll(selector)]) action(element);
};
/** @param {Element} element */
const unwrapElement = (element) => element.replaceWith(...element.childNodes);
/** @param {Node} node */
const isSpace = (node) => node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim();
/** @param {Element} element */
const hasBlock = (element) => element.querySelector(BLOCK_ELEMENTS) !== null;

/** @param {Element} element @param {string} name */
function renameElement(element, name) {
  const renamed = element.ownerDocument.createElement(name);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
  return renamed;
}

/** @param {Element} element @param {string} name */
function wrapContent(element, name) {
  const wrapper = element.ownerDocument.createElement(name);
  wrapper.append(...element.childNodes);
  element.append(wrapper);
}

/** @param {Element} element @param {string} name */
function readStyle(element, name) {
  const found = new RegExp(`(?:^|;)\\s*${name}\\s*:([^;]+)`, "i").exec(element.getAttribute(INERT_STYLE) ?? "");
  return found ? found[1].trim() : "";
}

/**
 * Clean the body of a document that is not shown. `keepPicture(image)` returns the address of a picture, or null to
 * remove it; `keepPlayer(address)` returns the address of the page that a frame plays, or null.
 * @param {HTMLElement} body @param {(image: HTMLImageElement) => string | null} keepPicture
 * @param {(address: string) => string | null} keepPlayer
 */
export function cleanBody(body, keepPicture, keepPlayer) {
  body.normalize();
  forEach(body, `[${INERT_STYLE}]`, (element) => {
    if (/display:\s*none|mso-hide:\s*all/i.test(element.getAttribute(INERT_STYLE))) element.remove();
  });
  forEach(body, FRAME_ELEMENTS, (frame) => cleanFrame(frame, keepPlayer));
  forEach(body, REMOVED_ELEMENTS, (element) => element.remove());
  makeFootnotes(body);
  makeWordLists(body);
  makeOnlineLists(body);
  forEach(body, "*", (element) => {
    if (element.localName.startsWith("v:")) element.remove();
    else if (element.localName.includes(":")) unwrapElement(element);
  });
  cleanCode(body);
  nameElements(body);
  replaceStyles(body);
  forEach(body, "img", (image) => cleanPicture(image, keepPicture));
  cleanLists(body);
  forEach(body, "table", cleanTable);
  forEach(body, "a", cleanLink);
  cleanMarks(body);
  cleanBreaks(body);
  cleanSpaces(body);
}

/** Word and LibreOffice link the number of a note and the note with each other. @param {HTMLElement} body */
function makeFootnotes(body) {
  const selector = "a[href^='#_ftn']:not([href^='#_ftnref']), a.sdfootnoteanc";
  /** @type {Map<string, HTMLElement>} */
  const notes = new Map();
  forEach(body, `div[${INERT_STYLE}*='mso-element:footnote'], div[id^=sdfootnote]`, (note) => {
    const number = /\d+$/.exec(note.id)?.[0];
    if (!number) return unwrapElement(note);
    forEach(note, "a[href^='#_ftnref'], a.sdfootnotesym", (link) => link.remove());
    notes.set(number, note);
  });
  forEach(body, selector, (link) => {
    const [number] = /\d+/.exec(link.getAttribute("href")) ?? [""];
    if (!notes.has(number)) return unwrapElement(link);
    const anchor = link.parentElement.matches("sup") ? link.parentElement : link;
    anchor.replaceWith(`\ue001${number}\ue002`);
  });
  for (const [number, note] of notes) {
    const text = note.textContent.replace(/\s+/g, " ").trim();
    const line = renameElement(note, "p");
    line.textContent = `\ue001${number}\ue002: ${text}`;
    body.append(line);
  }
}

/**
 * An item of a list: the element with its content, and the element around it that the list replaces.
 *
 * @typedef {{outer: Element, inner: Element, level: number, isOrdered: boolean, start: number}} ListItem
 */

// In Word, the items of lists are paragraphs that name a list and a level; the bullet or the number is part of the
// text.
/** @param {HTMLElement} body */
function makeWordLists(body) {
  /** @type {ListItem[]} */
  const items = [];
  forEach(body, `[${INERT_STYLE}*='mso-list']`, (/** @type {Element} */ paragraph) => {
    const level = /\blevel(\d+)/.exec(readStyle(paragraph, "mso-list"))?.[1];
    if (!level) return;
    const isListMark = (/** @type {Element} */ part) => /ignore/i.test(readStyle(part, "mso-list"));
    const mark = [...paragraph.querySelectorAll(`[${INERT_STYLE}*='mso-list']`)].find(isListMark);
    const text = mark?.textContent.trim() ?? "";
    mark?.remove();
    if (paragraph.matches(HEADINGS)) return;
    const isOrdered = /^\(?(?:\d+|[a-z]{1,5})[.)]/i.test(text);
    const start = Number.parseInt(text, 10) || 1;
    items.push({ outer: paragraph, inner: paragraph, level: Number(level), isOrdered, start });
  });
  nestItems(items);
}

/** Word for the web and OneNote put each item into a separate list in a <div>. @param {HTMLElement} body */
function makeOnlineLists(body) {
  /** @type {ListItem[]} */
  const items = [];
  forEach(body, ".ListContainerWrapper li", (inner) => {
    const list = inner.parentElement;
    const level = Number(inner.dataset.ariaLevel ?? inner.ariaLevel ?? 1);
    const outer = inner.closest(".ListContainerWrapper");
    items.push({ outer, inner, level, isOrdered: list.localName === "ol", start: list.start ?? 1 });
  });
  nestItems(items);
}

/** Make nested lists of paragraphs that follow each other. @param {ListItem[]} items */
function nestItems(items) {
  const follows = items.map(({ outer }, n) =>
    [outer, outer.previousElementSibling].includes(items[n - 1]?.outer ?? null),
  );
  /** @type {{list: Element, level: number, isOrdered: boolean}[]} the lists around the item */
  let open = [];
  for (const [n, { outer, inner, level, isOrdered, start }] of items.entries()) {
    if (!follows[n]) open = [];
    const isClosed = (/** @type {typeof open[0]} */ last) =>
      last.level > level || (last.level === level && last.isOrdered !== isOrdered);
    while (open.length && isClosed(open[open.length - 1])) open.pop();
    const last = open.at(-1);
    let list = last?.list;
    if (!last || !list || last.level < level) {
      list = outer.ownerDocument.createElement(isOrdered ? "ol" : "ul");
      if (isOrdered) list.setAttribute("start", String(start));
      const parent = last?.list.lastElementChild;
      if (parent) parent.append(list);
      else outer.before(list);
      open.push({ list, level, isOrdered });
    }
    const item = outer.ownerDocument.createElement("li");
    item.append(...inner.childNodes);
    list.append(item);
  }
  for (const { outer } of items) outer.remove();
}

/** Editors of code write a <div> for each line. @param {HTMLElement} body */
function cleanCode(body) {
  forEach(body, `div[${INERT_STYLE}*='white-space']`, (block) => {
    const isCode = /^pre/.test(readStyle(block, "white-space")) && MONOSPACE.test(readStyle(block, "font-family"));
    if (!isCode || !block.isConnected || block.closest("pre")) return;
    const lines = [...block.childNodes].map(({ textContent, nodeName }) => (nodeName === "BR" ? "" : textContent));
    block.textContent = hasBlock(block) ? lines.join("\n") : block.textContent;
    renameElement(block, "pre");
  });
  forEach(body, "pre br", (line) => line.replaceWith("\n"));
  forEach(body, "pre", (block) => {
    const classes = `${block.className} ${block.querySelector("code")?.className ?? ""}`;
    const language = /\b(?:lang(?:uage)?-|brush:\s*)([\w+#-]+)/.exec(classes)?.[1] ?? block.dataset.lang ?? "";
    block.textContent = block.textContent.replaceAll("\u00a0", " ").replace(/\n$/, "");
    wrapContent(block, "code");
    block.firstChild.className = language && `language-${language}`;
  });
}

/** Replace elements whose role or class says what they are. @param {HTMLElement} body */
function nameElements(body) {
  forEach(body, "[role=heading][aria-level]", (element) => {
    const level = Math.min(Math.max(Number.parseInt(element.ariaLevel, 10) || 2, 1), 6);
    if (!element.matches(HEADINGS)) renameElement(element, `h${level}`);
  });
  for (const [name, element] of Object.entries(WORD_STYLES)) {
    forEach(body, `p.${name}`, (paragraph) => {
      const named = renameElement(paragraph, element);
      if (element === "blockquote") wrapContent(named, "p");
    });
  }
  forEach(body, "aside", (element) => renameElement(element, "blockquote"));
  forEach(body, "tt, samp", (element) => element.closest("pre") ?? renameElement(element, "code"));
  forEach(body, "strike, s", (element) => renameElement(element, "del"));
  forEach(body, "blockquote:has(> p) + blockquote:has(> p)", (quote) =>
    quote.prepend(...quote.previousElementSibling.childNodes),
  );
  forEach(body, "blockquote:empty", (quote) => quote.remove());
}

/** Google Docs and others write bold, italic and code as styles of a <span>. @param {HTMLElement} body */
function replaceStyles(body) {
  forEach(body, "b, strong, i, em", (element) => {
    const name = element.matches("b, strong") ? "font-weight" : "font-style";
    if (/^(normal|400)$/i.test(readStyle(element, name))) unwrapElement(element);
  });
  forEach(body, "span, font", (element) => {
    if (element.closest("pre")) return;
    const isCode = MONOSPACE.test(readStyle(element, "font-family") || (element.getAttribute("face") ?? ""));
    const align = readStyle(element, "vertical-align");
    if (isCode && !element.closest("code") && !hasBlock(element)) wrapContent(element, "code");
    if (/line-through/i.test(readStyle(element, "text-decoration(?:-line)?"))) wrapContent(element, "del");
    if (/^(sub|super)$/i.test(align)) wrapContent(element, align.slice(0, 3));
    if (/^(italic|oblique)/i.test(readStyle(element, "font-style"))) wrapContent(element, "em");
    if (/^(bold|[6-9]00)/i.test(readStyle(element, "font-weight"))) wrapContent(element, "strong");
  });
  forEach(body, "span, font, u, ins, label, o\\:p", (element) => element.closest("pre") ?? unwrapElement(element));
}

/**
 * Replace the frame of a player by a paragraph with its address. Frames of one pixel, which count visits, are removed.
 * @param {HTMLElement} frame @param {(address: string) => string | null} keepPlayer
 */
function cleanFrame(frame, keepPlayer) {
  const source = frame.querySelector("source[src]")?.getAttribute("src");
  const given = frame.getAttribute("src") || frame.dataset.src || frame.getAttribute("data") || source || "";
  const address = given.trim().replace(/^\/\//, "https://");
  const isDot = ["width", "height"].some((side) => /^[01]$/.test(frame.getAttribute(side) ?? ""));
  const isHidden = isDot || frame.closest("[hidden], [aria-hidden=true]");
  if (!frame.isConnected || isHidden || !/^https?:\/\//i.test(address)) return frame.remove();
  const kept = keepPlayer(address);
  if (!kept) return frame.remove();
  const [paragraph, link] = ["p", "a"].map((name) => frame.ownerDocument.createElement(name));
  link.setAttribute("href", kept);
  link.textContent = kept;
  paragraph.append(link);
  frame.replaceWith(paragraph);
}

/** @param {HTMLImageElement} image @param {(image: HTMLImageElement) => string | null} keepPicture */
function cleanPicture(image, keepPicture) {
  const alt = (image.alt ?? "").replace(/\s+/g, " ").replace(/\s*Description automatically generated.*$/, "");
  const isDot = ["width", "height"].some((side) => /^[0-3]$/.test(image.getAttribute(side) ?? ""));
  if (/^\p{Extended_Pictographic}(?:\p{Emoji}|\ufe0f|\u200d)*$/u.test(alt)) return image.replaceWith(alt);
  const address = !isDot && !image.closest("li[role=checkbox]") && keepPicture(image);
  if (!address) return image.remove();
  const caption = image.closest("figure")?.querySelector("figcaption");
  const title = caption?.textContent?.replace(/\s+/g, " ").trim();
  caption?.remove();
  for (const { name } of [...image.attributes]) image.removeAttribute(name);
  image.setAttribute("src", address);
  image.setAttribute("alt", alt);
  if (title) image.setAttribute("title", title);
}

/** @param {HTMLElement} body */
function cleanLists(body) {
  forEach(body, "li[role=checkbox]", (item) => {
    const box = item.ownerDocument.createElement("input");
    box.type = "checkbox";
    box.toggleAttribute("checked", item.ariaChecked === "true");
    item.prepend(box);
  });
  forEach(body, "input", (box) => {
    const item = box.closest("li");
    if (box.type === "checkbox" && item) item.prepend(box);
    else box.remove();
  });
  forEach(body, ":is(ul, ol) > :is(ul, ol)", (list) => {
    const before = list.previousElementSibling;
    if (before?.localName === "li") before.append(list);
    else unwrapElement(list);
  });
  forEach(body, "li", (item) => {
    const paragraphs = listChildren(item).filter(({ localName }) => /^(p|div)$/.test(localName));
    if (paragraphs.length === 1 && !hasBlock(paragraphs[0])) unwrapElement(paragraphs[0]);
  });
  forEach(body, "ol", (list) => {
    const items = listChildren(list).filter(({ localName }) => localName === "li");
    for (const [n, item] of items.entries()) item.setAttribute("value", String((list.start ?? 1) + n));
  });
}

const listChildren = (/** @type {Element} */ { children }) => [...children];

// Mail and old pages use tables for their layout, which become text. In Markdown, the first row of a table is its head,
// and a cell is one line.
/** @param {HTMLTableElement} table */
function cleanTable(table) {
  const rows = [...table.rows].filter(({ cells }) => cells.length);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const isLayout = table.matches("[role=presentation]") || table.querySelector(`table, ${HEADINGS}`) || width < 2;
  const makeElement = (/** @type {string} */ name) => table.ownerDocument.createElement(name);
  const caption = table.caption && renameElement(table.caption, "p");
  if (caption) table.before(caption);
  if (isLayout)
    return table.replaceWith(...rows.flatMap((row) => [...row.cells].map((cell) => renameElement(cell, "div"))));
  /** @type {HTMLElement[][]} */
  const filled = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    for (const cell of row.cells) {
      cleanCell(cell);
      let x = 0;
      while (filled[y][x]) x += 1;
      const height = Math.min(cell.rowSpan || 1, rows.length - y);
      for (let down = 0; down < height; down += 1) {
        for (let n = x; n < Math.min(x + cell.colSpan, MAX_COLUMNS); n += 1) {
          filled[y + down][n] ??= down || n > x ? makeElement("td") : cell;
        }
      }
    }
  }
  const columns = Math.max(...filled.map((row) => row.length));
  const [head, rest] = [makeElement("thead"), makeElement("tbody")];
  for (const [y, row] of filled.entries()) {
    const line = makeElement("tr");
    for (let x = 0; x < columns; x += 1) {
      const cell = makeElement(y ? "td" : "th");
      const align = readStyle(filled[1]?.[x] ?? cell, "text-align") || filled[1]?.[x]?.getAttribute("align");
      if (align && /^(right|center)$/i.test(align)) cell.setAttribute("align", align);
      cell.append(...(row[x]?.childNodes ?? []));
      if (!y) forEach(cell, "b, strong", unwrapElement);
      line.append(cell);
    }
    (y ? rest : head).append(line);
  }
  table.replaceChildren(head, rest);
}

/** @param {Element} root @param {(text: string) => string} change */
function changeTexts(root, change) {
  const texts = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.nodeValue = change(texts.currentNode.nodeValue ?? "");
}

/** @param {HTMLElement} cell */
function cleanCell(cell) {
  if (cell.firstElementChild) flattenCell(cell);
  changeTexts(cell, (text) => text.replaceAll("|", "\ue000"));
}

/** @param {HTMLElement} cell */
function flattenCell(cell) {
  forEach(cell, "li", (item) => item.prepend("• "));
  forEach(cell, "pre", (block) => renameElement(block, "p"));
  forEach(cell, BLOCK_ELEMENTS, (block) => {
    if (block.textContent.trim()) block.after(block.ownerDocument.createElement("br"));
    unwrapElement(block);
  });
  trimBreaks(cell);
}

/** @param {HTMLAnchorElement} link */
function cleanLink(link) {
  const target = findTarget(link.getAttribute("href") ?? "");
  if (!target || !(link.textContent.trim() || link.querySelector("img"))) return unwrapElement(link);
  for (const { name } of [...link.attributes]) link.removeAttribute(name);
  link.setAttribute("href", target);
}

/** Return the target behind redirect services, or "" if a text must not contain it. @param {string} address */
function findTarget(address) {
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address.trim()) || !URL.canParse(address)) return "";
  const { host, pathname, searchParams } = new URL(address);
  const name = REDIRECT_SERVICES.find(([pattern]) => pattern.test(host + pathname))?.[1];
  const target = (name && searchParams.get(name)) || "";
  return /^https?:/i.test(target) ? target : address.trim().replace(/\s/g, "%20");
}

/** @param {HTMLElement} body */
function cleanMarks(body) {
  // An inline element around blocks becomes an inline element inside each block.
  for (const mark of [...body.querySelectorAll(INLINE_ELEMENTS)].reverse()) {
    if (!hasBlock(mark)) continue;
    forEach(mark, BLOCK_ELEMENTS, (block) => {
      if (hasBlock(block) || !block.childNodes.length) return;
      const copy = /** @type {Element} */ (mark.cloneNode(false));
      copy.append(...block.childNodes);
      block.append(copy);
    });
    unwrapElement(mark);
  }
  forEach(body, `:is(${HEADINGS}) :is(b, strong)`, unwrapElement);
  forEach(
    body,
    ":is(b, strong) :is(b, strong), :is(i, em) :is(i, em), del del, code :is(b, strong, i, em, code)",
    unwrapElement,
  );
  /** @type {Record<string, string>} */
  const equals = { B: "STRONG", I: "EM" };
  const getKind = (/** @type {Node} */ { nodeName }) => equals[nodeName] ?? nodeName;
  forEach(body, "b, strong, i, em, del, code", (mark) => {
    const before = mark.previousSibling;
    if (mark.closest("pre") || !before || getKind(before) !== getKind(mark)) return;
    before.append(...mark.childNodes);
    mark.remove();
  });
  forEach(body, INLINE_ELEMENTS, (mark) => {
    while (mark.firstChild?.nodeName === "BR") mark.before(mark.firstChild);
    while (mark.lastChild?.nodeName === "BR") mark.after(mark.lastChild);
  });
}

/** Two line breaks end a paragraph; one at the edge of a block does nothing. @param {HTMLElement} body */
function cleanBreaks(body) {
  forEach(body, `:is(${HEADINGS}) br`, (line) => line.replaceWith(" "));
  forEach(body, "br", (line) => {
    const next = line.nextSibling;
    const after = next && isSpace(next) ? next.nextSibling : next;
    if (after?.nodeName === "BR" && !line.closest("td, th")) {
      after.replaceWith(line.ownerDocument.createElement("div"));
      line.remove();
    }
  });
  forEach(body, BLOCK_ELEMENTS, trimBreaks);
  trimBreaks(body);
  forEach(body, "br", (line) => {
    const isAtEdge = (/** @type {"previousSibling" | "nextSibling"} */ side) => {
      let node = line[side];
      while (node && isSpace(node)) node = node[side];
      return node?.nodeType === Node.ELEMENT_NODE && node.matches(BLOCK_ELEMENTS);
    };
    if (isAtEdge("previousSibling") || isAtEdge("nextSibling")) line.remove();
  });
}

/** @param {Element} block */
function trimBreaks(block) {
  const isEmpty = (/** @type {Node | null} */ node) => node && (node.nodeName === "BR" || isSpace(node));
  if (block.closest("pre")) return;
  while (isEmpty(block.firstChild)) block.firstChild?.remove();
  while (isEmpty(block.lastChild)) block.lastChild?.remove();
}

// A space that does not break the line is kept where French and numbers need it; elsewhere, programs use it to
// keep several spaces.
/** @param {HTMLElement} body */
const cleanSpaces = (body) =>
  changeTexts(body, (text) =>
    text.replace(/[\u200b\ufeff\u00ad]/g, "").replace(/(?<![«\d]\u00a0?)\u00a0(?![:;!?»%‰°€$£\d])/g, " "),
  );
