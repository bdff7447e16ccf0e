// The names of devices.

import assert from "node:assert/strict";
import { test } from "node:test";

const { isPhone, getDeviceName } = await import(new URL("../../blogapi/admin/source/devices.js", import.meta.url).href);

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const AGENTS = {
  "Firefox on Linux": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Chrome on Windows": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
  "Edge on Windows": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  "Opera on Mac": `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/142.0 Safari/537.36 OPR/120.0`,
  "Safari on iPhone":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Firefox on iPhone":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15",
  "Samsung Internet on Android": `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  curl: "curl/8.14.1",
  "Unknown browser": "",
};

test("a User-Agent is named as people call the device", () => {
  for (const [name, agent] of Object.entries(AGENTS)) assert.equal(getDeviceName(agent), name);
});

test("phones and tablets have their own icon", () => {
  const phones = Object.keys(AGENTS).filter((name) => isPhone(AGENTS[name]));
  assert.deepEqual(phones, ["Safari on iPhone", "Firefox on iPhone", "Samsung Internet on Android"]);
});
