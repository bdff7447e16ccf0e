// The words for webhooks and their calls, and the values of their form.

import assert from "node:assert/strict";
import { test } from "node:test";

// Lit needs these when it is loaded.
globalThis.HTMLElement = class {};
globalThis.document = { createComment: () => ({}), createTreeWalker: () => ({}) };
const base = new URL("../../blogapi/admin/source/webhooks/", import.meta.url).href;
const { describeCall, renderCall } = await import(`${base}calls.js`);
const { applyPreset, explainCallTimes, makeChangeBody, toWebhookBody, toFormValues } = await import(`${base}fields.js`);
const { describeAnswer, describeArrivals, describeEvents, describeHealth, listRealCalls, getReceiverName } =
  await import(`${base}texts.js`);

// The text of a template, without its elements.
const show = (value) => {
  if (Array.isArray(value)) return value.map(show).join("");
  if (!value?.strings) return typeof value === "symbol" ? "" : String(value ?? "");
  return value.strings.reduce((text, part, index) => `${text}${part}${show(value.values[index])}`, "");
};
const showText = (value) =>
  show(value)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

test("a call in one line", () => {
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
  for (const [words, call] of Object.entries(calls)) assert.equal(describeCall(call), `No answer: ${words}`);
  const answered = { count: 1, changes, attempt: 1, status: 503, milliseconds: 400 };
  assert.equal(describeCall(answered), "503, 0.4 s: fish-soup");
});

const webhook = { preset: "standard", address: "https://a.example/", next_attempt: "2026-11-29T10:00:00Z" };
const sent = { query: "", headers: {}, body: "" };
const makeCall = (more) => ({ milliseconds: 400, answer: "", status: 503, error: "", sent, changes: [], ...more });

test("a change leads to its article", () => {
  const render = (more) => {
    const change = { kind: "article", uuid: "1", slug: "soup", changed: [], ...more };
    return renderCall(makeCall({ changes: [change], count: 1 }), [], webhook, "");
  };
  const changed = ["title", "text"];
  const link = 'href="/admin/articles/1/"';
  for (const [words, isLinked, change] of [
    ["Updated soup title, text", true, { type: "article.updated", changed }],
    ["Deleted soup", false, { type: "article.deleted" }],
    ["Address changed soup", true, { type: "article.updated", former_url: "https://a.example/fish/" }],
    ["Tag soup", false, { type: "tag.updated", kind: "tag" }],
    ["Tag deleted soup", false, { type: "tag.deleted", kind: "tag" }],
    ["Category soup", false, { type: "category.updated", kind: "category" }],
    ["Author soup", false, { type: "author.updated", kind: "author" }],
    ["Site soup", false, { type: "site.updated", kind: "site" }],
  ]) {
    assert.ok(showText(render(change)).includes(` Changes ${words} `), `${words}: ${showText(render(change))}`);
    assert.equal(show(render(change)).includes(link), isLinked);
  }
});

test("a failed call says when it is or was tried again", () => {
  const call = (id, time, succeeded) => makeCall({ message_id: id, time, succeeded });
  const early = "2026-11-29T08:00:00Z";
  const [later, other] = [call("a", "2026-11-29T09:00:00Z", true), call("b", "2026-11-29T09:30:00Z", true)];
  const failed = call("a", early, false);
  const explain = (calls) => showText(renderCall(failed, calls, webhook, ""));
  assert.match(explain([later, failed]), /It was tried again and arrived at/);
  assert.match(explain([failed]), /It is tried again/);
  assert.doesNotMatch(explain([other, failed]), /tried again/);
  assert.doesNotMatch(showText(renderCall(later, [later, failed], webhook, "")), /tried again/);
});

test("a receiver is named by its service, or else by its host", () => {
  const presets = [
    { name: "netlify", label: "Netlify" },
    { name: "plain", label: "A build hook" },
    { name: "standard", label: "Signed calls" },
  ];
  const address = "https://hooks.example:8443/…";
  for (const [preset, name] of Object.entries({ netlify: "Netlify", plain: "", standard: "", former: "" }))
    assert.equal(getReceiverName({ preset, address }, presets), name || "hooks.example:8443");
});

