import { MerkleError, type StateEntry } from "@merkle/wire";
import { useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { type Call, useCall } from "@/broker/use-call";
import type { StateAddress } from "./state-details";

export interface StateChangeHandle {
  /** The entry that someone else set in the meantime. Null if there was no conflict. */
  readonly theirs: StateEntry | null;
  /** Makes the change. Resolves with false if the key's version has changed in the meantime. */
  change(work: (call: Call) => Promise<unknown>, signal: AbortSignal): Promise<boolean>;
}

/** Returns functions that change a key without overwriting a newer change. */
export function useStateChange({ sessionId, scope, key }: StateAddress): StateChangeHandle {
  const call = useCall();
  const broker = useBroker();
  const [theirs, setTheirs] = useState<StateEntry | null>(null);

  async function change(work: (call: Call) => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
    try {
      await work(call);
      return true;
    } catch (error) {
      if (!(error instanceof MerkleError) || error.code !== "conflict" || !("version" in error.details))
        throw error;
      // Reads the entry, because the conflict's details omit a large value.
      setTheirs(await broker.call("get_state", { session_id: sessionId, scope, key }, { signal }));
      return false;
    }
  }

  return { theirs, change };
}
