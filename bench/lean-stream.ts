import { once } from "node:events";
import { connect } from "node:net";

/**
 * A minimal Redis client for measurements, like `LeanSocket`. It speaks RESP 2, and replies arrive in the order of the
 * commands.
 */
export interface LeanStream {
  /** Sends a command. All commands sent while a chunk is being handled are written together. */
  send(...words: readonly string[]): void;
  close(): void;
}

export type Reply = string | null | readonly Reply[];

/** @param onReply - called with each reply. An error reply ends the measurement. */
export async function openLeanStream(url: string, onReply: (reply: Reply) => void): Promise<LeanStream> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    socket.cork();
    let at = 0;
    for (let read = replyAt(bytes, at); read !== null; read = replyAt(bytes, at)) {
      at = read.end;
      onReply(read.reply);
    }
    socket.uncork();
    rest = Buffer.from(bytes.subarray(at));
  });
  socket.on("error", () => socket.destroy());
  return {
    send(...words) {
      if (socket.destroyed) throw new Error("The other end closed the connection.");
      const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      socket.write(`*${words.length}\r\n${parts.join("")}`);
    },
    close: () => socket.destroy(),
  };
}

/** Returns the reply that starts at this offset, and its end. Null if the reply is incomplete. */
function replyAt(bytes: Buffer, at: number): { readonly reply: Reply; readonly end: number } | null {
  const lineEnd = bytes.indexOf("\r\n", at, "latin1");
  if (lineEnd < 0) return null;
  const line = bytes.toString("latin1", at + 1, lineEnd);
  const start = lineEnd + 2;
  switch (bytes[at]) {
    case codes.text: {
      const end = start + Number(line);
      if (Number(line) < 0) return { reply: null, end: start };
      return bytes.length < end + 2 ? null : { reply: bytes.toString("utf8", start, end), end: end + 2 };
    }
    case codes.list:
      return listAt(bytes, start, Number(line));
    case codes.error:
      throw new Error(`Redis said: ${line}`);
    default:
      return { reply: line, end: start };
  }
}

function listAt(bytes: Buffer, start: number, count: number): ReturnType<typeof replyAt> {
  const reply: Reply[] = [];
  let end = start;
  for (let index = 0; index < count; index += 1) {
    const read = replyAt(bytes, end);
    if (read === null) return null;
    reply.push(read.reply);
    end = read.end;
  }
  return { reply: count < 0 ? null : reply, end };
}

const codes = { text: 0x24, list: 0x2a, error: 0x2d } as const;
