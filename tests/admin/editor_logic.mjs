// The parts of the editor that need no page: saving, the journal, the commands of the toolbar, and line breaks.

import assert from "node:assert/strict";
import { test, mock } from "node:test";
// What the server writes into each page.
globalThis.document = { getElementById: () => ({ textContent: process.env.TEXT_FIELDS }) };
const base = new URL("../../blogapi/admin/source/editor/", import.meta.url).href;
const { Saver } = await import(`${base}saving.js`);
const { Journal } = await import(`${base}journal.js`);
const storage = await import(`${base}../storage.js`);
const md = await import(`${base}markdown.js`);
const blocks = await import(`${base}blocks.js`);
const doc = await import(`${base}edits.js`);
const links = await import(`${base}links.js`);
const offsets = await import(`${base}preview-offsets.js`);
const merge = await import(`${base}merge.js`);
const diff3 = await import(`${base}../../static/vendor/diff3.js`);

class Storage {
  setItem(k, v) {
    if (full) throw new Error("full");
    this[k] = v;
  }
  getItem(k) {
    return this[k] ?? null;
  }
  removeItem(k) {
    delete this[k];
  }
}
let full = false;
for (const name of ["setItem", "getItem", "removeItem"])
  Object.defineProperty(Storage.prototype, name, { enumerable: false });

const tick = async () => {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
};
const error = (status, more = {}) => Object.assign(new Error("x"), { status, ...more });

function makeSaver(text = { content: "" }) {
  const sent = [],
    states = [];
  const page = {
    get edits() {
      return { ...text };
    },
    sendEdits: (edits, options) => new Promise((resolve, reject) => sent.push({ edits, options, resolve, reject })),
    findSentEdits: async () => null,
    showSaveState: (state) => states.push(state),
  };
  const saver = new Saver(page);
  saver.setStoredEdits({ ...text }, '"0"');
  return { saver, sent, states, text, page };
}

test("five Ctrl+S: one request at a time, and no conflict with oneself", async () => {
  const { saver, sent, text } = makeSaver();
  text.content = "1";
  const first = saver.saveEdits();
  for (const n of "2345") {
    text.content = n;
    saver.saveEdits();
  }
  await tick();
  assert.equal(sent.length, 1);
  sent[0].resolve('"1"');
  await tick();
  assert.equal(sent.length, 2);
  assert.deepEqual([sent[1].edits.content, sent[1].options.etag], ["5", '"1"']);
  sent[1].resolve('"2"');
  assert.equal(await first, true);
  assert.deepEqual([saver.state, saver.etag, sent.length], ["saved", '"2"', 2]);
});

test("an unchanged text is never sent", async () => {
  const { saver, sent } = makeSaver();
  assert.equal(await saver.saveEdits(), true);
  assert.equal(sent.length, 0);
});

test("autosave after a pause; what is typed during a save is sent after it", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  saver.handleEdit();
  assert.equal(saver.state, "unsaved");
  mock.timers.tick(1499);
  await tick();
  assert.equal(sent.length, 0);
  mock.timers.tick(1);
  await tick();
  assert.equal(sent.length, 1);
  text.content = "ab";
  saver.handleEdit();
  sent[0].resolve("1");
  await tick();
  assert.deepEqual([saver.state, sent.length], ["unsaved", 2]);
  sent[1].resolve("2");
  await tick();
  assert.equal(saver.state, "saved");
  // Typing without a pause is saved after ten seconds.
  for (let n = 0; n < 11; n += 1) {
    text.content += n;
    saver.handleEdit();
    mock.timers.tick(1000);
    await tick();
  }
  assert.equal(sent.length, 3);
  mock.timers.reset();
});

test("offline: says so, keeps trying with the same etag, and saves what was typed meanwhile", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  saver.saveEdits();
  await tick();
  sent[0].reject(error(0));
  await tick();
  assert.equal(saver.state, "offline");
  text.content = "ab";
  saver.handleEdit();
  assert.equal(saver.state, "offline");
  mock.timers.tick(2000);
  await tick();
  assert.deepEqual([sent.length, sent[1].edits.content, sent[1].options.etag], [2, "ab", '"0"']);
  sent[1].resolve("1");
  await tick();
  assert.equal(saver.state, "saved");
  mock.timers.reset();
});

