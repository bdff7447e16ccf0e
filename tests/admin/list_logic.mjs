// The parts of lists and of fields for terms that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";

const base = new URL("../../blogapi/admin/source/", import.meta.url).href;
const { listOptions } = await import(`${base}editor/term-options.js`);
const { describeNumbers } = await import(`${base}pages/term-words.js`);
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
