import type { JobOutcome, JobRow, NothingMade } from "@merkle/db";
import type { JobStopReason } from "@merkle/wire";
import type { RunResult } from "./runner.js";

/** Returns the outcome to store for a job, based on how its agent ended (JOB-9). */
export function toOutcome(
  result: RunResult,
  because: JobStopReason | null,
  stopped: StopFailure = { failure: "restarted", errorTail: restartedText },
): JobOutcome {
  const { exit_code: exitCode, error_tail: tail, error } = result;
  if (because === "timed_out")
    return { status: "timed_out", failure: "timed_out", exitCode, errorTail: tail };
  if (because !== null) {
    return { status: "failed", exitCode: null, ...stopped };
  }
  if (error?.reason === "unreachable") {
    const errorTail = cut(`agent unreachable: ${error.message}`);
    return { status: "failed", failure: "unreachable", exitCode, errorTail };
  }
  if (error) {
    return { status: "failed", failure: "overgrown", exitCode, errorTail: cut(`${error.message}\n${tail}`) };
  }
  if (exitCode === 0) return { status: "succeeded", exitCode };
  return { status: "failed", failure: "exited", exitCode, errorTail: tail };
}

/** The failure of a job whose agent was stopped along with its runner. */
interface StopFailure {
  readonly failure: "restarted" | "stopped";
  readonly errorTail: string;
}

export const restartedText = "server restarted while job in flight";
export const stoppedText = "its runner was stopped while the job was in flight";
export const lostText = "the runner of the job disappeared";

/** Shortens a string to 4 KiB, the maximum length of `error_tail`. */
function cut(text: string): string {
  return Buffer.from(text)
    .subarray(0, 4_000)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}

/** Returns the message that people see for a failed job, or null if the job did not fail (JOB-9). */
export function describeFailure({
  failure,
  kind,
  exitCode,
  startedAt,
  completedAt,
}: Pick<JobRow, "failure" | "kind" | "exitCode" | "startedAt" | "completedAt">): string | null {
  switch (failure) {
    case null:
      return null;
    case "unreachable":
      return "Agent is unreachable. Check that claude is installed.";
    case "overgrown":
      return "Agent was stopped: it started too many processes.";
    case "exited":
      return `Agent failed with exit code ${exitCode}. See its log.`;
    case "no_result":
      return `Agent finished without producing a ${resultNames[kind]}. Retry.`;
    case "timed_out":
      return `Agent timed out after ${toMinutes(startedAt, completedAt)}.`;
    case "restarted":
      return "Agent failed: server restarted.";
    case "stopped":
      return "Agent failed: its runner was stopped.";
    case "lost":
      return "Agent failed: its runner disappeared.";
  }
}

/** Returns the failure of a job whose agent exited successfully but produced nothing. */
export function describeNothingMade(kind: JobRow["kind"]): NothingMade {
  return { errorTail: `agent exited 0 but produced no ${resultNames[kind]}` };
}

/** A human-readable description of the result that each kind of job must produce. */
const resultNames: Readonly<Record<JobRow["kind"], string>> = {
  conclude: "proposal",
  incorporate: "proposal",
  perspective: "perspective",
};

function toMinutes(from: Date | null, to: Date | null): string {
  const seconds = Math.round(((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.round(seconds / 60)}m`;
}
