import type { OutputOf } from "@merkle/wire";
import { useState } from "react";
import type { Refusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useSession } from "@/sessions/session-context";
import { formatPeerAddress } from "./roster-rows";

export interface NudgeState {
  nudge(): void;
  readonly pending: boolean;
  /** The result for each nudged peer, as text. Empty before the first nudge. */
  readonly told: string;
  readonly refusal: Refusal | null;
}

/** Returns a function that wakes the recipients named by `to`. */
export function useNudge(to: string): NudgeState {
  const { session } = useSession();
  const call = useCall();
  const [told, setTold] = useState("");
  const { run, pending, refusal } = useAction();

  function nudge(): void {
    setTold("");
    void run(async (signal) => {
      const { nudged } = await call("nudge", { session_id: session.session_id, to }, { signal });
      setTold(describeNudge(nudged));
    });
  }

  return { nudge, pending, told, refusal };
}

type Nudged = OutputOf<"nudge">["nudged"][number];

/** Describes the result of a nudge for each peer. */
function describeNudge(nudged: readonly Nudged[]): string {
  return nudged.length === 0 ? "No agents online to nudge." : nudged.map(describePeer).join(" ");
}

function describePeer({ team, peer, connected, reached }: Nudged): string {
  const name = formatPeerAddress(team, peer);
  if (reached.length > 0) return `${name} was woken (${reached.map((path) => wakeWords[path]).join(", ")}).`;
  if (connected) return `${name} is connected but can't be woken. It reads at its next poll.`;
  return `${name} is offline and reads when it returns.`;
}

const wakeWords = {
  inbox: "by its inbox",
  hooks: "in its current turn",
  wait: "by its pending wait",
  channel: "by its channel",
} as const;
