/** The device of a login in words, from its User-Agent. */

// A User-Agent contains the names of several browsers and systems; the first match in these lists counts.
const BROWSERS = {
  EdgA: "Edge",
  EdgiOS: "Edge",
  Edg: "Edge",
  OPR: "Opera",
  SamsungBrowser: "Samsung Internet",
  FxiOS: "Firefox",
  Firefox: "Firefox",
  CriOS: "Chrome",
  Chrome: "Chrome",
  Safari: "Safari",
};
const SYSTEMS = {
  Android: "Android",
  iPhone: "iPhone",
  iPad: "iPad",
  Windows: "Windows",
  Macintosh: "Mac",
  CrOS: "Chromebook",
  Linux: "Linux",
};

/** "Firefox on Windows"; for a program, its name: "curl". @param {string} agent */
export function nameDevice(agent) {
  const browser = find(BROWSERS, agent) ?? agent.split(/[/ ]/, 1)[0];
  const system = find(SYSTEMS, agent);
  return [browser || "Unknown browser", system].filter(Boolean).join(" on ");
}

/** @param {string} agent */
export const isPhone = (agent) => /Mobi|Android|iPad/.test(agent);

/** @param {Record<string, string>} names @param {string} agent */
const find = (names, agent) => Object.entries(names).find(([name]) => agent.includes(name))?.[1];
