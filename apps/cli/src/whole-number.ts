import { usageError } from "./core/cli-error.js";

/** The value of a flag that takes a whole number. @throws CliError `usage`, naming the flag and its bounds */
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
