"use client";

import type { ThoughtRecord } from "@merkle/wire";
import { CircleAlert, CircleCheck, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useBroker } from "@/broker/use-broker";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";
import { checkThought, type ThoughtCheck } from "./check-thought";

export interface ThoughtProofProps {
  readonly record: ThoughtRecord;
  /** The Merkle root with which the audit session was sealed. */
  readonly root: string;
}

/** Checks in this browser that a record was sealed together with its audit session. */
export function ThoughtProof({ record, root }: ThoughtProofProps) {
  const broker = useBroker();
  const { run, isPending, refusal } = useAction();
  const [check, setCheck] = useState<ThoughtCheck | null>(null);
  return (
    <>
      {check === null && (
        <Button
          variant="ghost"
          size="sm"
          className="text-link"
          disabled={isPending}
          onClick={() =>
            void run(async (signal) => {
              const input = { record_id: record.id, session_id: record.session_id ?? undefined };
              const proof = await broker.call("merkle_proof", input, { signal });
              setCheck(await checkThought(record, proof, root));
            })
          }
        >
          <ShieldCheck aria-hidden />
          {isPending ? "Checking…" : "Check in this browser"}
          <span className="sr-only"> record {record.number}</span>
        </Button>
      )}
      <div role="status" className={check === null ? "sr-only" : "basis-full text-sm"}>
        {check !== null && <Outcome found={check} />}
      </div>
      <RefusalNote refusal={refusal} />
    </>
  );
}

function Outcome({ found }: { found: ThoughtCheck }) {
  if (!found.holds) {
    return (
      <p className="text-danger">
        <CircleAlert aria-hidden className="mr-1 inline size-4 align-text-bottom" />
        {found.problem}
      </p>
    );
  }
  return (
    <>
      <p className="text-success">
        <CircleCheck aria-hidden className="mr-1 inline size-4 align-text-bottom" />
        Its hash, computed in this browser, leads to the root in {found.steps}{" "}
        {found.steps === 1 ? "step" : "steps"}.
      </p>
      <p className="text-muted-foreground">
        Unchanged since it was finalized. This does not prove that its content is true or complete.
      </p>
    </>
  );
}
