import { connect } from "node:net";
import { inParallel } from "./in-parallel.js";
import { openLeanSocket } from "./lean-socket.js";
import type { TeamInSession } from "./places.js";

export type HoldQuestion = {
  readonly url: string;
  readonly socketUrl: string;
  /** The sessions and credentials to connect with, one connection each. */
  readonly places: readonly TeamInSession[];
  /**
   * `socket`: an inbox subscription over a WebSocket. `poll`: a blocked wait. Against a bare
   * server, `socket` only opens a connection and `poll` only sends a request.
   */
  readonly way: "socket" | "poll";
  readonly server: "merkle" | "bare";
};

/** Idle connections that stay open until `release` is called. */
export interface Holder {
  hold(question: HoldQuestion): Promise<{ held: number }>;
  release(): Promise<{ held: number }>;
}

interface IdleConnection {
  close(): void;
}

/** Limits how many connections are opened at the same time, because a server's accept queue is short. */
const parallel = 100;

export function createHolder(): Holder {
  const held: IdleConnection[] = [];
  return {
    async hold(question) {
      const open = question.way === "socket" ? openSocket : openPoll;
      held.push(...(await inParallel(question.places, parallel, (place) => open(question, place))));
      return { held: held.length };
    },
    async release() {
      for (const { close } of held.splice(0)) close();
      return { held: 0 };
    },
  };
}

/** Resolves once the inbox is open. Messages posted earlier arrive immediately and are read. */
async function openSocket(
  { socketUrl, server }: HoldQuestion,
  place: TeamInSession,
): Promise<IdleConnection> {
  if (server === "bare") return openLeanSocket(socketUrl, () => undefined);
  const { session_id, team_id } = place;
  let settle: (reply: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const socket = await openLeanSocket(socketUrl, (payload) => {
    if (payload.includes('"type":"reply"')) settle(String(payload));
  });
  socket.send(JSON.stringify({ type: "subscribe", id: 1, kind: "inbox", session_id, team_id }));
  const reply = await answered;
  if (!reply.includes('"last_sequence"')) throw new Error(`The inbox was not opened: ${reply}`);
  return socket;
}

/**
 * Resolves once the request is written. After an answer the request is sent again, as an agent would. The server
 * reports how many requests are parked.
 */
function openPoll(
  { url, server }: HoldQuestion,
  { session_id, team_id, end }: TeamInSession,
): Promise<IdleConnection> {
  const { hostname, port, host } = new URL(url);
  const path = `/api/sessions/${session_id}/messages/wait?timeout=30&since_cursor=${end}`;
  const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `X-Team-ID: ${team_id}`, "Accept: application/json"];
  const request = `${head.join("\r\n")}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(request, () => resolve({ close: () => socket.destroy() })),
    );
    socket.on("error", reject);
    socket.on("data", (data) => {
      const answer = String(data);
      if (!answer.startsWith("HTTP/1.1 200"))
        throw new Error(`A ${server} poll was answered: ${answer.slice(0, 500)}`);
      socket.write(request);
    });
  });
}
