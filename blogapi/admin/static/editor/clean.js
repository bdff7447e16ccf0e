/** Turns rich text of the clipboard into plain structure: what programs write by styles becomes elements. */

const BLOCKS =
  "address, article, aside, blockquote, center, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6, header, " +
  "hr, li, main, nav, ol, p, pre, section, table, td, th, ul";
const REMOVED =
  "audio, button, canvas, embed, iframe, link, math, meta, noscript, object, script, select, style, svg, template, " +
  "textarea, title, video, xml, [hidden], [aria-hidden=true]:not(:has(img))";
const HEADINGS = "h1, h2, h3, h4, h5, h6";
const MARKS = "a, b, strong, i, em, del, s, strike";
const MONOSPACE = /courier|consolas|menlo|monaco|\bmono\b|monospace/i;
// The classes of paragraphs of Word.
const WORD_STYLES = { MsoTitle: "h1", MsoQuote: "blockquote", MsoIntenseQuote: "blockquote" };
// Addresses that lead to another one, and the name of its parameter.
/** @type {[RegExp, string][]} */
const REDIRECTS = [
  [/^www\.google\.[a-z.]+\/url$/, "q"],
  [/\.safelinks\.protection\.outlook\.com\//, "url"],
  [/^lm?\.facebook\.com\/l\.php$/, "u"],
];
const MAX_COLUMNS = 50;
// The character before the names of attributes that the policy of the page forbids: browsers report each of them,
// even in a document that is not shown.
export const INERT = "\ue003";
const STYLE = `${INERT}style`;

const each = (root, selector, action) => [...root.querySelectorAll(selector)].forEach(action);
const unwrap = (element) => element.replaceWith(...element.childNodes);
const isSpace = (node) => node.nodeType === Node.TEXT_NODE && !node.nodeValue.trim();
const hasBlock = (element) => element.querySelector(BLOCKS) !== null;

function rename(element, name) {
  const renamed = element.ownerDocument.createElement(name);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
  return renamed;
}

function wrapContent(element, name) {
  const wrapper = element.ownerDocument.createElement(name);
  wrapper.append(...element.childNodes);
  element.append(wrapper);
}

function readStyle(element, name) {
  const found = new RegExp(`(?:^|;)\\s*${name}\\s*:([^;]+)`, "i").exec(element.getAttribute(STYLE) ?? "");
  return found ? found[1].trim() : "";
}

/**
 * Clean the body of a document that is not shown. `keepPicture(image)` returns the address of a picture, or
 * null to remove it.
 */
export function clean(body, keepPicture) {
  body.normalize();
  each(body, REMOVED, (element) => element.remove());
  each(body, `[${STYLE}]`, (element) => {
    if (/display:\s*none|mso-hide:\s*all/i.test(element.getAttribute(STYLE))) element.remove();
  });
  makeFootnotes(body);
  makeWordLists(body);
  makeOnlineLists(body);
  each(body, "*", (element) => {
    if (element.localName.startsWith("v:")) element.remove();
    else if (element.localName.includes(":")) unwrap(element);
  });
  cleanCode(body);
  nameElements(body);
  styleToElements(body);
  each(body, "img", (image) => cleanPicture(image, keepPicture));
  cleanLists(body);
  each(body, "table", cleanTable);
  each(body, "a", cleanLink);
  cleanMarks(body);
  cleanBreaks(body);
  cleanSpaces(body);
}

// Word and LibreOffice link the number of a note and the note with each other.
function makeFootnotes(body) {
  const selector = "a[href^='#_ftn']:not([href^='#_ftnref']), a.sdfootnoteanc";
  const notes = new Map();
  each(body, `div[${STYLE}*='mso-element:footnote'], div[id^=sdfootnote]`, (note) => {
    const number = /\d+$/.exec(note.id)?.[0];
    if (!number) return unwrap(note);
    each(note, "a[href^='#_ftnref'], a.sdfootnotesym", (link) => link.remove());
    notes.set(number, note);
  });
  each(body, selector, (link) => {
    const [number] = /\d+/.exec(link.getAttribute("href")) ?? [""];
    if (!notes.has(number)) return unwrap(link);
    const place = link.parentElement.matches("sup") ? link.parentElement : link;
    place.replaceWith(`\ue001${number}\ue002`);
  });
  for (const [number, note] of notes) {
    const text = note.textContent.replace(/\s+/g, " ").trim();
    const line = rename(note, "p");
    line.textContent = `\ue001${number}\ue002: ${text}`;
    body.append(line);
  }
}

// In Word, the items of lists are paragraphs that name a list and a level; the mark is part of the text.
function makeWordLists(body) {
  const items = [];
  each(body, `[${STYLE}*='mso-list']`, (place) => {
    const level = /\blevel(\d+)/.exec(readStyle(place, "mso-list"))?.[1];
    if (!level) return;
    const sign = [...place.querySelectorAll(`[${STYLE}*='mso-list']`)].find((part) =>
      /ignore/i.test(readStyle(part, "mso-list")),
    );
    const mark = sign?.textContent.trim() ?? "";
    sign?.remove();
    if (place.matches(HEADINGS)) return;
    const isOrdered = /^\(?(?:\d+|[a-z]{1,5})[.)]/i.test(mark);
    items.push({ place, content: place, level: Number(level), isOrdered, start: Number.parseInt(mark, 10) || 1 });
  });
  nestItems(items);
}

// In Word for the web and OneNote, each item is a list of its own, in a <div>.
function makeOnlineLists(body) {
  const items = [];
  each(body, ".ListContainerWrapper li", (content) => {
    const place = content.closest(".ListContainerWrapper");
    const list = content.parentElement;
    const level = Number(content.dataset.ariaLevel ?? content.ariaLevel ?? 1);
    items.push({ place, content, level, isOrdered: list.localName === "ol", start: list.start ?? 1 });
  });
  nestItems(items);
}

// Make nested lists of paragraphs that follow each other.
function nestItems(items) {
  const follows = items.map(({ place }, n) =>
    [place, place.previousElementSibling].includes(items[n - 1]?.place ?? null),
  );
  let open = [];
  for (const [n, { place, content, level, isOrdered, start }] of items.entries()) {
    if (!follows[n]) open = [];
    const isOver = (last) => last.level > level || (last.level === level && last.isOrdered !== isOrdered);
    while (open.length && isOver(open.at(-1))) open.pop();
    if (!open.length || open.at(-1).level < level) {
      const list = place.ownerDocument.createElement(isOrdered ? "ol" : "ul");
      if (isOrdered) list.setAttribute("start", start);
      const parent = open.at(-1)?.list.lastElementChild;
      if (parent) parent.append(list);
      else place.before(list);
      open.push({ list, level, isOrdered });
    }
    const item = place.ownerDocument.createElement("li");
    item.append(...content.childNodes);
    open.at(-1).list.append(item);
  }
  for (const { place } of items) place.remove();
}

// Editors of code write a <div> for each line.
function cleanCode(body) {
  each(body, `div[${STYLE}*='white-space']`, (block) => {
    const isCode = /^pre/.test(readStyle(block, "white-space")) && MONOSPACE.test(readStyle(block, "font-family"));
    if (!isCode || !block.isConnected || block.closest("pre")) return;
    const lines = [...block.childNodes].map(({ textContent, nodeName }) => (nodeName === "BR" ? "" : textContent));
    block.textContent = hasBlock(block) ? lines.join("\n") : block.textContent;
    rename(block, "pre");
  });
  each(body, "pre br", (line) => line.replaceWith("\n"));
  each(body, "pre", (block) => {
    const classes = `${block.className} ${block.querySelector("code")?.className ?? ""}`;
    const language = /\b(?:lang(?:uage)?-|brush:\s*)([\w+#-]+)/.exec(classes)?.[1] ?? block.dataset.lang ?? "";
    block.textContent = block.textContent.replaceAll("\u00a0", " ").replace(/\n$/, "");
    wrapContent(block, "code");
    block.firstChild.className = language && `language-${language}`;
  });
}

// Elements that say by a role or a class what they are.
function nameElements(body) {
  each(body, "[role=heading][aria-level]", (element) => {
    const level = Math.min(Math.max(Number.parseInt(element.ariaLevel, 10) || 2, 1), 6);
    if (!element.matches(HEADINGS)) rename(element, `h${level}`);
  });
  for (const [name, element] of Object.entries(WORD_STYLES)) {
    each(body, `p.${name}`, (paragraph) => {
      const named = rename(paragraph, element);
      if (element === "blockquote") wrapContent(named, "p");
    });
  }
  each(body, "aside", (element) => rename(element, "blockquote"));
  each(body, "tt, samp", (element) => element.closest("pre") ?? rename(element, "code"));
  each(body, "strike, s", (element) => rename(element, "del"));
  each(body, "blockquote:has(> p) + blockquote:has(> p)", (quote) =>
    quote.prepend(...quote.previousElementSibling.childNodes),
  );
  each(body, "blockquote:empty", (quote) => quote.remove());
}

// Google Docs and others write bold, italic and code as styles of a <span>.
function styleToElements(body) {
  each(body, "b, strong, i, em", (element) => {
    const name = element.matches("b, strong") ? "font-weight" : "font-style";
    if (/^(normal|400)$/i.test(readStyle(element, name))) unwrap(element);
  });
  each(body, "span, font", (element) => {
    if (element.closest("pre")) return;
    const isCode = MONOSPACE.test(readStyle(element, "font-family") || (element.getAttribute("face") ?? ""));
    const align = readStyle(element, "vertical-align");
    if (isCode && !element.closest("code") && !hasBlock(element)) wrapContent(element, "code");
    if (/line-through/i.test(readStyle(element, "text-decoration(?:-line)?"))) wrapContent(element, "del");
    if (/^(sub|super)$/i.test(align)) wrapContent(element, align.slice(0, 3));
    if (/^(italic|oblique)/i.test(readStyle(element, "font-style"))) wrapContent(element, "em");
    if (/^(bold|[6-9]00)/i.test(readStyle(element, "font-weight"))) wrapContent(element, "strong");
  });
  each(body, "span, font, u, ins, label, o\\:p", (element) => element.closest("pre") ?? unwrap(element));
}

function cleanPicture(image, keepPicture) {
  const alt = (image.alt ?? "").replace(/\s+/g, " ").replace(/\s*Description automatically generated.*$/, "");
  const isDot = ["width", "height"].some((side) => /^[0-3]$/.test(image.getAttribute(side) ?? ""));
  if (/^\p{Extended_Pictographic}(?:\p{Emoji}|\ufe0f|\u200d)*$/u.test(alt)) return image.replaceWith(alt);
  const address = !isDot && !image.closest("li[role=checkbox]") && keepPicture(image);
  if (!address) return image.remove();
  const caption = image.closest("figure")?.querySelector("figcaption");
  const title = caption?.textContent.replace(/\s+/g, " ").trim();
  caption?.remove();
  for (const { name } of [...image.attributes]) image.removeAttribute(name);
  image.setAttribute("src", address);
  image.setAttribute("alt", alt);
  if (title) image.setAttribute("title", title);
}

function cleanLists(body) {
  each(body, "li[role=checkbox]", (item) => {
    const box = item.ownerDocument.createElement("input");
    box.type = "checkbox";
    box.toggleAttribute("checked", item.ariaChecked === "true");
    item.prepend(box);
  });
  each(body, "input", (box) => {
    const item = box.closest("li");
    if (box.type === "checkbox" && item) item.prepend(box);
    else box.remove();
  });
  each(body, ":is(ul, ol) > :is(ul, ol)", (list) => {
    const before = list.previousElementSibling;
    if (before?.localName === "li") before.append(list);
    else unwrap(list);
  });
  each(body, "li", (item) => {
    const paragraphs = [...item.children].filter(({ localName }) => /^(p|div)$/.test(localName));
    if (paragraphs.length === 1 && !hasBlock(paragraphs[0])) unwrap(paragraphs[0]);
  });
  each(body, "ol", (list) => {
    const items = [...list.children].filter(({ localName }) => localName === "li");
    for (const [n, item] of items.entries()) item.setAttribute("value", String((list.start ?? 1) + n));
  });
}

// Mail and old pages use tables for their layout. In Markdown, the first row of a table is its head, and a cell
// is one line.
function cleanTable(table) {
  const rows = [...table.rows].filter(({ cells }) => cells.length);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const isLayout = table.matches("[role=presentation]") || table.querySelector(`table, ${HEADINGS}`) || width < 2;
  const make = (name) => table.ownerDocument.createElement(name);
  const caption = table.caption && rename(table.caption, "p");
  if (caption) table.before(caption);
  if (isLayout) return table.replaceWith(...rows.flatMap((row) => [...row.cells].map((cell) => rename(cell, "div"))));
  /** @type {any[][]} */
  const filled = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    for (const cell of row.cells) {
      cleanCell(cell);
      let x = 0;
      while (filled[y][x]) x += 1;
      const height = Math.min(cell.rowSpan || 1, rows.length - y);
      for (let down = 0; down < height; down += 1) {
        for (let n = x; n < Math.min(x + cell.colSpan, MAX_COLUMNS); n += 1) {
          filled[y + down][n] ??= down || n > x ? make("td") : cell;
        }
      }
    }
  }
  const columns = Math.max(...filled.map((row) => row.length));
  const fresh = [make("thead"), make("tbody")];
  for (const [y, row] of filled.entries()) {
    const line = make("tr");
    for (let x = 0; x < columns; x += 1) {
      const cell = make(y ? "td" : "th");
      const align = readStyle(filled[1]?.[x] ?? cell, "text-align") || filled[1]?.[x]?.getAttribute("align");
      if (/^(right|center)$/i.test(align ?? "")) cell.setAttribute("align", align);
      cell.append(...(row[x]?.childNodes ?? []));
      if (!y) each(cell, "b, strong", unwrap);
      line.append(cell);
    }
    fresh[y ? 1 : 0].append(line);
  }
  table.replaceChildren(...fresh);
}

function cleanCell(cell) {
  if (cell.firstElementChild) flattenCell(cell);
  const texts = cell.ownerDocument.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue.replaceAll("|", "\ue000");
}

function flattenCell(cell) {
  each(cell, "li", (item) => item.prepend("• "));
  each(cell, "pre", (block) => rename(block, "p"));
  each(cell, BLOCKS, (block) => {
    if (block.textContent.trim()) block.after(block.ownerDocument.createElement("br"));
    unwrap(block);
  });
  trimBreaks(cell);
}

function cleanLink(link) {
  const target = findTarget(link.getAttribute("href") ?? "");
  if (!target || !(link.textContent.trim() || link.querySelector("img"))) return unwrap(link);
  for (const { name } of [...link.attributes]) link.removeAttribute(name);
  link.setAttribute("href", target);
}

/** Return the address without a detour, or "" if a text must not contain it. */
export function findTarget(address) {
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address.trim()) || !URL.canParse(address)) return "";
  const { host, pathname, searchParams } = new URL(address);
  const name = REDIRECTS.find(([pattern]) => pattern.test(host + pathname))?.[1];
  const target = (name && searchParams.get(name)) || "";
  return /^https?:/i.test(target) ? target : address.trim().replace(/\s/g, "%20");
}

