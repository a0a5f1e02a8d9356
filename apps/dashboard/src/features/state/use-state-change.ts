import { MerkleError, type StateEntry } from "@merkle/wire";
import { useState } from "react";
import { type Action, useAction } from "@/broker/use-action";
import { useBroker } from "@/broker/use-broker";
import { type Call, useCall } from "@/broker/use-call";
import type { StateAddress } from "./state-details";

export interface StateChange extends Action {
  /** The entry that someone else set in the meantime. Null if there was no conflict. */
  readonly theirs: StateEntry | null;
  /** Performs the change unless the key has another version by then. Resolves with true if it was performed. */
  change(work: (call: Call, signal: AbortSignal) => Promise<unknown>): Promise<boolean>;
}

/** Returns functions that change a key without overwriting a newer change. */
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
        // Reads the entry, because the conflict's details omit a large value.
        setTheirs(await broker.call("get_state", { session_id: sessionId, scope, key }, { signal }));
      }
    });
    return done && wasFirst;
  }

  return { ...action, theirs, change };
}
