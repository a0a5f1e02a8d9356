import { usageError } from "./core/cli-error.js";
import { nearest } from "./nearest.js";

/** The value of a flag that takes one of a few words. @throws CliError `usage`, naming them and the nearest */
export function readOneOf<Word extends string>(
  text: string | undefined,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const found = words.find((each) => each === text.trim().toLowerCase());
  if (found !== undefined) return found;
  const near = nearest(text, words);
  throw usageError(
    `${flag} must be one of ${words.join(", ")}, got ${JSON.stringify(text)}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}