test("an answer is its status, or the reason why there is none", () => {
  assert.equal(describeAnswer({ status: 200, error: "" }), "200");
  assert.equal(
    describeAnswer({ status: null, error: "The host a.example is unknown." }),
    "The host a.example is unknown",
  );
});

test("which changes a webhook receives, and when", () => {
  const combined = { mode: "combined", events: ["*"], quiet_seconds: 10, interval_seconds: 60 };
  const all = "All changes in one call";
  for (const [words, more] of [
    [[all, "At most every 60 s"], {}],
    [[all, "At most every 2 min"], { interval_seconds: 120 }],
    [[all, "At most every 150 s"], { interval_seconds: 150 }],
    [[all, "10 s after the last change"], { interval_seconds: 0 }],
    [[all, "Articles, tags deleted. At most every 60 s"], { events: ["article.*", "tag.deleted"] }],
    [["Each change", "Everything"], { mode: "each" }],
    [["Each change", "Everything, unlisted too"], { mode: "each", events: ["*", "page.unlisted"] }],
    [["Each change", "Everything, failed backups"], { mode: "each", events: ["*", "backup.*"] }],
    [["Each change", "Site and navigation, failed backups"], { mode: "each", events: ["site.*", "backup.failed"] }],
  ])
    assert.deepEqual(describeEvents({ ...combined, ...more }), words);
});

test("the health of a webhook", () => {
  const webhook = { paused: null, waiting: 0, failing_since: null, next_attempt: null, latest_calls: [] };
  for (const [words, kind, more] of [
    ["Waiting for a change", "", {}],
    ["Working", "good", { latest_calls: [{ succeeded: true }, { succeeded: false }] }],
    ["The last call failed", "warn", { latest_calls: [{ succeeded: false }, { succeeded: true }] }],
    ["Paused by you", "", { paused: "admin", waiting: 3, failing_since: "2026-01-01T00:00:00" }],
    ["Paused after the restore. Resume what this copy may call", "warn", { paused: "copied" }],
    ["Paused", "bad", { paused: "failures" }],
    ["Paused, 1 change waits", "bad", { paused: "gone", waiting: 1 }],
    ["Paused, 2 changes wait", "bad", { paused: "failures", waiting: 2 }],
    ["Trying again now", "warn", { failing_since: "2026-01-01T00:00:00", latest_calls: [{ succeeded: false }] }],
  ])
    assert.deepEqual(describeHealth({ ...webhook, ...more }).slice(1), [kind, words]);
});

test("a failed attempt has arrived if a later one has", () => {
  const call = (attempt, succeeded, type = "blog.changed") => ({ attempt, succeeded, type });
  assert.equal(describeArrivals([]), "No call yet");
  assert.equal(describeArrivals([call(1, true), call(1, true)]), "2 of 2 arrived");
  assert.equal(describeArrivals([call(1, false), call(1, true)]), "1 of 2 arrived");
  assert.equal(describeArrivals([call(2, true), call(1, false)]), "2 of 2 arrived, one at the second try");
  const third = [call(3, true), call(2, false), call(1, false)];
  assert.equal(describeArrivals(third), "3 of 3 arrived, one at a later try");
  assert.equal(describeArrivals([...third, call(2, true), call(1, false)]), "5 of 5 arrived, 2 at a later try");
  assert.equal(describeArrivals([third[0], third[2]]), "1 of 2 arrived, one at a later try");
  // A test call says nothing about the calls before it.
  const test = call(1, true, "webhook.test");
  assert.equal(describeArrivals([test, call(1, false)]), "1 of 2 arrived");
  assert.deepEqual(listRealCalls({ latest_calls: [test, third[0]] }), [third[0]]);
});