test("edits undone during an outage: the next edit is saved", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  saver.saveEdits();
  await tick();
  sent[0].reject(error(0));
  await tick();
  text.content = "";
  saver.handleEdit();
  mock.timers.tick(2000);
  await tick();
  assert.deepEqual([sent.length, saver.state], [1, "saved"]);
  text.content = "b";
  saver.handleEdit();
  assert.equal(saver.state, "unsaved");
  mock.timers.tick(1500);
  await tick();
  assert.deepEqual([sent.length, sent[1]?.edits.content], [2, "b"]);
  mock.timers.reset();
});

test("a lost answer is not a conflict", async () => {
  const { saver, sent, text, page } = makeSaver();
  page.findSentEdits = async ([edits]) => ({ etag: '"9"', edits });
  text.content = "a";
  const done = saver.saveEdits();
  await tick();
  text.content = "ab";
  sent[0].reject(error(412));
  await tick();
  assert.deepEqual([sent.length, sent[1].options.etag, sent[1].edits.content], [2, '"9"', "ab"]);
  sent[1].resolve('"10"');
  assert.equal(await done, true);
});

test("a conflict stops saving until it is resolved", async () => {
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  const done = saver.saveEdits();
  await tick();
  sent[0].reject(error(412));
  assert.equal(await done, false);
  assert.equal(saver.state, "conflict");
  text.content = "b";
  saver.handleEdit();
  assert.equal(await saver.saveEdits(), false);
  assert.equal(sent.length, 1);
  saver.setStoredEdits({ content: "theirs" }, '"7"');
  saver.saveEdits();
  await tick();
  assert.equal(sent[1].options.etag, '"7"');
});

test("refused: the reason is shown, the next edit tries again; a closed sign-in is not asked again by itself", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  saver.saveEdits();
  await tick();
  sent[0].reject(error(401));
  await tick();
  assert.deepEqual([saver.state, saver.problem.status], ["refused", 401]);
  text.content = "b";
  saver.handleEdit();
  mock.timers.tick(1500);
  await tick();
  assert.equal(sent[1].options.signInAgain, false);
  sent[1].reject(error(401));
  await tick();
  saver.saveEdits();
  await tick();
  assert.equal(sent[2].options.signInAgain, true);
  mock.timers.reset();
});

test("a server that is busy says when, and typing does not shorten that", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, text } = makeSaver();
  text.content = "a";
  saver.saveEdits();
  await tick();
  sent[0].reject(error(503, { retryAfter: 7 }));
  await tick();
  assert.equal(saver.state, "refused");
  text.content = "ab";
  saver.handleEdit();
  mock.timers.tick(6999);
  await tick();
  assert.deepEqual([sent.length, saver.state], [1, "refused"]);
  mock.timers.tick(1);
  await tick();
  assert.equal(sent.length, 2);
  // The next edit after a final refusal is saved after the usual pause.
  sent[1].reject(error(400));
  await tick();
  text.content = "abc";
  saver.handleEdit();
  mock.timers.tick(1500);
  await tick();
  assert.equal(sent.length, 3);
  mock.timers.reset();
});

test("a save that takes long is shown, a short one is not", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { saver, sent, states, text } = makeSaver();
  for (const milliseconds of [399, 400]) {
    text.content += "a";
    saver.saveEdits();
    await tick();
    mock.timers.tick(milliseconds);
    sent.at(-1).resolve("1");
    await tick();
  }
  assert.deepEqual(states, ["saved", "saved", "saving", "saved"]);
  mock.timers.reset();
});

test("short texts are sent with keepalive, which outlives the page", async () => {
  for (const [length, keepalive] of [
    [29_000, true],
    [31_000, false],
  ]) {
    const { saver, sent, text } = makeSaver();
    text.content = "é".repeat(length);
    saver.saveEdits();
    await tick();
    assert.equal(sent[0].options.keepalive, keepalive);
  }
});

