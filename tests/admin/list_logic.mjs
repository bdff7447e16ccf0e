// The parts of lists and of fields for terms that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";

const base = new URL("../../blogapi/admin/source/", import.meta.url).href;
const { listOptions } = await import(`${base}editor/term-options.js`);
const { describeNumbers } = await import(`${base}pages/term-words.js`);
const { describeChange, findSuccess, summarise } = await import(`${base}webhooks/calls.js`);
const { count, formatSize } = await import(`${base}format.js`);

test("numbers with their words, and sizes", () => {
  const counts = [count(0, "article"), count(1, "article"), count(1400, "article"), count(2, "category", "categories")];
  assert.deepEqual(counts, ["0 articles", "1 article", "1,400 articles", "2 categories"]);
  const sizes = { 0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1 kB", 1499: "1.5 kB", 10400: "10 kB" };
  for (const [bytes, words] of Object.entries({ ...sizes, 1000000: "1 MB", 18440000: "18.4 MB", 1000000000: "1 GB" }))
    assert.equal(formatSize(Number(bytes)), words);
});

test("terms: an equal name, then one that begins with the words, then the new one", () => {
  const all = ["slow food", "food and drink", "Harbour Walks", "Walks", "boats"].map((name) => ({ name, uuid: name }));
  const take = (words, rules = {}) => {
    const { options, at } = listOptions(words, { free: all, all, canCreate: true, ...rules });
    return options[at];
  };
  assert.deepEqual(take("slow"), all[0]);
  assert.deepEqual(take("harb"), all[2]);
  assert.deepEqual(take("Food"), all[1]);
  assert.deepEqual(take("walks", { canCreate: false, isSingle: true }), all[3]);
  assert.deepEqual(take("oats"), { isNew: true, name: "oats" });
  assert.deepEqual(take("a b,"), { isNew: true, name: "a b" });
  assert.equal(take("drink").isNew, true);
  assert.equal(take("drink", { canCreate: false }).name, "food and drink");
  assert.equal(listOptions("", { free: all, all, canCreate: true }).options.length, 5);
  // A name that is chosen already is not created again.
  assert.deepEqual(listOptions("boats", { free: all.slice(0, 4), all, canCreate: true }).options, []);
});

test("terms: 'a, b, c' are three terms", () => {
  const all = [{ name: "Boats", uuid: "1" }];
  const { options } = listOptions("tides, boats,, knots, Tides ", { free: all, all, canCreate: true });
  const isNew = true;
  assert.deepEqual(options[0].terms, [{ name: "tides", isNew }, all[0], { name: "knots", isNew }]);
  assert.deepEqual(listOptions("boats, knots", { free: all, all }).options[0].terms, all);
  assert.equal(listOptions("Rock, paper", { free: all, all, isSingle: true }).options.length, 0);
});

test("terms: the numbers of articles in words", () => {
  assert.equal(describeNumbers({ draft: 1, published: 1200, archived: 2 }), "1,200 published, 1 draft, 2 archived");
  assert.equal(describeNumbers({}), "Nowhere");
});

test("webhooks: a call in one line", () => {
  const changes = [{ slug: "fish-soup", kind: "article" }];
  const calls = {
    "fish-soup": { count: 1, changes, attempt: 1 },
    "fish-soup, second try": { count: 1, changes, attempt: 2 },
    "fish-soup and 1 more, try 3": { count: 2, changes, attempt: 3 },
    "fish-soup and 1,400 more": { count: 1401, changes, attempt: 1 },
    "site and navigation": { count: 1, changes: [{ slug: null, kind: "site" }], attempt: 1 },
    "Build asked for": { count: 0, changes: [], attempt: 1 },
    "Test call, second try": { type: "webhook.test", count: 0, changes: [], attempt: 2 },
    "Asked to read the blog again": { type: "blog.reset", count: 3, changes, attempt: 1 },
  };
  for (const [words, call] of Object.entries(calls)) assert.equal(summarise(call), words);
});

test("webhooks: a change leads to its article", () => {
  const describe = (more) =>
    Object.values(describeChange({ kind: "article", uuid: "1", slug: "soup", changed: [], ...more }));
  const changed = ["title", "text"];
  assert.deepEqual(describe({ type: "article.updated", changed }), [
    "Updated",
    "soup",
    "title, text",
    "/admin/articles/1/",
  ]);
  assert.deepEqual(describe({ type: "article.deleted" }), ["Deleted", "soup", "", ""]);
  const moved = describe({ type: "article.updated", former_url: "https://a.example/fish/" });
  assert.deepEqual(moved, ["Address changed", "soup", "", "/admin/articles/1/"]);
  assert.deepEqual(describe({ type: "tag.updated", kind: "tag" }), ["Tag", "soup", "", ""]);
  assert.deepEqual(describe({ type: "tag.deleted", kind: "tag" }), ["Tag deleted", "soup", "", ""]);
});

test("webhooks: the later call of the same message that arrived", () => {
  const call = (id, time, succeeded) => ({ message_id: id, time, succeeded });
  const calls = [call("a", 5, true), call("a", 4, true), call("b", 4, true), call("a", 3, false), call("a", 1, true)];
  assert.equal(findSuccess(calls[3], calls), calls[1]);
  assert.equal(findSuccess(calls[0], calls), undefined);
  assert.equal(findSuccess(call("c", 1, false), calls), undefined);
});
