const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export type TimeZone = "local" | "utc";

/**
 * Describes how long ago a time was, in one unit. After a week or more, returns the date instead. Future times, from a
 * clock that is ahead of ours, read `now`.
 */
export function describeAge(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1000);
  if (seconds < 5) return "now";
  if (seconds < 7 * day) return describeDuration(seconds);
  return describeDay(at, now, "local");
}

/** Formats a duration in its largest unit: 32 s, 6 min, 3 h, 2 d. */
export function describeDuration(seconds: number): string {
  if (seconds < minute) return `${Math.floor(seconds)} s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < day) return `${Math.floor(seconds / hour)} h`;
  return `${Math.floor(seconds / day)} d`;
}

/** Formats the time of day, to the second. */
export function describeClock(at: Date, zone: TimeZone = "local"): string {
  return zone === "utc" ? at.toISOString().slice(11, 19) : at.toTimeString().slice(0, 8);
}

/** Formats the date. Includes the year if it is not the current year. */
export function describeDay(at: Date, now: Date, zone: TimeZone = "local"): string {
  return format(at, at.getFullYear() === now.getFullYear() ? "day" : "dayOfYear", zone);
}

/** Formats the time of day, preceded by the date unless it is today. */
export function describeMoment(at: Date, now: Date, zone: TimeZone = "local"): string {
  const clock = describeClock(at, zone);
  return isSameDay(at, now, zone) ? clock : `${describeDay(at, now, zone)} ${clock}`;
}

function isSameDay(one: Date, other: Date, zone: TimeZone): boolean {
  const toDayKey = (at: Date) => (zone === "utc" ? at.toISOString().slice(0, 10) : at.toDateString());
  return toDayKey(one) === toDayKey(other);
}

/** Formats a time in full, for tooltips: date, time and zone, followed by the ISO timestamp. */
export function describeExactly(at: Date): string {
  return `${format(at, "exactly", "local")}\n${at.toISOString()}`;
}

const shapes = {
  day: { day: "numeric", month: "short" },
  dayOfYear: { day: "numeric", month: "short", year: "numeric" },
  exactly: { dateStyle: "full", timeStyle: "long" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Cached, because every feed row contains times and creating a formatter takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function format(at: Date, shape: keyof typeof shapes, zone: TimeZone): string {
  const key = shape + zone;
  let formatter = formatters.get(key);
  if (!formatter) {
    const timeZone = zone === "utc" ? "UTC" : undefined;
    formatter = new Intl.DateTimeFormat("en-GB", { ...shapes[shape], timeZone });
    formatters.set(key, formatter);
  }
  return formatter.format(at);
}
