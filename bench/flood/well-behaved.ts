import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@merkle/wire/client";
import { WebSocket } from "ws";
import { messageText } from "../text.js";

/** Ten clients, each of an address and team of its own, who say something ten times a second in one session. */
export interface WellBehaved {
  readonly session: string;
  /** How long each post took, in milliseconds. */
  post(forMs: number): Promise<number[]>;
  close(): Promise<void>;
}

const count = 10;
const everyMs = 100;

export async function openWellBehaved(port: number, textBytes = 300): Promise<WellBehaved> {
  const url = `http://127.0.0.1:${port}`;
  const clients = Array.from({ length: count }, (_, n) =>
    connect({ url, WebSocket: comingFrom(`127.0.0.${n + 2}`) }),
  );
  const [first] = clients;
  if (!first) throw new Error("There is no client.");
  const { session_id } = await first.call("create_session", {
    title: "Flooded",
    creator_team_name: "Team 0",
  });
  const teams = await Promise.all(
    clients.map((client, n) => client.call("join_session", { session_id, team_name: `Team ${n + 1}` })),
  );
  const text = messageText.repeat(Math.ceil(textBytes / messageText.length)).slice(0, textBytes);

  async function postAs(n: number, until: number): Promise<number[]> {
    const taken: number[] = [];
    // They do not all speak at once.
    await delay((n * everyMs) / count);
    while (performance.now() < until) {
      const at = performance.now();
      await clients[n]?.call("post_message", {
        session_id,
        team_id: teams[n]?.team_id ?? "",
        content: { text },
      });
      taken.push(performance.now() - at);
      await delay(Math.max(0, at + everyMs - performance.now()));
    }
    return taken;
  }

  return {
    session: session_id,
    async post(forMs) {
      const until = performance.now() + forMs;
      return (await Promise.all(clients.map((_, n) => postAs(n, until)))).flat();
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function comingFrom(localAddress: string) {
  return class extends WebSocket {
    constructor(address: string) {
      super(address, { localAddress });
    }
  };
}
