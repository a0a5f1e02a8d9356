"use client";

import { useCallback } from "react";
import { type Action, useAction } from "@/lib/broker/use-action";
import { useCall } from "@/lib/broker/use-call";
import type { JobTarget } from "./describe-job";

export interface StartJob extends Omit<Action, "run"> {
  /** Queues a job; resolves with whether it was. */
  start(target: JobTarget): Promise<boolean>;
}

/** How to have an agent do something about a session's document, for the first time or once more. */
export function useStartJob(sessionId: string): StartJob {
  const call = useCall();
  const { run, ...action } = useAction();
  const start = useCallback(
    (target: JobTarget) =>
      run(async (signal) => void (await call("start_job", toInput(sessionId, target), { signal }))),
    [run, call, sessionId],
  );
  return { ...action, start };
}

function toInput(session_id: string, { kind, topic_id, persona_name }: JobTarget) {
  return {
    session_id,
    kind,
    ...(topic_id !== null && { topic_id }),
    ...(persona_name !== null && { persona_name }),
  };
}

export const draftTheConclusion: JobTarget = { kind: "conclude", topic_id: null, persona_name: null };
