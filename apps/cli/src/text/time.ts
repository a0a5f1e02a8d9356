import { formatNumber } from "@merkle/wire/text";

/**
 * Formats the time since a timestamp, such as `32s` or `2m`. Never negative, even if the broker's clock is
 * ahead.
 */
export function toAge(timestamp: string, now = Date.now()): string {
  return toDuration(Math.max(0, (now - Date.parse(timestamp)) / 1000));
}

/** Formats a timestamp in the local time zone: `14:05` today, `2026-03-02 14:05` on other days. */
export function toMoment(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp);
  const time = `${padTwoDigits(at.getHours())}:${padTwoDigits(at.getMinutes())}`;
  return at.toDateString() === now.toDateString() ? time : `${formatDay(at)} ${time}`;
}

function formatDay(at: Date): string {
  return `${at.getFullYear()}-${padTwoDigits(at.getMonth() + 1)}-${padTwoDigits(at.getDate())}`;
}

function padTwoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** Formats a duration in its largest unit, such as `45s`, `12m`, `3h` or `2d`. */
export function toDuration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats a count with its noun, such as `1 message` or `1,200 messages`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
