import type { InputOf, StateEntry } from "@merkle/wire";
import { limits } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker/broker-client.js";

/** All keys that are set, page by page. */
export async function listAllState(
  broker: Pick<BrokerClient, "call">,
  wanted: Pick<InputOf<"list_state">, "session_id" | "scope" | "prefix">,
): Promise<StateEntry[]> {
  const entries: StateEntry[] = [];
  let after: string | null | undefined;
  while (after !== null) {
    const page = await broker.call("list_state", {
      ...wanted,
      limit: limits.statePageMax,
      ...(after === undefined ? {} : { after }),
    });
    entries.push(...page.entries);
    after = page.next_cursor;
  }
  return entries;
}
