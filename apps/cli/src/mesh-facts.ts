import type { BrokerClient } from "./broker/broker-client.js";
import { readClients } from "./broker/broker-facts.js";
import type { Actor } from "./identity/acting.js";

export interface MeshFacts {
  readonly open_sessions: number;
  /** Peers that have a wait parked at this moment. */
  readonly peers_polling: number;
  readonly mcp_url: string;
  /** How much waits for a human, as the dashboard counts it. */
  readonly needs_you: number;
}

const sessionsAtOnce = 8;

/** What goes on in the broker's mesh. What `reader` has put away does not wait for them. */
export async function readMeshFacts(broker: BrokerClient, reader: Actor): Promise<MeshFacts> {
  const [{ connection_url }, { waits }, sessionIds, { total }] = await Promise.all([
    broker.call("get_settings", {}),
    readClients(broker),
    listOpenSessions(broker),
    reader.call("list_attention", {}),
  ]);
  return {
    open_sessions: sessionIds.length,
    // Several waits may be of one peer, so the rosters are asked; without a wait there is nothing to ask them.
    peers_polling: waits === 0 ? 0 : await countPolling(broker, sessionIds),
    mcp_url: connection_url,
    needs_you: total,
  };
}

async function listOpenSessions(broker: BrokerClient): Promise<string[]> {
  const sessionIds: string[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await broker.call("list_sessions", {
      status: "open",
      limit: 200,
      ...(before === undefined ? {} : { before }),
    });
    sessionIds.push(...page.sessions.map((each) => each.session_id));
    before = page.next_cursor;
  }
  return sessionIds;
}

async function countPolling(broker: BrokerClient, sessionIds: readonly string[]): Promise<number> {
  const left = [...sessionIds];
  let polling = 0;
  const work = async () => {
    for (let sessionId = left.pop(); sessionId !== undefined; sessionId = left.pop()) {
      const { participants } = await broker.call("list_participants", { session_id: sessionId });
      polling += participants.filter((each) => each.polling).length;
    }
  };
  await Promise.all(Array.from({ length: sessionsAtOnce }, work));
  return polling;
}