// Return the journal of a tab, which has written this entry, and a function that closes the tab.
function openJournal(user, entry) {
  const before = new Set(held);
  const journal = new Journal(user);
  if (entry) journal.writeEntry(entry);
  return { journal, close: () => (held = held.filter((lock) => before.has(lock))) };
}
let held = [];
const locks = { request: (name) => held.push({ name }), query: async () => ({ held }) };
Object.defineProperty(globalThis, "navigator", { value: { locks, platform: "MacIntel" } });
const entry = { article: "a1", isNew: false, edits: { title: "T", content: "one two" }, base: "{}", etag: "e" };

test("a text is offered when its tab is closed, to its user, in its article", async () => {
  globalThis.localStorage = new Storage();
  const { journal: reader } = openJournal("me");
  const open = openJournal("me", entry);
  openJournal("other", entry).close();
  openJournal("me", { ...entry, article: "a2", isNew: true }).close();
  assert.equal((await reader.findEntries("a1")).length, 0);
  assert.equal((await reader.findEntries()).length, 1);
  open.close();
  const [found, ...more] = await reader.findEntries("a1");
  assert.deepEqual([found.edits, found.base, found.etag, more.length], [entry.edits, "{}", "e", 0]);
  assert.deepEqual((await reader.findEntries()).map(({ article }) => article).sort(), ["a1", "a2"]);
  open.journal.deleteEntry();
  assert.equal((await reader.findEntries("a1")).length, 0);
});

test("without locks, and without a storage, the journal does what it can", async () => {
  globalThis.localStorage = new Storage();
  delete navigator.locks;
  const { journal } = openJournal("me", entry);
  assert.deepEqual([journal.isKept, (await journal.findEntries("a1")).length], [true, 0]);
  assert.equal((await openJournal("me").journal.findEntries("a1")).length, 1);
  navigator.locks = locks;
  localStorage["blogapi.journal.x"] = "{broken";
  full = true;
  assert.equal(openJournal("me", entry).journal.isKept, false);
  full = false;
  Object.defineProperty(globalThis, "localStorage", {
    get: () => {
      throw new Error("switched off");
    },
  });
  assert.deepEqual(
    [storage.getItem("a"), storage.setItem("a", 1), storage.removeItem("a")],
    [undefined, false, undefined],
  );
  assert.deepEqual([storage.listKeys("a"), await journal.findEntries()], [[], []]);
});

test("shortcuts take Ctrl, or ⌘ on a Mac", async () => {
  const press = (module, more) => module.getShortcutKey({ key: "b", ...more });
  const mac = await import(`${base}../shortcuts.js?mac`);
  assert.deepEqual([press(mac, { metaKey: true }), press(mac, { ctrlKey: true })], ["B", ""]);
  assert.equal(mac.getAriaKeys("B"), "Meta+B");
  navigator.platform = "Win32";
  const other = await import(`${base}../shortcuts.js?other`);
  assert.deepEqual([press(other, { metaKey: true }), press(other, { ctrlKey: true })], ["", "B"]);
  assert.equal(press(other, { ctrlKey: true, altKey: true }), "");
  assert.equal(press(other, { ctrlKey: true, isComposing: true }), "");
  assert.equal(other.getAriaKeys("B"), "Control+B");
});

