import type { MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/plain";
import { toNeeds } from "../needs/needs.js";
import { OpenAsks } from "../needs/open-asks.js";
import type { Facts } from "./board.js";

/** Reads what stands above the feed; asks are gathered from the feed itself, once from its end and then as they come. */
export function createFactsReader(
  client: Pick<MerkleClient, "call" | "state">,
  session_id: string,
): { readonly asks: OpenAsks; read(signal: AbortSignal): Promise<Facts> } {
  const asks = new OpenAsks();
  let epoch: string | undefined;

  async function readAsks(signal: AbortSignal): Promise<void> {
    const { state } = client;
    if (state.status !== "open" || state.epoch === epoch) return;
    // The first time, and after a restore.
    const { messages } = await client.call(
      "get_history",
      { session_id, limit: limits.pageMessagesMax },
      { signal },
    );
    asks.clear();
    for (const message of messages) asks.add(message);
    epoch = state.epoch;
  }

  return {
    asks,
    async read(signal) {
      const [session, { peers }] = await Promise.all([
        client.call("get_session", { session_id }, { signal }),
        client.call("list_peers", { session_id }, { signal }),
        readAsks(signal),
      ]);
      return { session, peers, needs: toNeeds({ session, peers, asks: asks.list() }) };
    },
  };
}
