import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/** Sockets of one attacker, of which every byte is its own. */
export interface Arsenal {
  /** Null when it was refused. */
  connect(): Promise<Socket | null>;
  /** A WebSocket, upgraded; null when that was refused. */
  upgrade(more?: readonly string[]): Promise<Socket | null>;
  end(): void;
}

/** @param addresses - so many it comes from, in turn: from 127.0.0.101 on, beside those of the well-behaved */
export function createArsenal(port: number, addresses = 1): Arsenal {
  const open = new Set<Socket>();
  let opened = 0;

  function connectOne(): Promise<Socket | null> {
    return new Promise((resolve) => {
      const localAddress = `127.0.0.${101 + (opened++ % addresses)}`;
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      open.add(socket);
      socket.on("error", () => undefined);
      socket.once("connect", () => resolve(socket));
      socket.once("close", () => {
        open.delete(socket);
        resolve(null);
      });
    });
  }

  return {
    connect: connectOne,
    async upgrade(more = []) {
      const socket = await connectOne();
      if (!socket) return null;
      socket.write(toRequest("GET /ws", ["Connection: Upgrade", ...upgradeHeaders, ...more]));
      return new Promise((resolve) => {
        socket.once("data", (chunk: Buffer) => resolve(chunk.includes(" 101 ") ? socket : null));
        socket.once("close", () => resolve(null));
      });
    },
    end() {
      for (const socket of open) socket.destroy();
    },
  };
}

const upgradeHeaders = [
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

export function toRequest(line: string, headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;
}

/** A frame as a client sends it, or a piece of one (RFC 6455, 5.2). */
export function toFrame(payload: Buffer, { first = true, last = true, compressed = false } = {}): Buffer {
  const opening = (last ? 0x80 : 0) | (compressed ? 0x40 : 0) | (first ? 1 : 0);
  const mask = randomBytes(4);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = opening;
  head[1] = 0x80 | (head.length === 2 ? payload.length : head.length === 4 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, mask, payload.map((byte, n) => byte ^ (mask[n % 4] ?? 0))]);
}

/** Resolves when the socket has taken what was written, or is gone. */
export function written(socket: Socket, bytes: Buffer | string): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    socket.once("close", gone);
    socket.write(bytes, (error) => {
      socket.off("close", gone);
      resolve(!error);
    });
    if (socket.destroyed) resolve(false);
  });
}
