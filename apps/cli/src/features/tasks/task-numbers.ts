import { toNumber } from "../../core/flag-values.js";

/** Parses task numbers such as `3,4`. @throws CliError `usage` */
export function readTaskNumbers(text: string, name: string): number[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => toNumber(each, `A task of ${name}`));
}