function cleanMarks(body) {
  // A mark around blocks becomes a mark inside each of them.
  for (const mark of [...body.querySelectorAll(MARKS)].reverse()) {
    if (!hasBlock(mark)) continue;
    each(mark, BLOCKS, (block) => {
      if (hasBlock(block) || !block.childNodes.length) return;
      const copy = mark.cloneNode(false);
      copy.append(...block.childNodes);
      block.append(copy);
    });
    unwrap(mark);
  }
  each(body, `:is(${HEADINGS}) :is(b, strong)`, unwrap);
  each(body, ":is(b, strong) :is(b, strong), :is(i, em) :is(i, em), del del, code :is(b, strong, i, em, code)", unwrap);
  const kind = ({ nodeName }) => ({ B: "STRONG", I: "EM" })[nodeName] ?? nodeName;
  each(body, "b, strong, i, em, del, code", (mark) => {
    const before = mark.previousSibling;
    if (mark.closest("pre") || !before || kind(before) !== kind(mark)) return;
    before.append(...mark.childNodes);
    mark.remove();
  });
  each(body, MARKS, (mark) => {
    while (mark.firstChild?.nodeName === "BR") mark.before(mark.firstChild);
    while (mark.lastChild?.nodeName === "BR") mark.after(mark.lastChild);
  });
}

