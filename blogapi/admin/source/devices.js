/** Derives the name of a device from the User-Agent of its login. */

// A User-Agent also names browsers and systems that it imitates; the first of these names in it is the real one.
const BROWSERS = ["Edg", "OPR", "SamsungBrowser", "FxiOS", "Firefox", "CriOS", "Chrome", "Safari"];
const SYSTEMS = ["Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux"];
/** The names to show, where they differ from the name in a User-Agent. @type {Record<string, string>} */
const DISPLAY_NAMES = {
  ...{ Edg: "Edge", OPR: "Opera", SamsungBrowser: "Samsung Internet", FxiOS: "Firefox", CriOS: "Chrome" },
  ...{ Macintosh: "Mac", CrOS: "Chromebook" },
};

/** Return "Firefox on Windows"; for a program, its name, such as "curl". @param {string} agent */
export function getDeviceName(agent) {
  const browser = findDisplayName(BROWSERS, agent) ?? agent.split(/[/ ]/, 1)[0];
  const system = findDisplayName(SYSTEMS, agent);
  return [browser || "Unknown browser", system].filter(Boolean).join(" on ");
}

/** @param {string} agent */
export const isPhone = (agent) => /Mobi|Android|iPad/.test(agent);

/** @param {string[]} words @param {string} agent */
function findDisplayName(words, agent) {
  const found = words.find((word) => agent.includes(word));
  return found && (DISPLAY_NAMES[found] ?? found);
}
