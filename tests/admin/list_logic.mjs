// The parts of lists and of fields for terms that need no page.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

const base = new URL("../../blogapi/admin/source/", import.meta.url).href;
const { listOptions } = await import(`${base}editor/term-options.js`);
const { describeCounts } = await import(`${base}pages/term-kinds.js`);
const { formatCount, formatSize, ...format } = await import(`${base}format.js`);

test("numbers with their words, and sizes", () => {
  const counts = [
    formatCount(0, "article"),
    formatCount(1, "article"),
    formatCount(1400, "article"),
    formatCount(2, "category", "categories"),
  ];
  assert.deepEqual(counts, ["0 articles", "1 article", "1,400 articles", "2 categories"]);
  const sizes = { 0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1 kB", 1499: "1.5 kB", 10400: "10 kB" };
  for (const [bytes, words] of Object.entries({ ...sizes, 1000000: "1 MB", 18440000: "18.4 MB", 1000000000: "1 GB" }))
    assert.equal(formatSize(Number(bytes)), words);
});

test("roles in words", () => {
  assert.deepEqual(["reader", "author", "editor", "admin"].map(format.nameRole), [
    "a reader",
    "an author",
    "an editor",
    "an admin",
  ]);
  assert.equal(format.formatRole("editor"), "Editor");
});

test("times are those of the site, and near days have words", () => {
  // 00:30 of Monday 30 November in Helsinki.
  mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-29T22:30:00Z") });
  format.setTimeZone("Europe/Helsinki");
  const table = [
    [
      "formatTime",
      { "2026-11-29T12:05": "14:05", "2026-11-29T22:00:00Z": "00:00", "2026-07-01T12:00:00+02:00": "13:00" },
    ],
    ["formatFullTime", { "2026-11-29T12:05:09": "14:05:09" }],
    ["formatDay", { "2026-11-29T21:59": "29 Nov 2026", "2026-11-29T22:00": "30 Nov 2026" }],
    ["formatLongDay", { "2026-11-29T12:00": "Sunday 29 November", "2027-01-01T12:00": "Friday 1 January 2027" }],
    ["countDaysTo", { "2026-11-29T21:59": -1, "2026-11-29T22:00": 0, "2026-11-30T22:00": 1 }],
    [
      "formatShortTime",
      { "2026-11-30T07:00": "09:00", "2026-12-01T07:00": "Tue 09:00", "2026-12-06T07:00": "Sun 09:00" },
    ],
    [
      "formatShortTime",
      { "2026-12-07T07:00": "7 Dec", "2026-11-29T07:00": "29 Nov", "2099-12-04T07:00": "4 Dec 2099" },
    ],
    [
      "formatTimeAgo",
      { "2026-11-29T22:29:01": "Just now", "2026-11-29T22:29": "1 min ago", "2026-11-29T22:31": "00:31" },
    ],
    [
      "formatTimeAgo",
      { "2026-11-29T21:31": "59 min ago", "2026-11-29T21:30": "Yesterday", "2026-11-28T21:30": "28 Nov 2026" },
    ],
    ["getDayWord", { "2026-11-29T21:59": "Yesterday", "2026-11-29T22:00": "Today", "2026-11-30T22:00": "Tomorrow" }],
    ["getDayWord", { "2026-11-28T21:59": undefined, "2026-12-01T22:00": undefined }],
    ["formatDayAndTime", { "2026-11-29T22:05": "Today, 00:05", "2026-11-28T10:00": "28 Nov 2026, 12:00" }],
    [
      "formatDistance",
      { "2026-12-08T22:30": "in 9 days", "2098-12-01T00:00": "in 72 years", "2026-08-29T22:30": "3 months ago" },
    ],
    [
      "formatDistance",
      { "2026-11-29T22:50": "in 20 minutes", "2026-11-29T22:30:05": "in 5 seconds", "2026-11-29T20:30": "2 hours ago" },
    ],
  ];
  for (const [name, times] of table)
    for (const [time, words] of Object.entries(times)) assert.equal(format[name](time), words, `${name} ${time}`);
  assert.deepEqual(format.toDateInputs("2026-11-29T22:05"), { day: "2026-11-30", time: "00:05" });
  // The hour before and the hour after the clocks change.
  for (const time of ["2026-10-24T23:30:00.000Z", "2026-10-25T02:30:00.000Z", "2026-03-29T00:30:00.000Z"]) {
    const { day, time: clock } = format.toDateInputs(time);
    assert.equal(format.toDate(day, clock).toISOString(), time);
  }
  mock.timers.reset();
  format.setTimeZone("UTC");
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
  assert.equal(describeCounts({ draft: 1, published: 1200, archived: 2 }), "1,200 published, 1 draft, 2 archived");
  assert.equal(describeCounts({}), "Nowhere");
});
