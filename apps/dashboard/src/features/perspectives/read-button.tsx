"use client";

import type { Job, Persona } from "@merkle/wire";
import { Glasses, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { describeJob, RunnerNote } from "@/features/jobs/api";
import { type Source, toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { Button } from "@/ui/button";

/** The facts that determine whether a persona can read the text now. */
export interface ReadingRequest {
  readonly persona: Persona;
  readonly isEmpty: boolean;
  /** Another job on the same text, which must end first. */
  readonly busyWith: Job | null;
}

export interface ReadButtonProps extends ReadingRequest {
  readonly label?: ReactNode;
  /** Whether to make the button less prominent. Set if it repeats an earlier reading. */
  readonly isQuiet?: boolean;
}

/**
 * Starts a job in which an agent reads the text as a persona. A manual request runs even if nothing has changed since
 * the last reading.
 */
export function ReadButton({ persona, isEmpty, busyWith, label, isQuiet = false }: ReadButtonProps) {
  const { source } = useSource();
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const obstacle = describeObstacle(source, { persona, isEmpty, busyWith });
  const input = {
    kind: "perspective",
    ...toInput(source),
    persona_name: persona.name,
    again: true,
  } as const;
  const Icon = isQuiet ? RotateCw : Glasses;
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        variant={isQuiet ? "outline" : "default"}
        size={isQuiet ? "sm" : "default"}
        disabled={isPending || obstacle !== null}
        onClick={() => void run(async (signal) => void (await call("start_job", input, { signal })))}
      >
        <Icon aria-hidden /> {isPending ? "Starting…" : label}
      </Button>
      {obstacle !== null && <p className="text-sm text-muted-foreground">{obstacle}</p>}
      <RefusalNote refusal={refusal} />
      {!isQuiet && <RunnerNote />}
    </div>
  );
}

function describeObstacle({ kind }: Source, { persona, isEmpty, busyWith }: ReadingRequest): string | null {
  if (persona.retired) return "This persona is retired. Restore it in Settings to use it again.";
  if (isEmpty) return `The ${kind} is empty, so there’s nothing to read yet.`;
  if (busyWith === null) return null;
  return `Job ${busyWith.job_id} is working on this ${kind} (${describeJob(busyWith).toLowerCase()}). Only one job runs at a time.`;
}
