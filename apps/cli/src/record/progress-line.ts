import type { Flags } from "../command/flags.js";
import { isSet } from "../command/flags.js";

/** One line on stderr that says how far something is, for a person who looks at a terminal; for others nothing. */
export interface ProgressLine {
  show(text: string): void;
  /** Removes the line. May be called twice. */
  end(): void;
}

const everyMs = 100;

export function progressLine(flags: Flags, stderr: NodeJS.WriteStream = process.stderr): ProgressLine {
  const isSeen = stderr.isTTY === true && !isSet(flags, "json") && !isSet(flags, "quiet");
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (!isSeen || performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      stderr.write(`\r\x1b[K  ${text}`);
    },
    end() {
      if (isSeen && shownAt > 0) stderr.write("\r\x1b[K");
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}
