import { MerkleError, type StateEntry } from "@merkle/wire";
import { useState } from "react";
import { type Action, useAction } from "@/broker/use-action";
import { useBroker } from "@/broker/use-broker";
import { type Call, useCall } from "@/broker/use-call";
import type { StateAddress } from "./state-details";

export interface StateChange extends Action {
  /** The entry that somebody else made while the key was being changed here; null unless somebody was faster. */
  readonly theirs: StateEntry | null;
  /** Does the change unless the key is at another version by then. Resolves with whether it was done. */
  change(work: (call: Call, signal: AbortSignal) => Promise<unknown>): Promise<boolean>;
}

/** Changes a key without losing a newer change of somebody else. */
export function useStateChange({ sessionId, scope, key }: StateAddress): StateChange {
  const call = useCall();
  const broker = useBroker();
  const action = useAction();
  const [theirs, setTheirs] = useState<StateEntry | null>(null);

  async function change(work: (call: Call, signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    let wasFirst = true;
    const done = await action.run(async (signal) => {
      try {
        await work(call, signal);
      } catch (error) {
        if (!(error instanceof MerkleError) || error.code !== "conflict" || !("version" in error.details))
          throw error;
        wasFirst = false;
        // A conflict leaves out a large value.
        setTheirs(await broker.call("get_state", { session_id: sessionId, scope, key }, { signal }));
      }
    });
    return done && wasFirst;
  }

  return { ...action, theirs, change };
}
