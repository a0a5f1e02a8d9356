import type { JobOutcome } from "@merkle/db";
import type { RunResult } from "./runner.js";

/** Why a run was ended from outside. */
export type EndedBecause = "timed_out" | "stopping" | "lost";

/** How a job ended whose agent ended so (JOB-9). */
export function toOutcome(
  result: RunResult,
  because: EndedBecause | null,
  stopped: Stopped = { failure: "restarted", errorTail: restartedText },
): JobOutcome {
  const { exit_code: exitCode, error_tail: said, error } = result;
  if (because === "timed_out")
    return { status: "timed_out", failure: "timed_out", exitCode, errorTail: said };
  if (because !== null) {
    return { status: "failed", exitCode: null, ...stopped };
  }
  if (error?.reason === "unreachable") {
    const errorTail = cut(`agent unreachable: ${error.message}`);
    return { status: "failed", failure: "unreachable", exitCode, errorTail };
  }
  if (error) {
    return { status: "failed", failure: "overgrown", exitCode, errorTail: cut(`${error.message}\n${said}`) };
  }
  if (exitCode === 0) return { status: "succeeded", exitCode };
  return { status: "failed", failure: "exited", exitCode, errorTail: said };
}

/** What is said of a job whose agent was ended because its runner was. */
export interface Stopped {
  readonly failure: "restarted" | "stopped";
  readonly errorTail: string;
}

export const restartedText = "server restarted while job in flight";
export const stoppedText = "its runner was stopped while the job was in flight";
export const lostText = "whoever ran the job was not heard of any more";

/** The tail is at most 4 KiB; what is put before it takes its place. */
function cut(text: string): string {
  return Buffer.from(text)
    .subarray(0, 4_000)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}
