import type { JobRow, NothingMade } from "@merkle/db";

/** What people are told of a job that failed; null of any other (JOB-9). */
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
      return `Agent finished without producing a ${madeBy[kind]}. Retry.`;
    case "timed_out":
      return `Agent timed out after ${toMinutes(startedAt, completedAt)}.`;
    case "restarted":
      return "Agent failed: server restarted.";
    case "stopped":
      return "Agent failed: whoever ran it was stopped.";
    case "lost":
      return "Agent failed: whoever ran it was not heard of any more.";
  }
}

/** What is said of a job whose agent ended well and has made nothing. */
export function nothingMade(kind: JobRow["kind"]): NothingMade {
  return { errorTail: `agent exited 0 but produced no ${madeBy[kind]}` };
}

/** What each kind of job is to make. */
const madeBy: Readonly<Record<JobRow["kind"], string>> = {
  conclude: "proposal",
  incorporate: "proposal",
  perspective: "perspective",
};

function toMinutes(from: Date | null, to: Date | null): string {
  const seconds = Math.round(((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.round(seconds / 60)}m`;
}