const show = (name, marked) => {
  const from = marked.indexOf("<"),
    to = marked.indexOf(">") - 1;
  const text = marked.replace("<", "").replace(">", "");
  const e = md.runCommand(name, { text, from, to });
  const out = text.slice(0, e.from) + e.insert + text.slice(e.to);
  return `${out.slice(0, e.selectFrom)}<${out.slice(e.selectFrom, e.selectTo)}>${out.slice(e.selectTo)}`;
};
for (const [name, before, after] of [
  ["bold", "a <word> b", "a **<word>** b"],
  ["bold", "a **<word>** b", "a <word> b"],
  ["bold", "a <**word**> b", "a <word> b"],
  ["bold", "a wo<>rd b", "a **<word>** b"],
  ["bold", "a <> b", "a **<>** b"],
  ["bold", "<a b >c", "**<a b>** c"],
  ["bold", "<a\n\nb>", "<**a**\n\n**b**>"],
  ["italic", "**<a>**", "***<a>***"],
  ["italic", "***<a>***", "**<a>**"],
  ["bold", "***<a>***", "*<a>*"],
  ["bold", "*<a>*", "***<a>***"],
  ["link", "see <this> now", "see [this](<https://>) now"],
  ["link", "see <> now", "see [<>](https://) now"],
  ["link", "<https://a.b/c>", "[<>](https://a.b/c)"],
  ["code", "a <b> c", "a `<b>` c"],
  ["code", "x\n\n<a\nb\n>\ny", "x\n\n```<>\na\nb\n```\n\ny"],
  ["heading", "one\ntw<>o", "one\n## tw<>o"],
  ["heading", "## tw<>o", "### tw<>o"],
  ["heading", "### tw<>o", "tw<>o"],
  ["list", "<a\nb>", "<- a\n- b>"],
  ["list", "<- a\n- b>", "<a\nb>"],
  ["tasks", "<- a\n1. b>", "<- [ ] a\n- [ ] b>"],
  ["tasks", "<- [x] a>", "<a>"],
  ["quote", "a<>", "> a<>"],
  ["list", "<>", "- <>"],
  ["list", "<a\n\n b>", "<- a\n\n - b>"],
  ["list", "<>\na", "- <>\na"],
  ["table", "a<>", "a\n\n| <Name> | Value | Note |\n| --- | --- | --- |\n|  |  |  |"],
  ["table", "<a>\nb", "a\n\n| <Name> | Value | Note |\n| --- | --- | --- |\n|  |  |  |\n\nb"],
  // On an empty line, code is a block.
  ["code", "a\n\n<>\n\nb", "a\n\n```\n<>\n```\n\nb"],
  ["code", "a <>", "a `<>`"],
  ["strike", "a <b> c", "a ~~<b>~~ c"],
  ["footnote", "a[^1]<> b\n\n[^1]: x\n", "a[^1][^2] b\n\n[^1]: x\n\n[^2]: <>"],
])
  test(`${name}: ${JSON.stringify(before)}`, () => assert.equal(show(name, before), after));
test("pictures", () => {
  const picture = (alt, format) => md.formatPicture({ uuid: "1", url: "https://b.example/media/1/a.jpg", alt }, format);
  assert.equal(picture('a "b" [c]', "markdown"), '![a "b" \\[c\\]](media:1)');
  assert.equal(picture('a "b"', "html"), '<img src="media:1" alt="a &quot;b&quot;">');
  assert.equal(picture("a", "text"), "https://b.example/media/1/a.jpg");
  const change = md.insertBlock({ text: "one two\n", from: 0, to: 3 }, "![a](media:1)");
  assert.deepEqual(change, { from: 3, to: 3, insert: "\n\n![a](media:1)\n\n", selectFrom: 18, selectTo: 18 });
});
test("open ends", () => {
  const code = "```\n- [ ] code ![](x)\n```\n~~~\n- [ ] code ![](x)\n~~~\n";
  const text = `- [ ] a\n- [x] b\n1. [ ] c\n${code}![](a) ![b](c)\n\n![](media:d "The quay")`;
  const tasks = md.findOpenTasks(text);
  assert.deepEqual([tasks.count, tasks.from], [2, 0]);
  const found = blocks.findUndescribedPictures(text);
  assert.deepEqual(
    found.map(({ address, caption }) => [address, caption]),
    [
      ["a", ""],
      ["media:d", "The quay"],
    ],
  );
});
for (const [original, shown, kept] of [
  ["a\r\nb\r\nc", "a\nb\nc", "a\r\nb\r\nc"],
  ["a\r\nb\nc\r\n", "a\nX\nc\n", "a\r\nX\nc\r\n"],
  ["a\nb\r\nc\rd", "a\nb\nc\nd", "a\nb\r\nc\rd"],
  ["a\r\nb", "a\nnew\nb", "a\r\nnew\r\nb"],
  ["a\r\nb\nc", "a\nc", "a\r\nc"],
  ["a\nb", "x\ny", "x\ny"],
  ["a\r\n\r\nb", "a\n\nb\n", "a\r\n\r\nb\r\n"],
  ["\r\n", "\n", "\r\n"],
  ["a\r\nb", "", ""],
  ["\r", "a", "a"],
])
  test(`breaks ${JSON.stringify([original, shown])}`, () => assert.equal(doc.restoreLineBreaks(original, shown), kept));
