/**
 * The time span that a written date or time stands for, in milliseconds since 1970. Both ends are inclusive.
 */
export interface InstantRange {
  readonly from: number;
  /** End of the span. For a date without a time, the last millisecond of that day. */
  readonly to: number;
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Limits the years to 1 to 9999, which every database and program supports. */
const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/**
 * Parses a date or time in any form of RFC 3339. Also accepts some forms of ISO 8601: a date alone, a time
 * without seconds, and an offset in hours. `2026-01-31` stands for that whole day in UTC. A time without an
 * offset is in UTC. Fractions of a millisecond are dropped. Returns null if the text is not a date or time.
 */
export function parseInstant(text: string): InstantRange | null {
  const [, day = "", time, seconds = "00", fraction = "", offset = "Z"] = pattern.exec(text.trim()) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse accepts 30 February as a day in March, so the result is compared with the given day.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (time === undefined) return rejectOutOfRange({ from: midnight, to: midnight + 86_399_999 });
  // A leap second counts as the end of the preceding second.
  const [second, millisecond] =
    seconds === "60" ? ["59", "999"] : [seconds, fraction.padEnd(3, "0").slice(0, 3)];
  const at = Date.parse(`${day}T${time}:${second}.${millisecond}${toColons(offset)}`);
  return rejectOutOfRange({ from: at, to: at });
}

/** Returns an instant if it is within the supported years, otherwise null. NaN also gives null. */
function rejectOutOfRange(instant: InstantRange): InstantRange | null {
  return instant.from >= first && instant.to <= last ? instant : null;
}

function toColons(offset: string): string {
  const [, sign, hours, minutes = "00"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return sign === undefined ? "Z" : `${sign}${hours}:${minutes}`;
}
