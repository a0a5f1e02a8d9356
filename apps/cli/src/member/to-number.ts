import { usageError } from "../core/cli-error.js";

/** The number of an invite or a token. @throws CliError `usage` for what is none */
export function toNumber(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`${what} is named by its number, such as 31, got ${JSON.stringify(text)}.`);
}
