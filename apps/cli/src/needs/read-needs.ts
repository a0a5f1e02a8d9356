import type { Session } from "@merkle/wire";
import { limits } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker-client.js";
import { type Need, toNeeds } from "./needs.js";
import { OpenAsks } from "./open-asks.js";

/** What of a session waits for a human: three calls. Asks before its last 500 messages are not looked for. */
export async function readNeeds(
  broker: Pick<BrokerClient, "call">,
  { session_id }: Pick<Session, "session_id">,
): Promise<Need[]> {
  const [session, { peers }, { messages }] = await Promise.all([
    broker.call("get_session", { session_id }),
    broker.call("list_peers", { session_id }),
    broker.call("get_history", { session_id, limit: limits.pageMessagesMax }),
  ]);
  const asks = new OpenAsks();
  for (const message of messages) asks.add(message);
  return toNeeds({ session, peers, asks: asks.list() });
}