test("breaks at random", () => {
  for (let n = 0; n < 3000; n += 1) {
    const raw = Array.from({ length: 12 }, () => ["a", "b", "\r\n", "\n", "\r"][Math.floor(Math.random() * 5)]).join(
      "",
    );
    assert.equal(doc.restoreLineBreaks(raw, doc.normalizeLineBreaks(raw)), raw);
    const edit = `${doc.normalizeLineBreaks(raw)}\nz`;
    assert.equal(doc.normalizeLineBreaks(doc.restoreLineBreaks(raw, edit)), edit);
  }
});
test("edits", () => {
  const article = {
    title: "T",
    subtitle: "S",
    content: "c",
    content_type: "markdown",
    excerpt: "c",
    slug: "t",
    status: "draft",
    cover_image: "https://h/media/x/c.jpg",
    category: { uuid: "1" },
    tags: [{ uuid: "2" }],
    authors: [{ uuid: "3" }],
    seo: {
      uuid: "s",
      title: "T",
      description: "S",
      og_image: "https://h/media/x/c.jpg",
      canonical_url: "",
      article: "a",
    },
  };
  const edits = doc.getArticleEdits(article, "c");
  assert.deepEqual(edits, {
    ...doc.EMPTY_EDITS,
    title: "T",
    subtitle: "S",
    content: "c",
    cover_image: "https://h/media/x/c.jpg",
    category: "1",
    tags: ["2"],
    authors: ["3"],
  });
  assert.equal(doc.hasSameContent(edits, { ...edits, cover_image: "/media/x/c.jpg" }), true);
  assert.equal(doc.hasSameContent(edits, { ...edits, content: "d" }), false);
  const [stored, sent] = [edits, { ...edits, category: null, authors: [] }];
  assert.deepEqual([doc.hasSameContent(sent, stored, article), doc.hasSameContent(sent, stored)], [true, false]);
  // A category or authors that somebody else has chosen meanwhile are a difference.
  for (const other of [{ category: "4" }, { authors: ["3", "4"] }, { slug: "other" }])
    assert.equal(doc.hasSameContent(sent, { ...stored, ...other }, article), false);
  assert.deepEqual(doc.makeDraftBody(edits).tags, [{ uuid: "2" }]);
  for (const title of ["", "  ", "\u00a0"])
    assert.equal(doc.makeEditsBody({ ...doc.EMPTY_EDITS, title }).title, "Untitled");
  assert.equal(doc.makeEditsBody({ ...doc.EMPTY_EDITS, title: " A " }).title, " A ");
});

const UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d";

test("[[ asks for an article where it was typed, and not in code", () => {
  const asks = (text, rest = "") => links.hasTypedBrackets(text.slice(0, -1) + rest, text + rest, text.length);
  for (const text of [
    "[[",
    "See [[",
    "- a\n- [[",
    "`a` [[",
    "a `b\n\n[[",
    "- a\n\n    [[",
    "```\na\n```\n[[",
    "a\n    [[",
  ])
    assert(asks(text), text);
  for (const text of [
    "[",
    "[[[",
    "\\[[",
    "`[[",
    "`a [[ ",
    "```\n[[",
    "~~~ js\n```\n[[",
    "a\n\n    [[",
    "    [[",
    "\t[[",
  ])
    assert(!asks(text), text);
  assert(!asks("`a [[", "b`") && asks("`a\n[[", " b"));
  // Neither a paste nor a deletion asks.
  assert(!links.hasTypedBrackets("", "[[", 2));
  assert(!links.hasTypedBrackets("[[a", "[[", 2));
});

