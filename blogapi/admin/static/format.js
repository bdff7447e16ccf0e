/** Dates, times, sizes and counts in words; all times are in the time zone of the site. */

let zone = "UTC";
const formatters = new Map();

export function setTimeZone(name) {
  zone = name;
}

function format(date, options) {
  const key = `${zone} ${JSON.stringify(options)}`;
  if (!formatters.has(key)) {
    formatters.set(key, new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone }));
  }
  return formatters.get(key).format(date);
}

/** Return the Date of a stamp of the API; a stamp without an offset is UTC. */
export function parseTime(stamp) {
  return stamp instanceof Date ? stamp : new Date(/(Z|[+-]\d\d:\d\d)$/.test(stamp) ? stamp : `${stamp}Z`);
}

/** 14:32 */
export function formatTime(stamp) {
  return format(parseTime(stamp), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** 29 Nov 2026 */
export function formatDay(stamp) {
  return format(parseTime(stamp), { day: "numeric", month: "short", year: "numeric" });
}

/** Sunday 29 November, with the year if it is another one. */
export function formatLongDay(stamp) {
  const date = parseTime(stamp);
  const year = format(date, { year: "numeric" }) === format(new Date(), { year: "numeric" });
  const options = { weekday: "long", day: "numeric", month: "long", ...(year ? {} : { year: "numeric" }) };
  return format(date, options).replace(",", "");
}

/** Return the days of the calendar from today to the time: -1 is yesterday. */
export function daysFromToday(stamp) {
  const day = (date) => Date.parse(toFields(date).day);
  return Math.round((day(parseTime(stamp)) - day(new Date())) / 86_400_000);
}

/** For lists: "2 min ago", "14:32" today, "Yesterday", "19 Nov 2026". */
export function formatChanged(stamp) {
  const minutes = Math.floor((Date.now() - parseTime(stamp)) / 60_000);
  if (minutes >= 0 && minutes < 60) return minutes < 1 ? "Just now" : `${minutes} min ago`;
  const days = daysFromToday(stamp);
  return days === 0 ? formatTime(stamp) : days === -1 ? "Yesterday" : formatDay(stamp);
}

/** "Today, 14:32", "Yesterday, 21:17", "29 Nov 2026, 08:00". */
export function formatDayAndTime(stamp) {
  const name = { "-1": "Yesterday", 0: "Today", 1: "Tomorrow" }[daysFromToday(stamp)];
  return `${name ?? formatDay(stamp)}, ${formatTime(stamp)}`;
}

/** "in 8 days", "in 72 years", "3 months ago", "in 20 minutes". */
export function distance(stamp) {
  const seconds = (parseTime(stamp) - Date.now()) / 1000;
  const units = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  const exact = unit === "day" ? daysFromToday(stamp) : Math.round(seconds / length);
  return new Intl.RelativeTimeFormat("en-GB").format(exact, unit);
}

/** Return the day and time of an instant as values of date and time inputs: {day: "2026-11-29", time: "08:00"}. */
export function toFields(stamp) {
  const options = { year: "numeric", month: "2-digit", day: "2-digit" };
  const [day, month, year] = format(parseTime(stamp), options).split("/");
  return { day: `${year}-${month}-${day}`, time: formatTime(stamp) };
}

/** Return the Date of a day and time of date and time inputs; the reverse of toFields(). */
export function toInstant(day, time) {
  const wanted = Date.parse(`${day}T${time}Z`);
  // Twice, because the offset at the first guess can be that of the other side of a change of the clocks.
  let guess = wanted;
  for (let n = 0; n < 2; n += 1) {
    const shown = toFields(new Date(guess));
    guess += wanted - Date.parse(`${shown.day}T${shown.time}Z`);
  }
  return new Date(guess);
}

/** 1,234 */
export function formatNumber(number) {
  return number.toLocaleString("en-GB");
}

/** "1 article", "14 articles", "3 categories". */
export function count(number, word, words = `${word}s`) {
  return `${formatNumber(number)} ${number === 1 ? word : words}`;
}

/** "284 kB", "18.4 MB". */
export function formatSize(bytes) {
  if (bytes < 1000) return count(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  const number = bytes / 1000 ** power;
  return `${number < 10 || power > 1 ? Number(number.toFixed(1)) : Math.round(number)} ${["kB", "MB", "GB", "TB"][power - 1]}`;
}
