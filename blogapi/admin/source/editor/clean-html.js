/** Cleans the HTML of the clipboard: styles that programs use for formats, such as bold, become elements. */

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
// The elements that replace the paragraphs of Word with these classes.
const WORD_STYLES = { MsoTitle: "h1", MsoQuote: "blockquote", MsoIntenseQuote: "blockquote" };
/** Addresses of redirect services, and the query parameter with the target. @type {[RegExp, string][]} */
const REDIRECT_SERVICES = [
  [/^www\.google\.[a-z.]+\/url$/, "q"],
  [/\.safelinks\.protection\.outlook\.com\//, "url"],
  [/^lm?\.facebook\.com\/l\.php$/, "u"],
];
const MAX_COLUMNS = 50;
// The prefix for the names of attributes that the Content-Security-Policy forbids: browsers report each such attribute,
// even in a document that is not shown.
export const INERT_PREFIX = "\ue003";
const INERT_STYLE = `${INERT_PREFIX}style`;

/** @param {Element} root @param {string} selector @param {(element: any) => unknown} action */
const forEachMatch = (root, selector, action) => {
  for (const element of [...root.querySelectorAll(selector)]) action(element);
};
/** @param {Element} element */
const unwrapElement = (element) => element.replaceWith(...element.childNodes);
/** @param {Node} node */
const isBlankText = (node) => node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim();
/** @param {Element} element */
const containsBlock = (element) => element.querySelector(BLOCK_ELEMENTS) !== null;

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
 * Clean the body of a document that is not shown. getPictureAddress(image): returns the address of a picture, or null
 * to remove the picture; getPlayerAddress(address): returns the address of the video or sound in a frame, or null.
 * @param {HTMLElement} body @param {(image: HTMLImageElement) => string | null} getPictureAddress
 * @param {(address: string) => string | null} getPlayerAddress
 */
export function cleanBody(body, getPictureAddress, getPlayerAddress) {
  body.normalize();
  forEachMatch(body, `[${INERT_STYLE}]`, (element) => {
    if (/display:\s*none|mso-hide:\s*all/i.test(element.getAttribute(INERT_STYLE))) element.remove();
  });
  forEachMatch(body, FRAME_ELEMENTS, (frame) => cleanFrame(frame, getPlayerAddress));
  forEachMatch(body, REMOVED_ELEMENTS, (element) => element.remove());
  makeFootnotes(body);
  makeWordLists(body);
  makeWordOnlineLists(body);
  forEachMatch(body, "*", (element) => {
    if (element.localName.startsWith("v:")) element.remove();
    else if (element.localName.includes(":")) unwrapElement(element);
  });
  cleanCodeBlocks(body);
  replaceNamedElements(body);
  replaceStyledElements(body);
  forEachMatch(body, "img", (image) => cleanPicture(image, getPictureAddress));
  cleanLists(body);
  forEachMatch(body, "table", cleanTable);
  forEachMatch(body, "a", cleanLink);
  cleanInlineElements(body);
  cleanLineBreaks(body);
  cleanSpaces(body);
}

/**
 * Replace the footnotes of Word and LibreOffice, whose numbers and notes link to each other.
 * @param {HTMLElement} body
 */
function makeFootnotes(body) {
  const selector = "a[href^='#_ftn']:not([href^='#_ftnref']), a.sdfootnoteanc";
  /** @type {Map<string, HTMLElement>} */
  const notes = new Map();
  forEachMatch(body, `div[${INERT_STYLE}*='mso-element:footnote'], div[id^=sdfootnote]`, (note) => {
    const number = /\d+$/.exec(note.id)?.[0];
    if (!number) return unwrapElement(note);
    forEachMatch(note, "a[href^='#_ftnref'], a.sdfootnotesym", (link) => link.remove());
    notes.set(number, note);
  });
  forEachMatch(body, selector, (link) => {
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
 * An item of a list: the element with its content (inner), and the element that the list replaces (outer).
 *
 * @typedef {{outer: Element, inner: Element, level: number, isOrdered: boolean, start: number}} ListItem
 */

// Make lists of the paragraphs of Word whose style names a list and a level; the bullet or number is part of their
// text.
/** @param {HTMLElement} body */
function makeWordLists(body) {
  /** @type {ListItem[]} */
  const items = [];
  forEachMatch(body, `[${INERT_STYLE}*='mso-list']`, (/** @type {Element} */ paragraph) => {
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
  nestListItems(items);
}

/**
 * Join the lists of Word for the web and OneNote, which put each item into a list in its own <div>.
 * @param {HTMLElement} body
 */
function makeWordOnlineLists(body) {
  /** @type {ListItem[]} */
  const items = [];
  forEachMatch(body, ".ListContainerWrapper li", (inner) => {
    const list = inner.parentElement;
    const level = Number(inner.dataset.ariaLevel ?? inner.ariaLevel ?? 1);
    const outer = inner.closest(".ListContainerWrapper");
    items.push({ outer, inner, level, isOrdered: list.localName === "ol", start: list.start ?? 1 });
  });
  nestListItems(items);
}

/** Make nested lists of items that follow each other. @param {ListItem[]} items */
function nestListItems(items) {
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

/** Make blocks of code of the <div> elements that code editors write for each line. @param {HTMLElement} body */
function cleanCodeBlocks(body) {
  forEachMatch(body, `div[${INERT_STYLE}*='white-space']`, (block) => {
    const isCode = /^pre/.test(readStyle(block, "white-space")) && MONOSPACE.test(readStyle(block, "font-family"));
    if (!isCode || !block.isConnected || block.closest("pre")) return;
    const lines = [...block.childNodes].map(({ textContent, nodeName }) => (nodeName === "BR" ? "" : textContent));
    block.textContent = containsBlock(block) ? lines.join("\n") : block.textContent;
    renameElement(block, "pre");
  });
  forEachMatch(body, "pre br", (line) => line.replaceWith("\n"));
  forEachMatch(body, "pre", (block) => {
    const classes = `${block.className} ${block.querySelector("code")?.className ?? ""}`;
    const language = /\b(?:lang(?:uage)?-|brush:\s*)([\w+#-]+)/.exec(classes)?.[1] ?? block.dataset.lang ?? "";
    block.textContent = block.textContent.replaceAll("\u00a0", " ").replace(/\n$/, "");
    wrapContent(block, "code");
    block.firstChild.className = language && `language-${language}`;
  });
}

/** Replace elements with the elements that their role, class or name stands for. @param {HTMLElement} body */
function replaceNamedElements(body) {
  forEachMatch(body, "[role=heading][aria-level]", (element) => {
    const level = Math.min(Math.max(Number.parseInt(element.ariaLevel, 10) || 2, 1), 6);
    if (!element.matches(HEADINGS)) renameElement(element, `h${level}`);
  });
  for (const [name, element] of Object.entries(WORD_STYLES)) {
    forEachMatch(body, `p.${name}`, (paragraph) => {
      const named = renameElement(paragraph, element);
      if (element === "blockquote") wrapContent(named, "p");
    });
  }
  forEachMatch(body, "aside", (element) => renameElement(element, "blockquote"));
  forEachMatch(body, "tt, samp", (element) => element.closest("pre") ?? renameElement(element, "code"));
  forEachMatch(body, "strike, s", (element) => renameElement(element, "del"));
  forEachMatch(body, "blockquote:has(> p) + blockquote:has(> p)", (quote) =>
    quote.prepend(...quote.previousElementSibling.childNodes),
  );
  forEachMatch(body, "blockquote:empty", (quote) => quote.remove());
}

/**
 * Replace the styles that Google Docs and others use for bold, italic and code with elements.
 * @param {HTMLElement} body
 */
function replaceStyledElements(body) {
  forEachMatch(body, "b, strong, i, em", (element) => {
    const name = element.matches("b, strong") ? "font-weight" : "font-style";
    if (/^(normal|400)$/i.test(readStyle(element, name))) unwrapElement(element);
  });
  forEachMatch(body, "span, font", (element) => {
    if (element.closest("pre")) return;
    const isCode = MONOSPACE.test(readStyle(element, "font-family") || (element.getAttribute("face") ?? ""));
    const align = readStyle(element, "vertical-align");
    if (isCode && !element.closest("code") && !containsBlock(element)) wrapContent(element, "code");
    if (/line-through/i.test(readStyle(element, "text-decoration(?:-line)?"))) wrapContent(element, "del");
    if (/^(sub|super)$/i.test(align)) wrapContent(element, align.slice(0, 3));
    if (/^(italic|oblique)/i.test(readStyle(element, "font-style"))) wrapContent(element, "em");
    if (/^(bold|[6-9]00)/i.test(readStyle(element, "font-weight"))) wrapContent(element, "strong");
  });
  forEachMatch(body, "span, font, u, ins, label, o\\:p", (element) => element.closest("pre") ?? unwrapElement(element));
}

/**
 * Replace the frame of a player with a paragraph that has its address. Remove frames of one pixel, which count visits.
 * @param {HTMLElement} frame @param {(address: string) => string | null} getPlayerAddress
 */
function cleanFrame(frame, getPlayerAddress) {
  const source = frame.querySelector("source[src]")?.getAttribute("src");
  const given = frame.getAttribute("src") || frame.dataset.src || frame.getAttribute("data") || source || "";
  const address = given.trim().replace(/^\/\//, "https://");
  const isTrackingPixel = ["width", "height"].some((side) => /^[01]$/.test(frame.getAttribute(side) ?? ""));
  const isHidden = isTrackingPixel || frame.closest("[hidden], [aria-hidden=true]");
  if (!frame.isConnected || isHidden || !/^https?:\/\//i.test(address)) return frame.remove();
  const kept = getPlayerAddress(address);
  if (!kept) return frame.remove();
  const [paragraph, link] = ["p", "a"].map((name) => frame.ownerDocument.createElement(name));
  link.setAttribute("href", kept);
  link.textContent = kept;
  paragraph.append(link);
  frame.replaceWith(paragraph);
}

/** @param {HTMLImageElement} image @param {(image: HTMLImageElement) => string | null} getPictureAddress */
function cleanPicture(image, getPictureAddress) {
  const alt = (image.alt ?? "").replace(/\s+/g, " ").replace(/\s*Description automatically generated.*$/, "");
  const isTrackingPixel = ["width", "height"].some((side) => /^[0-3]$/.test(image.getAttribute(side) ?? ""));
  if (/^\p{Extended_Pictographic}(?:\p{Emoji}|\ufe0f|\u200d)*$/u.test(alt)) return image.replaceWith(alt);
  const address = !isTrackingPixel && !image.closest("li[role=checkbox]") && getPictureAddress(image);
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
  forEachMatch(body, "li[role=checkbox]", (item) => {
    const box = item.ownerDocument.createElement("input");
    box.type = "checkbox";
    box.toggleAttribute("checked", item.ariaChecked === "true");
    item.prepend(box);
  });
  forEachMatch(body, "input", (box) => {
    const item = box.closest("li");
    if (box.type === "checkbox" && item) item.prepend(box);
    else box.remove();
  });
  forEachMatch(body, ":is(ul, ol) > :is(ul, ol)", (list) => {
    const before = list.previousElementSibling;
    if (before?.localName === "li") before.append(list);
    else unwrapElement(list);
  });
  forEachMatch(body, "li", (item) => {
    const paragraphs = listChildren(item).filter(({ localName }) => /^(p|div)$/.test(localName));
    if (paragraphs.length === 1 && !containsBlock(paragraphs[0])) unwrapElement(paragraphs[0]);
  });
  forEachMatch(body, "ol", (list) => {
    const items = listChildren(list).filter(({ localName }) => localName === "li");
    for (const [n, item] of items.entries()) item.setAttribute("value", String((list.start ?? 1) + n));
  });
}

const listChildren = (/** @type {Element} */ { children }) => [...children];

// Replace tables that e-mails and old pages use for their layout with text. In other tables, make the first row the
// head and each cell one line, as Markdown needs it.
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
      if (!y) forEachMatch(cell, "b, strong", unwrapElement);
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
  forEachMatch(cell, "li", (item) => item.prepend("• "));
  forEachMatch(cell, "pre", (block) => renameElement(block, "p"));
  forEachMatch(cell, BLOCK_ELEMENTS, (block) => {
    if (block.textContent.trim()) block.after(block.ownerDocument.createElement("br"));
    unwrapElement(block);
  });
  trimLineBreaks(cell);
}

/** @param {HTMLAnchorElement} link */
function cleanLink(link) {
  const target = findLinkTarget(link.getAttribute("href") ?? "");
  if (!target || !(link.textContent.trim() || link.querySelector("img"))) return unwrapElement(link);
  for (const { name } of [...link.attributes]) link.removeAttribute(name);
  link.setAttribute("href", target);
}

/** Return the target of a link without redirect services, or "" for a forbidden address. @param {string} address */
function findLinkTarget(address) {
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address.trim()) || !URL.canParse(address)) return "";
  const { host, pathname, searchParams } = new URL(address);
  const name = REDIRECT_SERVICES.find(([pattern]) => pattern.test(host + pathname))?.[1];
  const target = (name && searchParams.get(name)) || "";
  return /^https?:/i.test(target) ? target : address.trim().replace(/\s/g, "%20");
}

/** @param {HTMLElement} body */
function cleanInlineElements(body) {
  // An inline element around blocks becomes an inline element inside each block.
  for (const mark of [...body.querySelectorAll(INLINE_ELEMENTS)].reverse()) {
    if (!containsBlock(mark)) continue;
    forEachMatch(mark, BLOCK_ELEMENTS, (block) => {
      if (containsBlock(block) || !block.childNodes.length) return;
      const copy = /** @type {Element} */ (mark.cloneNode(false));
      copy.append(...block.childNodes);
      block.append(copy);
    });
    unwrapElement(mark);
  }
  forEachMatch(body, `:is(${HEADINGS}) :is(b, strong)`, unwrapElement);
  forEachMatch(
    body,
    ":is(b, strong) :is(b, strong), :is(i, em) :is(i, em), del del, code :is(b, strong, i, em, code)",
    unwrapElement,
  );
  /** @type {Record<string, string>} */
  const equals = { B: "STRONG", I: "EM" };
  const getKind = (/** @type {Node} */ { nodeName }) => equals[nodeName] ?? nodeName;
  forEachMatch(body, "b, strong, i, em, del, code", (mark) => {
    const before = mark.previousSibling;
    if (mark.closest("pre") || !before || getKind(before) !== getKind(mark)) return;
    before.append(...mark.childNodes);
    mark.remove();
  });
  forEachMatch(body, INLINE_ELEMENTS, (mark) => {
    while (mark.firstChild?.nodeName === "BR") mark.before(mark.firstChild);
    while (mark.lastChild?.nodeName === "BR") mark.after(mark.lastChild);
  });
}

/**
 * Replace two line breaks with the end of a paragraph, and remove line breaks at the edge of a block.
 * @param {HTMLElement} body
 */
function cleanLineBreaks(body) {
  forEachMatch(body, `:is(${HEADINGS}) br`, (line) => line.replaceWith(" "));
  forEachMatch(body, "br", (line) => {
    const next = line.nextSibling;
    const after = next && isBlankText(next) ? next.nextSibling : next;
    if (after?.nodeName === "BR" && !line.closest("td, th")) {
      after.replaceWith(line.ownerDocument.createElement("div"));
      line.remove();
    }
  });
  forEachMatch(body, BLOCK_ELEMENTS, trimLineBreaks);
  trimLineBreaks(body);
  forEachMatch(body, "br", (line) => {
    const isAtEdge = (/** @type {"previousSibling" | "nextSibling"} */ side) => {
      let node = line[side];
      while (node && isBlankText(node)) node = node[side];
      return node?.nodeType === Node.ELEMENT_NODE && node.matches(BLOCK_ELEMENTS);
    };
    if (isAtEdge("previousSibling") || isAtEdge("nextSibling")) line.remove();
  });
}

/** @param {Element} block */
function trimLineBreaks(block) {
  const isEmpty = (/** @type {Node | null} */ node) => node && (node.nodeName === "BR" || isBlankText(node));
  if (block.closest("pre")) return;
  while (isEmpty(block.firstChild)) block.firstChild?.remove();
  while (isEmpty(block.lastChild)) block.lastChild?.remove();
}

// Keep no-break spaces where French and numbers need them; elsewhere, programs write them to keep several spaces.
/** @param {HTMLElement} body */
const cleanSpaces = (body) =>
  changeTexts(body, (text) =>
    text.replace(/[\u200b\ufeff\u00ad]/g, "").replace(/(?<![«\d]\u00a0?)\u00a0(?![:;!?»%‰°€$£\d])/g, " "),
  );
