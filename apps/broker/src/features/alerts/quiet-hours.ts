import type { AlertTarget } from "@merkle/wire";

const minutesOfDay = 24 * 60;

/** When something may be sent that is to be sent at a moment: then, or at the end of the quiet hours that it falls into (ALERT-4). */
export function quietEnd(quiet: AlertTarget["quiet"], at: Date): Date {
  if (!quiet) return at;
  const from = toMinutes(quiet.from);
  const length = since(from, toMinutes(quiet.to));
  const passed = since(from, minuteIn(quiet.time_zone, at));
  return passed < length ? new Date(at.getTime() + (length - passed) * 60_000 - (at.getTime() % 60_000)) : at;
}

/** The minutes from one time of day to the next that is another's. */
function since(from: number, to: number): number {
  return (to - from + minutesOfDay) % minutesOfDay;
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function minuteIn(timeZone: string, at: Date): number {
  return toMinutes(
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }).format(at),
  );
}
