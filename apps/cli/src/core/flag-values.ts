import { findNearest, parseDuration } from "@merkle/wire/text";
import { usageError } from "./cli-error.js";

/**
 * Returns the value of a flag that accepts one of a few words. @throws CliError `usage` that lists these
 * words and suggests the most similar
 */
export function readOneOf<Word extends string>(
  text: string | undefined,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text.trim().toLowerCase());
  if (word !== undefined) return word;
  const suggestion = findNearest(text, words);
  throw usageError(
    `${flag} must be one of ${words.join(", ")}, got ${JSON.stringify(text)}.${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`}`,
  );
}

/**
 * Returns the value of a flag that accepts a whole number. @throws CliError `usage` that names the flag and
 * its bounds
 */
export function readWholeNumber(
  text: string | undefined,
  flag: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw usageError(
    `${flag} must be a whole number from ${min}${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ""}, got ${JSON.stringify(text)}.`,
  );
}

/** Parses a time span such as `90s`, `30 minutes` or `1h 30m`. @throws CliError `usage` for any other text */
export function toSeconds(text: string, flag: string): number {
  const seconds = parseDuration(text);
  if (seconds !== null && seconds > 0) return seconds;
  throw usageError(`${flag} must be a time span such as 30m, 24h or 7d, got ${JSON.stringify(text)}.`);
}

/**
 * Parses the number of an invite or a token. @throws CliError `usage` if the text is not a positive number
 */
export function toNumber(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`${what} must be a number, such as 31, got ${JSON.stringify(text)}.`);
}
