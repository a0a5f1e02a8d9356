"use client";

import { X } from "lucide-react";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/components/ui/button";
import { useAction } from "@/lib/broker/use-action";
import { useCall } from "@/lib/broker/use-call";

/** Cancels a job: nothing that its agent does counts from then on. */
export function CancelJob({ jobId }: { readonly jobId: number }) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        disabled={pending}
        aria-label={`Cancel job ${jobId}`}
        onClick={() =>
          void run(async (signal) => void (await call("cancel_job", { job_id: jobId }, { signal })))
        }
      >
        <X aria-hidden /> {pending ? "Cancelling…" : "Cancel"}
      </Button>
      <RefusalNote refusal={refusal} className="basis-full" />
    </>
  );
}
