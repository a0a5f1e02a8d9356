"use client";

import type { OutputOf } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";

/** The element's id, which buttons that start jobs can refer to. */
export const runnerNoteId = "runner-note";

/** Explains why no job can run, if known, with a link to the settings. */
export function RunnerNote() {
  const { data } = useRead("get_runner", {}, { on: ["jobs"] });
  const obstacle = data === undefined ? null : describeObstacle(data);
  if (obstacle === null) return null;
  return (
    <p
      id={runnerNoteId}
      className="rounded-lg border border-warning/40 bg-highlight px-3 py-2 text-sm [overflow-wrap:anywhere]"
    >
      {obstacle}{" "}
      <PageLink href="/settings#jobs" className="text-link underline underline-offset-4">
        Job runner
      </PageLink>
    </p>
  );
}

/** Returns the reason why no job can run, in sentences. Null if jobs can run. */
function describeObstacle({ here, elsewhere }: OutputOf<"get_runner">): string | null {
  if (here === null) {
    return elsewhere
      ? "This broker runs no jobs itself. Jobs wait until another runner takes them."
      : "This broker doesn't run jobs and allows no other runner, so jobs stay queued.";
  }
  const problem = here.runner?.problem ?? null;
  if (problem === null) return null;
  return `${elsewhere ? "Jobs this broker takes" : "Jobs"} will fail immediately. ${problem}`;
}
