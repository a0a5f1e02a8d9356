"use client";

import type { OutputOf } from "@merkle/wire";
import { CircleAlert, CircleCheck, Link2 } from "lucide-react";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useBroker } from "@/broker/use-broker";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";

type Verdict = OutputOf<"audit_verify_chain">;

export interface ChainCheckProps {
  readonly sessionId: string;
  /** The number of records in the session. A result for fewer records is out of date. */
  readonly records: number;
}

/** Asks the broker to verify the chains of the session's tasks, and shows the result. */
export function ChainCheck({ sessionId, records }: ChainCheckProps) {
  const broker = useBroker();
  const { run, isPending, refusal } = useAction();
  const [lastCheck, setLastCheck] = useState<{ readonly verdict: Verdict; readonly records: number } | null>(
    null,
  );
  const verdict = lastCheck?.records === records ? lastCheck.verdict : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button
        variant="outline"
        size="sm"
        disabled={isPending}
        onClick={() =>
          void run(async (signal) => {
            const input = { session_id: sessionId };
            setLastCheck({ verdict: await broker.call("audit_verify_chain", input, { signal }), records });
          })
        }
      >
        <Link2 aria-hidden />
        {isPending ? "Checking…" : "Check chain"}
      </Button>
      <p role="status" className="min-w-0 text-sm">
        {verdict !== null && <Outcome verdict={verdict} />}
      </p>
      <RefusalNote refusal={refusal} />
    </div>
  );
}

function Outcome({ verdict }: { verdict: Verdict }) {
  const Icon = verdict.valid ? CircleCheck : CircleAlert;
  return (
    <span className={verdict.valid ? "text-success" : "text-danger"}>
      <Icon aria-hidden className="mr-1 inline size-4 align-text-bottom" />
      {describeVerdict(verdict)}
    </span>
  );
}

function describeVerdict({ valid, record_count, task_count, broken_at, root_matches }: Verdict): string {
  const summary = `${record_count} ${record_count === 1 ? "record" : "records"} of ${task_count} ${task_count === 1 ? "task" : "tasks"}`;
  if (broken_at?.problem === "hash") return `Record ${broken_at.number} doesn't match its hash.`;
  if (broken_at)
    return `Record ${broken_at.number} doesn't follow the one before it: a record was removed or inserted.`;
  if (root_matches === false) return "The records don't match the sealed root.";
  if (!valid) return "The chain is broken.";
  return `The chain is intact: ${summary}${root_matches === true ? ", matching the sealed root" : ""}.`;
}
