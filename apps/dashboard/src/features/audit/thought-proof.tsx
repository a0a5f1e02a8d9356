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
  const { run, pending, refusal } = useAction();
  const [found, setFound] = useState<ThoughtCheck | null>(null);
  return (
    <>
      {found === null && (
        <Button
          variant="ghost"
          size="sm"
          className="text-link"
          disabled={pending}
          onClick={() =>
            void run(async (signal) => {
              const input = { record_id: record.id, session_id: record.session_id ?? undefined };
              const proof = await broker.call("merkle_proof", input, { signal });
              setFound(await checkThought(record, proof, root));
            })
          }
        >
          <ShieldCheck aria-hidden />
          {pending ? "Checking…" : "Check in this browser"}
          <span className="sr-only"> record {record.number}</span>
        </Button>
      )}
      <div role="status" className={found === null ? "sr-only" : "basis-full text-sm"}>
        {found !== null && <Outcome found={found} />}
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
