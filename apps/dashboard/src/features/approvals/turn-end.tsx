"use client";

import type { Approval, Peer } from "@merkle/wire";
import { showInvisible } from "@merkle/wire/text";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { RefusalNote } from "@/components/refusal-note";
import { useSigner } from "@/feed/compose/use-signer";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Prose } from "./prose";
import type { Answering } from "./use-answer";

const noRoster: { readonly peers: readonly Peer[] } = { peers: [] };

interface TurnEndProps {
  readonly approval: Approval;
  /** The last text of the turn. */
  readonly text: string;
  readonly answering: Answering;
}

/** A question with which an agent has ended its turn. The answer is a message to the agent, which begins another turn. */
export function TurnEnd({ approval: { session_id, asked_by }, text, answering }: TurnEndProps) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const { data: { peers } = noRoster } = useRead("list_peers", { session_id });
  const signer = useSigner(peers);
  const [reply, setReply] = useState("");
  const [isSent, setSent] = useState(false);

  async function send(): Promise<void> {
    const input = { session_id, to: [asked_by], content: { text: reply.trim() } };
    const isPosted = await run(async (signal) => {
      const signed = signer ? await signer.sign(input, peers, asked_by) : input;
      await call("post_message", signed, { signal });
    });
    setSent(isPosted);
  }

  return (
    <>
      <Prose text={showInvisible(text)} />
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Input
          aria-label="Your answer"
          placeholder="Your answer…"
          dir="auto"
          value={reply}
          disabled={isSent}
          onChange={({ target }) => setReply(target.value)}
        />
        <Button type="submit" disabled={isPending || isSent || reply.trim() === ""}>
          Send
        </Button>
      </form>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="ghost"
          disabled={answering.isPending}
          onClick={() => answering.answer({ decision: "leave" })}
        >
          Answer in terminal
        </Button>
        <p role="status" className="text-sm text-muted-foreground">
          {isSent
            ? "Sent as a message to the agent."
            : signer?.findOwnAgent(peers, asked_by) &&
              "Signed on this device: the agent takes this as its user’s words."}
        </p>
      </div>
      <RefusalNote refusal={refusal ?? answering.refusal} />
    </>
  );
}
