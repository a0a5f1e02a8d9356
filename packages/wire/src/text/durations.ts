const secondsByUnit = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 } as const;

type Unit = keyof typeof secondsByUnit;

/** The units that `describeDuration` writes, largest first. Weeks are only read. */
const writtenUnits = ["day", "hour", "minute", "second"] as const satisfies readonly Unit[];

const spellings: Readonly<Record<Unit, readonly string[]>> = {
  second: ["s", "sec", "secs", "second", "seconds"],
  minute: ["m", "min", "mins", "minute", "minutes"],
  hour: ["h", "hr", "hrs", "hour", "hours"],
  day: ["d", "day", "days"],
  week: ["w", "wk", "wks", "week", "weeks"],
};

const unitsBySpelling = new Map(
  Object.entries(spellings).flatMap(([unit, words]) => words.map((word) => [word, unit as Unit] as const)),
);

const amount = /(\d{1,9}(?:[.,]\d{1,3})?)\s*([a-z]+)\.?/g;

/**
 * Parses a duration as people write it: `10 minutes`, `90s`, `1h 30m`, `1.5 hours`, `2 days and 4 hours`. Returns
 * whole seconds, or null if the text is not a duration. A number needs a unit, except for 0.
 */
export function parseDuration(text: string): number | null {
  const words = text.trim().toLowerCase();
  if (words === "0") return 0;
  const parts = [...words.matchAll(amount)];
  // Only separators may remain between the amounts.
  if (parts.length === 0 || !/^(?:\s|,|\band\b)*$/.test(words.replaceAll(amount, ""))) return null;
  let seconds = 0;
  for (const [, count = "", word = ""] of parts) {
    const unit = unitsBySpelling.get(word);
    if (unit === undefined) return null;
    seconds += Number(count.replace(",", ".")) * secondsByUnit[unit];
  }
  // Sums such as 0.1 hours are not exact in binary.
  const rounded = Math.round(seconds);
  return Math.abs(seconds - rounded) < 1e-6 ? rounded : null;
}

/** Formats whole seconds so that `parseDuration` returns them: `10 minutes`, `1 hour 30 minutes`, `0 seconds`. */
export function describeDuration(seconds: number): string {
  let rest = seconds;
  const parts: string[] = [];
  for (const unit of writtenUnits) {
    const count = Math.floor(rest / secondsByUnit[unit]);
    rest -= count * secondsByUnit[unit];
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.join(" ") || "0 seconds";
}
