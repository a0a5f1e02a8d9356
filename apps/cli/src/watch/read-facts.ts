import type { MerkleClient } from "@merkle/wire/client";
import { toNeed } from "../views/needs.js";
import type { Facts } from "../views/watch/board.js";

/** Reads what stands above the feed. */
export async function readFacts(
  client: Pick<MerkleClient, "call">,
  session_id: string,
  signal: AbortSignal,
): Promise<Facts> {
  const [session, { peers }, { items }] = await Promise.all([
    client.call("get_session", { session_id }, { signal }),
    client.call("list_peers", { session_id }, { signal }),
    client.call("list_attention", { session: session_id }, { signal }),
  ]);
  return { session, peers, needs: items.map(toNeed) };
}