test("links to articles are found outside of code, and made from titles", () => {
  const link = links.formatArticleLink({ uuid: UUID, title: "A [b] *c*\nd_e" });
  assert.equal(link, `[A \\[b\\] \\*c\\* d\\_e](article:${UUID})`);
  assert.equal(links.formatArticleLink({ uuid: UUID, title: "A" }, "chosen"), `[chosen](article:${UUID})`);
  const text = `x ${link} <a href="ARTICLE:${UUID.toUpperCase()}">y</a> \`[z](article:${UUID})\`\n\n![no](media:${UUID})`;
  const found = links.findArticleLinks(text);
  assert.deepEqual(
    found.map(({ uuid }) => uuid),
    [UUID, UUID],
  );
  assert.equal(text.slice(found[0].from, found[0].to), link.slice(0, -1));
  const check = (status) => links.describeLinkProblems(found, new Map(status ? [[UUID, { status }]] : []));
  assert.deepEqual(check("published"), []);
  assert.equal(check("draft")[0].words, "Links to a draft: readers find nothing there.");
  assert.equal(check("draft")[0].range, found[0]);
  assert.match(check("scheduled")[0].words, /yet/);
  assert.match(check("archived")[0].words, /archived/);
  assert.match(check(null)[0].words, /does not exist/);
});

const applied = (text, { from, to, insert, selectFrom }) =>
  `${text.slice(0, from)}${insert.slice(0, selectFrom - from)}|${insert.slice(selectFrom - from)}${text.slice(to)}`;

test("paste: a block has empty lines around it, a paragraph continues the line", () => {
  const paste = (text, at, markdown) => applied(text, md.replaceWithMarkdown({ text, from: at, to: at }, markdown));
  assert.equal(paste("one two", 4, "**new** "), "one **new** |two");
  assert.equal(paste("one two", 4, "a\n\nb "), "one a\n\nb |two");
  assert.equal(paste("one\n", 4, "## a"), "one\n\n## a|");
  assert.equal(paste("one\n\ntwo", 5, "- a\n- b"), "one\n\n- a\n- b|\n\ntwo");
  assert.equal(paste("two", 0, "text\n\n```\nx\n```"), "text\n\n```\nx\n```|\n\ntwo");
});

test("an address on a selection becomes a link, but not on several lines, on an address or in code", () => {
  const link = (text, address) => md.linkSelection({ text, from: 0, to: text.length }, address)?.insert ?? null;
  assert.equal(link("rope", "https://a.example/b_(c)"), "[rope](https://a.example/b_\\(c\\))");
  for (const [text, address] of [
    ["rope", "a rope"],
    ["rope", "javascript:alert(1)"],
    ["a\nb", "https://a.example"],
    ["https://b.example", "https://a.example"],
    ["", "https://a.example"],
  ]) {
    assert.equal(link(text, address), null);
  }
  assert.deepEqual([links.isInCode("```\nx", 5), links.isInCode("```\nx\n```\ny", 11)], [true, false]);
});

test("a place is in code between fences, in an indented paragraph and between backticks", () => {
  for (const [text, isCode] of [
    ["~~~\nx", true],
    ["````\n```\nx", true],
    ["~~~\n```\nx", true],
    ["    x", true],
    ["a\n\n    x", true],
    ["a\n\n\tb\n\n    x", true],
    // The line between the paragraphs has spaces.
    ["a\n\n  \n    x", true],
    ["a\n    x", false],
    ["- a\n\n    x", false],
    ["1. a\n\n   x", false],
    ["`a x`", true],
    ["``a ` x``", true],
    ["`a` x", false],
    // The second backtick may follow on the line that is typed.
    ["`a x", true],
    ["`a\nx", false],
    ["\\`a x`", false],
    ["`a\n\nx`", false],
  ])
    assert.equal(links.isInCode(text, text.lastIndexOf("x")), isCode, JSON.stringify(text));
});

