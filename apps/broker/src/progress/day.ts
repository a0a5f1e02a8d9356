import { parseInstant } from "@merkle/wire";

/** The first or the last instant that a date means; a time is one by itself. */
export function toDay(text: string | undefined, end: "from" | "to"): Date | undefined {
  const instant = text === undefined ? null : parseInstant(text);
  return instant === null ? undefined : new Date(instant[end]);
}