// Two line breaks end a paragraph; one at the edge of a block does nothing.
function cleanBreaks(body) {
  each(body, `:is(${HEADINGS}) br`, (line) => line.replaceWith(" "));
  each(body, "br", (line) => {
    const next = line.nextSibling;
    const after = next && isSpace(next) ? next.nextSibling : next;
    if (after?.nodeName === "BR" && !line.closest("td, th")) {
      after.replaceWith(line.ownerDocument.createElement("div"));
      line.remove();
    }
  });
  each(body, BLOCKS, trimBreaks);
  trimBreaks(body);
  each(body, "br", (line) => {
    const isEdge = (side) => {
      let node = line[side];
      while (node && isSpace(node)) node = node[side];
      return node?.nodeType === Node.ELEMENT_NODE && node.matches(BLOCKS);
    };
    if (isEdge("previousSibling") || isEdge("nextSibling")) line.remove();
  });
}

function trimBreaks(block) {
  const isEmpty = (node) => node && (node.nodeName === "BR" || isSpace(node));
  if (block.localName === "pre" || block.closest("pre")) return;
  while (isEmpty(block.firstChild)) block.firstChild.remove();
  while (isEmpty(block.lastChild)) block.lastChild.remove();
}

// A space that does not break the line is kept where French and numbers need it; elsewhere, programs use it to
// keep several spaces.
function cleanSpaces(body) {
  const texts = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    currentNode.nodeValue = currentNode.nodeValue
      .replace(/[\u200b\ufeff\u00ad]/g, "")
      .replace(/(?<![«\d]\u00a0?)\u00a0(?![:;!?»%‰°€$£\d])/g, " ");
  }
}
