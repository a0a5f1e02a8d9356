"use client";

import { MessageSquareReply } from "lucide-react";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/components/ui/button";
import { useAction } from "@/lib/broker/use-action";
import { useCall } from "@/lib/broker/use-call";

/** Opens a closed topic again, where somebody finds that it is not settled. */
export function TopicReopen({ topicId }: { readonly topicId: number }) {
  const call = useCall();
  const { run, pending, refusal } = useAction();

  function reopen(): void {
    void run(async (signal) => {
      await call("reply_to_topic", { topic_id: topicId, reopen: true }, { signal });
    });
  }

  return (
    <div className="grid justify-items-start gap-1">
      <RefusalNote refusal={refusal} />
      <Button variant="outline" size="sm" disabled={pending} onClick={reopen}>
        <MessageSquareReply aria-hidden /> Reopen
      </Button>
    </div>
  );
}
