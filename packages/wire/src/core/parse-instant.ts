/** The time span of a written date or time, in milliseconds since 1970. Both ends are inclusive. */
export interface Instant {
  readonly from: number;
  /** The last millisecond of the day if no time is given. */
  readonly to: number;
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** The years 1 to 9999, which every database and program supports. */
const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/**
 * Parses any form of RFC 3339. Also accepts parts of ISO 8601: a date alone, hours and minutes without
 * seconds, and an offset in hours. `2026-01-31` is that whole day in UTC. A time without an offset is UTC.
 * Fractions of a millisecond are dropped. Returns null if the text is not such a date.
 */
export function parseInstant(text: string): Instant | null {
  const [, day = "", time, seconds = "00", fraction = "", offset = "Z"] = pattern.exec(text.trim()) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Otherwise 30 February would be parsed as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (time === undefined) return within({ from: midnight, to: midnight + 86_399_999 });
  // A leap second becomes the end of the preceding second.
  const [second, millisecond] =
    seconds === "60" ? ["59", "999"] : [seconds, fraction.padEnd(3, "0").slice(0, 3)];
  const at = Date.parse(`${day}T${time}:${second}.${millisecond}${toColons(offset)}`);
  return within({ from: at, to: at });
}

/** Returns null for NaN too. */
function within(instant: Instant): Instant | null {
  return instant.from >= first && instant.to <= last ? instant : null;
}

function toColons(offset: string): string {
  const [, sign, hours, minutes = "00"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return sign === undefined ? "Z" : `${sign}${hours}:${minutes}`;
}
