import { describeDuration, parseDuration } from "@merkle/wire/text";

/** A setting of the broker that is a duration or a number. */
export interface Threshold {
  readonly label: string;
  /** The effect of the setting, in one sentence. */
  readonly about: string;
  /** `seconds` and `days` are durations. Any other unit is the singular of what the number counts. */
  readonly unit: "seconds" | "days" | "wait" | "message" | "megabyte";
  /** The word for 0, for a setting that 0 switches off. */
  readonly zero?: "never" | "forever";
  readonly min: number;
  readonly max: number;
}

const secondsPer = { seconds: 1, days: 86_400 } as const;

/** Formats a value with its unit, such as `10 minutes` or `never`. */
export function describeThreshold(value: number, { unit, zero }: Threshold): string {
  if (value === 0 && zero !== undefined) return zero;
  if (unit === "seconds" || unit === "days") return describeDuration(value * secondsPer[unit]);
  return `${value.toLocaleString("en-GB")} ${unit}${value === 1 ? "" : "s"}`;
}

/** Parses a typed value. Returns a sentence with the expected values if the text is not one of them. */
export function parseThreshold(text: string, threshold: Threshold): number | string {
  const { unit, zero, min, max } = threshold;
  const words = text.trim().toLowerCase();
  if (zero !== undefined && (words === zero || words === "0")) return 0;
  const value = unit === "seconds" || unit === "days" ? parseTime(words, unit) : parseCount(words, unit);
  const isValid = value !== null && Number.isInteger(value) && value >= min && value <= max;
  return isValid ? value : describeExpected(threshold);
}

function parseTime(words: string, unit: "seconds" | "days"): number | null {
  const seconds = parseDuration(words);
  return seconds === null ? null : seconds / secondsPer[unit];
}

function parseCount(words: string, unit: string): number | null {
  const [, digits] = new RegExp(`^(\\d[\\d,]*)(?:\\s*${unit}s?)?$`).exec(words) ?? [];
  return digits === undefined ? null : Number(digits.replaceAll(",", ""));
}

function describeExpected(threshold: Threshold): string {
  const { unit, zero, min, max } = threshold;
  const [least, most] = [Math.max(min, zero === undefined ? min : 1), max].map((value) =>
    describeThreshold(value, threshold),
  );
  const orZero = zero === undefined ? "" : `, or ${zero}`;
  const whole = unit === "days" ? " in whole days" : "";
  const example = unit === "seconds" ? " Examples: 90 s, 10 minutes, 2 h." : "";
  return `Enter ${least} to ${most}${whole}${orZero}.${example}`;
}
