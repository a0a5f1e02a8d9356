import { isSet } from "../core/flags.js";
import { toDuration } from "../text/time.js";
import type { CommandContext } from "./command.js";

/** Work whose progress is shown. */
interface ProgressStep {
  /** The work, such as `sending`. A new name starts a new rate. */
  readonly name: string;
  readonly done: number;
  /** Null if the total is not known. */
  readonly total: number | null;
  /** Formats an amount, such as a number of bytes. */
  format(amount: number): string;
}

/** A progress line on stderr, shown only at a terminal. */
export interface ProgressLine {
  /** Shows how much of a step is done, of how much, and the rate. */
  show(step: ProgressStep): void;
  /** Shows work that has no measure. */
  say(text: string): void;
  /** Removes the progress line. Can be called twice. */
  end(): void;
}

const updateIntervalMs = 100;

export function createProgressLine(
  { flags, io: { stderr } }: Pick<CommandContext, "flags" | "io">,
  now: () => number = () => performance.now(),
): ProgressLine {
  const isVisible = stderr.isTTY === true && !isSet(flags, "json") && !isSet(flags, "quiet");
  let shownAt = Number.NEGATIVE_INFINITY;
  let started: { readonly name: string; readonly at: number; readonly done: number } | undefined;
  const write = (text: string) => {
    shownAt = now();
    stderr.write(`\r\x1b[K  ${text}`);
  };
  return {
    show(step) {
      if (started?.name !== step.name) started = { name: step.name, at: now(), done: step.done };
      if (!isVisible || now() - shownAt < updateIntervalMs) return;
      write(formatProgress(step, { done: step.done - started.done, seconds: (now() - started.at) / 1_000 }));
    },
    say(text) {
      if (isVisible) write(text);
    },
    end() {
      if (isVisible && shownAt > Number.NEGATIVE_INFINITY) stderr.write("\r\x1b[K");
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The time without a rate at the beginning of a step, in which a rate would jump. */
const rateAfterSeconds = 1;

/**
 * Formats progress, such as `sending: 12 MB of 80 MB, 15 %, 4.1 MB/s, 16s left`.
 *
 * @param measured - what was done since the step began, and how long that took
 */
export function formatProgress(
  { name, done, total, format }: ProgressStep,
  measured: { readonly done: number; readonly seconds: number },
): string {
  const rate = measured.seconds < rateAfterSeconds ? 0 : measured.done / measured.seconds;
  return [
    `${name}: ${format(done)}${total === null ? "" : ` of ${format(total)}`}`,
    total === null || total === 0 ? "" : `${Math.floor((Math.min(done, total) / total) * 100)} %`,
    rate === 0 ? "" : `${format(Math.round(rate))}/s`,
    rate === 0 || total === null || done >= total ? "" : `${toDuration((total - done) / rate)} left`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}
