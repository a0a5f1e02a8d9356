"use client";

import { useCallback } from "react";
import { type Action, useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { type Source, toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import type { JobTarget } from "./describe-job";

export interface StartJob extends Omit<Action, "run"> {
  /** Queues a job. Resolves with true if the broker accepted it. */
  start(target: JobTarget): Promise<boolean>;
}

/** Returns a function that starts a job on the page's document or file, or retries one. */
export function useStartJob(): StartJob {
  const { source } = useSource();
  const call = useCall();
  const { run, ...action } = useAction();
  const start = useCallback(
    (target: JobTarget) =>
      run(async (signal) => void (await call("start_job", toJobInput(source, target), { signal }))),
    [run, call, source],
  );
  return { ...action, start };
}

function toJobInput(source: Source, { kind, topic_id, persona_name }: JobTarget) {
  return {
    ...toInput(source),
    kind,
    ...(topic_id !== null && { topic_id }),
    ...(persona_name !== null && { persona_name }),
  };
}

export const conclusionTarget: JobTarget = { kind: "conclude", topic_id: null, persona_name: null };