const mergeTexts = (before, mine, theirs) => merge.mergeLines(before, mine, theirs, diff3);
const joinText = (regions) => regions.flatMap(({ lines }) => lines).join("\n");
const listKinds = (regions) => regions.map(({ kind }) => kind).filter((kind) => kind !== "same");

test("changes at different places join, and the cursor keeps its place", () => {
  const before = "one\n\ntwo\n\nthree\n\nfour\n\nfive";
  const mine = "one\n\ntwo of mine\n\nthree\n\nfour\n\nfive\n\nsix";
  const theirs = "zero\n\none\n\ntwo\n\nthree\n\nfive";
  const regions = mergeTexts(before, mine, theirs);
  const joined = "zero\n\none\n\ntwo of mine\n\nthree\n\nfive\n\nsix";
  assert.equal(joinText(regions), joined);
  assert.deepEqual(listKinds(regions), ["theirs", "mine", "theirs", "mine"]);
  const map = merge.makeOffsetMap(regions);
  for (const word of ["one", "of mine", "three", "five", "six"])
    assert.equal(map(mine.indexOf(word)), joined.indexOf(word), word);
  assert.equal(map(mine.length), joined.length);
  assert(map(mine.indexOf("four")) <= joined.indexOf("five"));
  // Line breaks of the text field are single characters.
  const windows = (text) => `${text}\n\nend`.replaceAll("\n", "\r\n");
  const shown = merge.makeOffsetMap(mergeTexts(windows(before), windows(mine), windows(theirs)));
  assert.equal(shown(mine.indexOf("six")), joined.indexOf("six"));
});

test("the same place is open, unless both wrote the same", () => {
  const [region] = mergeTexts("a\nb\nc", "a\nmine\nc", "a\ntheirs\nc").filter(({ kind }) => kind === "open");
  assert.deepEqual([region.base, region.mine, region.theirs], [["b"], ["mine"], ["theirs"]]);
  assert.deepEqual(listKinds(mergeTexts("a\nb", "a\nB", "a\nB")), ["both"]);
  assert.deepEqual(listKinds(mergeTexts("", "mine", "theirs")), ["open"]);
  assert.deepEqual(listKinds(mergeTexts("a\nb\nc", "a\nc", "a\nB\nc")), ["open"]);
  // Without a version before both, nobody knows who has changed a line.
  assert.deepEqual(listKinds(mergeTexts(null, "a\nb\nc", "a\nc")), ["open"]);
  assert.deepEqual(listKinds(mergeTexts(null, "a", "a")), []);
});

test("any three texts are joined without losing a line of either", () => {
  let seed = 7;
  const random = (limit) => {
    seed = (seed * 16807) % 2147483647;
    return seed % limit;
  };
  for (let n = 0; n < 300; n += 1) {
    const make = () => Array.from({ length: random(6) }, () => "abc"[random(3)]);
    const [before, mine, theirs] = [make(), make(), make()].map((lines) => lines.join("\n"));
    const regions = mergeTexts(before, mine, theirs);
    const write = (side) => regions.flatMap((region) => region[side]).join("\n");
    assert.deepEqual([write("base"), write("mine"), write("theirs")], [before, mine, theirs]);
    assert.equal(joinText(mergeTexts(before, mine, before)), mine);
    assert.equal(joinText(mergeTexts(before, before, theirs)), theirs);
    const unknown = mergeTexts(null, mine, theirs);
    assert.equal(unknown.flatMap((region) => region.theirs).join("\n"), theirs);
  }
});

