import { useState } from "react";
import { useSession } from "@/components/session/session-context";
import type { Refusal } from "@/lib/broker/refusal";
import { useAction } from "@/lib/broker/use-action";
import { useCall } from "@/lib/broker/use-call";
import { describeNudge } from "./describe-nudge";

export interface Nudging {
  nudge(): void;
  readonly pending: boolean;
  /** What came of it, for each peer; empty before. */
  readonly told: string;
  readonly refusal: Refusal | null;
}

/** Wakes those whom `to` names, as the broker takes names. */
export function useNudge(to: string): Nudging {
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
