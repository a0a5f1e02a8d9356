/** The span that a date of ISO 8601 stands for, in milliseconds since 1970; both ends are a part of it. */
export interface Instant {
  readonly from: number;
  /** The last millisecond of the day where no time is given. */
  readonly to: number;
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Reads `2026-01-31` as all of that day in UTC, and a time without an offset as UTC. Null for what is no such date. */
export function parseInstant(text: string): Instant | null {
  const [, day = "", time, offset = "Z"] = pattern.exec(text.trim()) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The 30th of February would pass for a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (time === undefined) return { from: midnight, to: midnight + 86_399_999 };
  const at = Date.parse(`${day}T${time.replace(",", ".")}${toColons(offset)}`);
  return Number.isNaN(at) ? null : { from: at, to: at };
}

function toColons(offset: string): string {
  const [, sign, hours, minutes = "00"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return sign === undefined ? "Z" : `${sign}${hours}:${minutes}`;
}
