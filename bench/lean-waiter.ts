import { once } from "node:events";
import { connect } from "node:net";
import type { TeamInSession } from "./places.js";

/** A connection over which one team repeatedly waits for messages. */
export interface Waiter {
  wait(timeoutSeconds: number, sinceCursor: number): void;
  close(): void;
}

/**
 * Opens a connection that writes requests and reads answers without an HTTP library. For a thousand answers, a library
 * would need as much CPU as the broker, on the same machine.
 *
 * @param onAnswer - called with each answer's `next_cursor`
 */
export async function openWaiter(
  url: string,
  { session_id, team_id }: Pick<TeamInSession, "session_id" | "team_id">,
  onAnswer: (nextCursor: number) => void,
): Promise<Waiter> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  let closed = false;
  let received = "";
  socket.setNoDelay().setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    const answer = answerIn(received);
    if (answer === null) return;
    received = "";
    const cursor = /"next_cursor":(\d+)/.exec(answer)?.[1];
    // The broker would refuse the same request again, so stop here.
    if (cursor === undefined) throw new Error(`A wait was answered ${answer}`);
    if (!closed) onAnswer(Number(cursor));
  });
  return {
    wait(timeoutSeconds, sinceCursor) {
      const query = `timeout=${timeoutSeconds}&since_cursor=${sinceCursor}`;
      socket.write(
        `GET /api/sessions/${session_id}/messages/wait?${query} HTTP/1.1\r\nHost: ${host}\r\nX-Team-ID: ${team_id}\r\n\r\n`,
      );
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** Returns the answer once it is complete. Every answer has a content length, and nothing follows it before the next request. */
function answerIn(received: string): string | null {
  const head = received.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  return head >= 0 && length !== undefined && received.length >= head + 4 + Number(length) ? received : null;
}
