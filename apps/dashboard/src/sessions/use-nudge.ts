import type { OutputOf } from "@merkle/wire";
import { useState } from "react";
import type { Refusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useSession } from "@/sessions/session-context";
import { formatPeerAddress } from "./roster-rows";

export interface NudgeState {
  nudge(): void;
  readonly isPending: boolean;
  /** The result for each nudged peer, as text. Empty before the first nudge. */
  readonly resultText: string;
  readonly refusal: Refusal | null;
}

/** Returns a function that wakes the recipients named by `to`. */
export function useNudge(to: string): NudgeState {
  const { session } = useSession();
  const call = useCall();
  const [resultText, setResultText] = useState("");
  const { run, isPending, refusal } = useAction();

  function nudge(): void {
    setResultText("");
    void run(async (signal) => {
      const { nudged } = await call("nudge", { session_id: session.session_id, to }, { signal });
      setResultText(describeNudge(nudged));
    });
  }

  return { nudge, isPending, resultText, refusal };
}

type NudgedPeer = OutputOf<"nudge">["nudged"][number];

/** Describes the result of a nudge for each peer. */
function describeNudge(nudged: readonly NudgedPeer[]): string {
  return nudged.length === 0 ? "No agents online to nudge." : nudged.map(describePeer).join(" ");
}

function describePeer({ team, peer, connected, reached }: NudgedPeer): string {
  const name = formatPeerAddress(team, peer);
  if (reached.length > 0)
    return `${name} was woken (${reached.map((path) => wakePathTexts[path]).join(", ")}).`;
  if (connected) return `${name} is connected but can't be woken. It reads at its next poll.`;
  return `${name} is offline and reads when it returns.`;
}

const wakePathTexts = {
  inbox: "by its inbox",
  hooks: "in its current turn",
  wait: "by its pending wait",
  channel: "by its channel",
} as const;
