"use client";

import type { OutputOf } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";

/** What an agent's draft of the conclusion lacks. */
export interface DraftObstacle {
  readonly text: string;
  /** Whether the job would fail or wait permanently. */
  readonly isFinal: boolean;
}

/** Returns what prevents an agent from drafting the conclusion now. Null if nothing does, and while loading. */
export function useDraftObstacle(): DraftObstacle | null {
  const { data } = useRead("get_runner", {}, { on: ["jobs"] });
  return data === undefined ? null : findDraftObstacle(data);
}

function findDraftObstacle({ here, elsewhere }: OutputOf<"get_runner">): DraftObstacle | null {
  if (here === null)
    return elsewhere
      ? { text: "An agent’s draft waits until a runner on another machine takes the job.", isFinal: false }
      : { text: "An agent’s draft needs a job runner, and this broker has none.", isFinal: true };
  if (here.runner === null || here.runner.problem === null) return null;
  return {
    text: `An agent’s draft needs the program “${here.runner.program}”, which this broker cannot run.`,
    // The broker takes the job at once and fails it, also where runners on other machines may claim jobs.
    isFinal: true,
  };
}

export function DraftObstacleText({ obstacle }: { readonly obstacle: DraftObstacle }) {
  return (
    <>
      {obstacle.text}{" "}
      <PageLink href="/settings#jobs" className="text-link underline underline-offset-4">
        Job runner
      </PageLink>
    </>
  );
}