test("only the changed values of the form are sent", () => {
  const webhook = { name: "A", preset: "standard", mode: "each", events: ["*"], header_names: ["X-Token"] };
  const given = { ...webhook, quiet_seconds: 0, interval_seconds: 30 };
  const values = toFormValues(given);
  assert.deepEqual(makeChangeBody(values, given), {});
  assert.deepEqual(makeChangeBody({ ...values, name: "B" }, given), { name: "B" });
  assert.deepEqual(makeChangeBody({ ...values, interval_seconds: " 45 " }, given), { interval_seconds: 45 });
  assert.deepEqual(makeChangeBody({ ...values, interval_seconds: "-1" }, given), { interval_seconds: "-1" });
  assert.deepEqual(makeChangeBody({ ...values, unlisted: true }, given).events, [
    "*",
    "article.unlisted",
    "page.unlisted",
  ]);
  assert.deepEqual(makeChangeBody({ ...values, backups: true }, given), { events: ["*", "backup.*"] });
  assert.deepEqual(makeChangeBody({ ...values, token: "t" }, given), { headers: { Authorization: "Bearer t" } });
  const headers = [
    ["X-A", "1"],
    ["", ""],
    ["", "2"],
  ];
  assert.deepEqual(makeChangeBody({ ...values, headers, keepsHeaders: false }, given).headers, { "X-A": "1", "": "2" });
  const events = { ...values.events, tag: ["tag.deleted"], page: [] };
  const others = ["article.*", "category.*", "tag.deleted", "author.*", "site.*"];
  assert.deepEqual(makeChangeBody({ ...values, events }, given), { events: others });
});

test("the form shows what is stored, and forgets headers for another receiver", () => {
  const stored = { name: "A", preset: "standard", mode: "each", quiet_seconds: 5, interval_seconds: 0 };
  const events = ["article.published", "article.unlisted", "tag.*", "backup.failed"];
  const values = toFormValues({ ...stored, events, header_names: ["X-A"] });
  assert.deepEqual(values.events.article, ["article.published"]);
  assert.deepEqual([values.events.tag, values.events.page], [["tag.*"], []]);
  assert.deepEqual([values.unlisted, values.backups, values.keepsHeaders], [true, true, true]);
  assert.deepEqual([values.quiet_seconds, values.interval_seconds], ["5", "0"]);
  const chosen = applyPreset({ ...values, token: "t", headers: [["X-A", "1"]] }, "netlify");
  assert.deepEqual([chosen.mode, chosen.token, chosen.headers, chosen.keepsHeaders], ["combined", "", [], false]);
  assert.equal(applyPreset(chosen, "standard").mode, "each");
  assert.deepEqual(toWebhookBody({ ...chosen, url: "https://a.example" }).events, ["article.published", "tag.*"]);
  const fresh = toFormValues();
  assert.deepEqual([fresh.preset, fresh.quiet_seconds, fresh.interval_seconds], ["netlify", "10", "60"]);
  assert.deepEqual([fresh.unlisted, fresh.backups, fresh.keepsHeaders], [false, false, false]);
  assert.deepEqual(toWebhookBody(fresh).events, ["*"]);
});

test("the example says when calls go out", () => {
  const times = (quiet_seconds, interval_seconds) =>
    explainCallTimes({ quiet_seconds, interval_seconds }).match(/\d\d:\d\d:\d\d/g);
  assert.deepEqual(times("10", "60"), ["14:32:00", "14:32:10", "14:32:20", "14:33:10"]);
  assert.deepEqual(times("30", "0"), ["14:32:00", "14:32:30", "14:32:40", "14:33:10"]);
  assert.deepEqual(times("0", "0"), ["14:32:00", "14:32:00", "14:32:10", "14:32:10"]);
  assert.equal(explainCallTimes({ quiet_seconds: "-1", interval_seconds: "0" }), "");
  assert.equal(explainCallTimes({ quiet_seconds: "x", interval_seconds: "0" }), "");
});
