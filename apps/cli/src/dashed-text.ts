import type { Flags } from "./command/flags.js";

/**
 * Markdown may begin with dashes: `- one`, or a line of them. The parser would take such an argument for a flag, although no flag has a space, so it is
 * marked on the way in with a character that no argument can hold, and given back as it was.
 */
export function markDashedText(argv: readonly string[]): string[] {
  return argv.map((each) => (/^-[^\s=]*\s/.test(each) ? `${mark}${each}` : each));
}

export function unmarkDashedText(text: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}

export function unmarkFlags(flags: Flags): Flags {
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(unmarkValue) : unmarkValue(value),
    ]),
  );
}

function unmarkValue(value: unknown): unknown {
  return typeof value === "string" ? unmarkDashedText(value) : value;
}

const mark = "\u0000";
