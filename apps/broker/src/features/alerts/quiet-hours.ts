import type { AlertTarget } from "@merkle/wire";

const minutesPerDay = 24 * 60;

/**
 * Returns the earliest time to send an alert that is due at `at`: immediately, or at the end of the
 * quiet hours (ALERT-4).
 */
export function deferPastQuietHours(quiet: AlertTarget["quiet"], at: Date): Date {
  if (!quiet) return at;
  const from = toMinutes(quiet.from);
  const length = computeMinutesBetween(from, toMinutes(quiet.to));
  const passed = computeMinutesBetween(from, toMinuteOfDay(quiet.time_zone, at));
  return passed < length ? new Date(at.getTime() + (length - passed) * 60_000 - (at.getTime() % 60_000)) : at;
}

/** Returns the minutes from one time of day to the next occurrence of another. */
function computeMinutesBetween(from: number, to: number): number {
  return (to - from + minutesPerDay) % minutesPerDay;
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function toMinuteOfDay(timeZone: string, at: Date): number {
  return toMinutes(
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }).format(at),
  );
}
