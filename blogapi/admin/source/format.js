/** Formats dates, times, sizes and counts; all times are in the time zone of the site. */

let timeZone = "UTC";

/** @typedef {string | Date} Timestamp a timestamp of the API, or a Date */

/** @param {string} name */
export const setTimeZone = (name) => (timeZone = name);

/** @param {Date} date @param {Intl.DateTimeFormatOptions} options */
const formatDate = (date, options) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(date);

const NUMBER_FORMAT = new Intl.NumberFormat("en-GB");

/** Return the Date of a timestamp of the API; a timestamp without an offset is UTC. @param {Timestamp} stamp */
export const parseTime = (stamp) =>
  stamp instanceof Date ? stamp : new Date(/(Z|[+-]\d\d:\d\d)$/.test(stamp) ? stamp : `${stamp}Z`);

/** Return the time of day: "14:32". @param {Timestamp} stamp */
export const formatTime = (stamp) => formatDate(parseTime(stamp), { timeStyle: "short", hourCycle: "h23" });

/** Return the time of day with seconds: "14:32:10". @param {Timestamp} stamp */
export const formatFullTime = (stamp) => formatDate(parseTime(stamp), { timeStyle: "medium", hourCycle: "h23" });

/** Return the date: "29 Nov 2026". @param {Timestamp} stamp */
export const formatDay = (stamp) => formatDate(parseTime(stamp), { dateStyle: "medium" });

/** Return "Sunday 29 November", with the year if it is not the current one. @param {Timestamp} stamp */
export function formatLongDay(stamp) {
  const year = getYearFormat(stamp);
  return formatDate(parseTime(stamp), { weekday: "long", day: "numeric", month: "long", year }).replace(",", "");
}

/** Return the number of calendar days from today to the time: -1 is yesterday. @param {Timestamp} stamp */
export function countDaysTo(stamp) {
  return (Date.parse(toDateInputs(stamp).day) - Date.parse(toDateInputs(new Date()).day)) / 86_400_000;
}

/**
 * Return "14:32" for today, "Fri 09:00" for the next six days, otherwise "4 Dec" or "4 Dec 2099".
 * @param {Timestamp} stamp
 */
export function formatShortTime(stamp) {
  const days = countDaysTo(stamp);
  if (!days) return formatTime(stamp);
  if (days > 0 && days < 7) return `${formatDate(parseTime(stamp), { weekday: "short" })} ${formatTime(stamp)}`;
  return formatDate(parseTime(stamp), { day: "numeric", month: "short", year: getYearFormat(stamp) });
}

/** Return the format of the year; undefined leaves out the current year. @param {Timestamp} stamp */
const getYearFormat = (stamp) =>
  toDateInputs(stamp).day.slice(0, 4) === toDateInputs(new Date()).day.slice(0, 4) ? undefined : "numeric";

/**
 * Return the time of a change for lists: "2 min ago", "14:32", "Yesterday" or "19 Nov 2026".
 * @param {Timestamp} stamp
 */
export function formatTimeAgo(stamp) {
  const minutes = Math.floor((Date.now() - parseTime(stamp).getTime()) / 60_000);
  if (minutes >= 0 && minutes < 60) return minutes < 1 ? "Just now" : `${minutes} min ago`;
  return { 0: formatTime(stamp), "-1": "Yesterday" }[countDaysTo(stamp)] ?? formatDay(stamp);
}

/** Return "Yesterday", "Today" or "Tomorrow"; undefined for other days. @param {Timestamp} stamp */
export const getDayWord = (stamp) => ({ "-1": "Yesterday", 0: "Today", 1: "Tomorrow" })[countDaysTo(stamp)];

/** Return "Today, 14:32", "Yesterday, 21:17" or "29 Nov 2026, 08:00". @param {Timestamp} stamp */
export const formatDayAndTime = (stamp) => `${getDayWord(stamp) ?? formatDay(stamp)}, ${formatTime(stamp)}`;

/** Return the day and time for the middle of a sentence: "today, 14:32". @param {Timestamp} stamp */
export const formatDayInSentence = (stamp) =>
  formatDayAndTime(stamp).replace(/^(?:To|Yester)day/, (name) => name.toLowerCase());

const UNIT_SECONDS = { year: 31_557_600, month: 2_629_800, day: 86_400, hour: 3600, minute: 60, second: 1 };

/** Return the distance from now: "in 8 days", "3 months ago", "in 20 minutes". @param {Timestamp} stamp */
export function formatDistance(stamp) {
  const seconds = (parseTime(stamp).getTime() - Date.now()) / 1000;
  const units = /** @type {(keyof typeof UNIT_SECONDS)[]} */ (Object.keys(UNIT_SECONDS));
  const unit = units.find((name) => Math.abs(seconds) >= UNIT_SECONDS[name]) ?? "second";
  const number = unit === "day" ? countDaysTo(stamp) : Math.round(seconds / UNIT_SECONDS[unit]);
  return new Intl.RelativeTimeFormat("en-GB").format(number, unit);
}

/** Return a time as the values of date and time inputs: {day: "2026-11-29", time: "08:00"}. @param {Timestamp} stamp */
export function toDateInputs(stamp) {
  const [day, month, year] = formatDate(parseTime(stamp), { dateStyle: "short" }).split("/");
  return { day: `${year.padStart(4, "0")}-${month}-${day}`, time: formatTime(stamp) };
}

/** Return the Date for the values of date and time inputs. @param {string} day @param {string} time */
export function toDate(day, time) {
  const wanted = Date.parse(`${day}T${time}Z`);
  // Correct the result twice, because the clocks can change between the first result and the second.
  return [1, 2].reduce((guess) => {
    const shown = toDateInputs(guess);
    return new Date(guess.getTime() + wanted - Date.parse(`${shown.day}T${shown.time}Z`));
  }, new Date(wanted));
}

/** Return a number with separators: "1,234". @param {number} number */
export const formatNumber = (number) => NUMBER_FORMAT.format(number);

/**
 * Return a number with its noun: "1 article", "1,400 articles", "3 categories".
 * @param {number} number @param {string} one @param {string} [many]
 */
export const formatCount = (number, one, many = `${one}s`) => `${formatNumber(number)} ${number === 1 ? one : many}`;

/** Return a size: "284 kB", "18.4 MB". @param {number} bytes */
export function formatSize(bytes) {
  if (bytes < 1000) return formatCount(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  const digits = power > 1 || bytes < 10_000 ? 1 : 0;
  return `${Number((bytes / 1000 ** power).toFixed(digits))} ${["kB", "MB", "GB", "TB"][power - 1]}`;
}

/** Return a role with a capital letter: "Editor". @param {string} role */
export const formatRole = (role) => role[0].toUpperCase() + role.slice(1);

/** Return a role with its article: "a reader", "an author". @param {string} role */
export const nameRole = (role) => `${role === "reader" ? "a" : "an"} ${role}`;
