import { once } from "node:events";
import { connect } from "node:net";

/** A minimal NATS client for measurements, like `LeanSocket`. */
export interface LeanNats {
  /** Publishes a message whose reply has this id. All messages sent while a chunk is being handled are written together. */
  request(subject: string, id: number, payload: string): void;
  close(): void;
}

const replySubject = "_INBOX.bench";

/** @param onReply - called with the id of each reply, and with its payload */
export async function openLeanNats(
  url: string,
  onReply: (id: number, payload: string) => void,
): Promise<LeanNats> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  // The prefix is different for each connection, because the server sends a reply to everyone who subscribed to it.
  const inbox = `${replySubject}.${socket.localPort}`;
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    socket.cork();
    let at = 0;
    for (let read = operationAt(bytes, at); read !== null; read = operationAt(bytes, at)) {
      at = read.end;
      if (read.name === "MSG") onReply(Number(read.subject.slice(inbox.length + 1)), read.payload);
      else if (read.name === "PING") socket.write("PONG\r\n");
      else if (read.name === "-ERR") throw new Error(`NATS answered ${read.line}`);
    }
    socket.uncork();
    rest = Buffer.from(bytes.subarray(at));
  });
  socket.on("error", () => socket.destroy());
  socket.write(`CONNECT {"verbose":false,"pedantic":false}\r\nSUB ${inbox}.* 1\r\n`);
  return {
    request(subject, id, payload) {
      if (socket.destroyed) throw new Error("The other end closed the connection.");
      socket.write(`PUB ${subject} ${inbox}.${id} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
    },
    close: () => socket.destroy(),
  };
}

/** An operation of the server. Only `MSG` has a subject and a payload. */
interface Operation {
  readonly name: string;
  readonly line: string;
  readonly subject: string;
  readonly payload: string;
  readonly end: number;
}

/** Returns the operation that starts at this offset. Null if it is incomplete. */
function operationAt(bytes: Buffer, at: number): Operation | null {
  const lineEnd = bytes.indexOf("\r\n", at, "latin1");
  if (lineEnd < 0) return null;
  const line = bytes.toString("latin1", at, lineEnd);
  const [name = "", subject = "", ...rest] = line.split(" ");
  const start = lineEnd + 2;
  if (name !== "MSG") return { name, line, subject: "", payload: "", end: start };
  const end = start + Number(rest.at(-1));
  if (bytes.length < end + 2) return null;
  return { name, line, subject, payload: bytes.toString("utf8", start, end), end: end + 2 };
}
