"use client";

import { X } from "lucide-react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";

/** Cancels a job: from then on, the broker ignores its agent's results. */
export function CancelJob({ jobId }: { readonly jobId: number }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        disabled={isPending}
        aria-label={`Cancel job ${jobId}`}
        onClick={() =>
          void run(async (signal) => void (await call("cancel_job", { job_id: jobId }, { signal })))
        }
      >
        <X aria-hidden /> {isPending ? "Cancelling…" : "Cancel"}
      </Button>
      <RefusalNote refusal={refusal} className="basis-full" />
    </>
  );
}
