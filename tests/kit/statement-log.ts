import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Cleanup } from "./test-database.js";

/** A statement as a client sent it. Its parameters are text, or null if they were sent in binary format. */
export interface SentStatement {
  readonly query: string;
  readonly parameters: readonly (string | null)[];
}

/** Records the statements sent to a PostgreSQL server. */
export interface StatementLog {
  /** URL of the database through the recording proxy. */
  readonly url: string;
  /** Statements grouped by transaction. A statement outside a transaction forms its own group. */
  readonly transactions: readonly (readonly SentStatement[])[];
}

export async function startStatementLog(databaseUrl: string, cleanup: Cleanup): Promise<StatementLog> {
  const { hostname, port } = new URL(databaseUrl);
  const transactions: SentStatement[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const listen = createListener((sent) => transactions.push(sent));
    client.on("data", listen);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const target = new URL(databaseUrl);
  target.hostname = "127.0.0.1";
  target.port = String(Object(server.address()).port);
  return { url: target.href, transactions };
}

/** Parses the messages from one client (protocol 3). */
function createListener(onTransaction: (sent: SentStatement[]) => void): (chunk: Buffer) => void {
  const prepared = new Map<string, string>();
  let bytes: Buffer = Buffer.alloc(0);
  let greeted = false;
  let open: SentStatement[] | null = null;

  function sent(query: string, parameters: SentStatement["parameters"]): void {
    if (/^\s*begin/i.test(query)) open = [];
    else if (/^\s*(?:commit|rollback)/i.test(query)) {
      if (open && /^\s*commit/i.test(query)) onTransaction(open);
      open = null;
    } else if (open) open.push({ query, parameters });
    else onTransaction([{ query, parameters }]);
  }

  function take(type: string, body: Buffer): void {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2);
    if (type === "Q") sent(first, []);
    if (type === "P") prepared.set(first, second);
    if (type === "B")
      sent(prepared.get(second) ?? "", readParameters(body, Buffer.byteLength(first + second) + 2));
  }

  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    // The first message has no type byte.
    if (!greeted && bytes.length >= 4 && bytes.length >= bytes.readInt32BE(0)) {
      bytes = bytes.subarray(bytes.readInt32BE(0));
      greeted = true;
    }
    while (greeted && bytes.length >= 5) {
      const end = 1 + bytes.readInt32BE(1);
      if (bytes.length < end) return;
      take(String.fromCharCode(bytes[0] ?? 0), bytes.subarray(5, end));
      bytes = bytes.subarray(end);
    }
  };
}

function readParameters(body: Buffer, from: number): (string | null)[] {
  let at = from + 2 + 2 * body.readInt16BE(from);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return body.toString("utf8", at - length, at);
  });
}