test("fields: one change joins, two changes of one field are open, and lists join", () => {
  const before = { ...doc.EMPTY_EDITS, title: "A", subtitle: "S", tags: ["x", "y"], content: "text" };
  const mine = { ...before, title: "Mine", tags: ["y", "m"], seo: { ...before.seo, title: "Seo" } };
  const theirs = { ...before, title: "Theirs", subtitle: "T", tags: ["x", "y", "t"], category: "c", authors: ["ada"] };
  const article = { slug: "a", category: { uuid: "c" }, authors: [{ uuid: "ada" }] };
  const merged = merge.mergeEdits({ base: before, mine, theirs, article }, diff3);
  assert.deepEqual(
    merged.conflicts.map(({ name, base, mine, theirs }) => [name, base, mine, theirs]),
    [["title", "A", "Mine", "Theirs"]],
  );
  assert.deepEqual(merged.changes, { mine: 1, theirs: 2 });
  assert.deepEqual([merged.edits.subtitle, merged.edits.tags, merged.edits.seo.title], ["T", ["y", "t", "m"], "Seo"]);
  assert.equal(merged.isClean, false);
  // An empty category and empty authors are those of the article: a new draft has no false differences.
  const draft = merge.mergeEdits({ base: before, mine: before, theirs: { ...before, category: "c" }, article }, diff3);
  assert.deepEqual([draft.changes, draft.isClean], [{ mine: 0, theirs: 0 }, true]);
  merge.writeField(mine, "seo.title", "Other");
  assert.equal(mine.seo.title, "Other");
});

test("blocks: pictures and addresses of players that are alone in a paragraph", () => {
  const uuid = "media:3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d";
  const players = [{ title: "Video", pattern: "https://v\\.example/([a-z]+)" }];
  const text = [
    `![A \\[b\\]](${uuid} "Say \\"hi\\"")`,
    `Text ![in](${uuid}) it`,
    `![one](${uuid})  \n![two](https://p.example/2.jpg)`,
    "https://v.example/abc",
    "https://v.example/123",
    `\`\`\`\n\n![code](${uuid})\n\n\`\`\``,
    `Text\n![below](${uuid})`,
    `![above](${uuid})\nText`,
    `![last](${uuid})`,
  ].join("\n\n");
  const found = blocks.findBlocks(text, players);
  assert.deepEqual(
    found.map(({ pictures, address }) => pictures?.map(({ alt }) => alt) ?? address),
    [["A [b]"], ["one", "two"], "https://v.example/abc", ["last"]],
  );
  for (const { from, to, source } of found) assert.equal(text.slice(from, to), source);
  assert.equal(found[0].pictures[0].caption, 'Say "hi"');
  assert.equal(blocks.formatPictures(found[0].pictures), found[0].source);
  const picture = { alt: "two\n lines [1]", address: "a.png", caption: " " };
  assert.equal(blocks.formatPictures([picture]), "![two lines \\[1\\]](a.png)");
  const [first, second] = [
    { ...picture, caption: 'the\n"quay"' },
    { ...picture, alt: "" },
  ];
  assert.equal(blocks.formatPictures([first, second]), '![two lines \\[1\\]](a.png "the \\"quay\\"")\n![](a.png)');
  assert.deepEqual(
    blocks.findBlocks(`![a](${uuid})`).map(({ to }) => to),
    [`![a](${uuid})`.length],
  );
  blocks.findBlocks("![a](b\n".repeat(100_000), players);
  blocks.findBlocks(`![a](${uuid})\n\n`.repeat(2_000), players);
});

test("the parts of a preview are found in the text by their words", () => {
  const text = "# A *title* \u{20bb7}\n\nSee [the tide](article:1) here.\n\n- one\n- one more\n\n![x](media:2)\n\nEnd";
  const parts = ["A ", "See ", "one", "one more", "", "Not there", "End"];
  const found = offsets.findOffsets(text, parts);
  assert.deepEqual(found, [0, 16, text.indexOf("- one"), text.indexOf("- one more"), null, null, text.indexOf("End")]);
  assert.equal(offsets.locateOffset([null, 5], 0, 9), null);
  assert.deepEqual(offsets.locateOffset(found, 0, text.length), [0, 0]);
  assert.deepEqual(offsets.locateOffset(found, 8, text.length), [0, 0.5]);
  assert.deepEqual(offsets.findOffsets("a b", ["a", "b"]), [0, 2]);
  assert.deepEqual(offsets.locateOffset(found, text.length, text.length), [6, 1]);
  assert.deepEqual(offsets.findOffsets("", ["a"]), [null]);
});
