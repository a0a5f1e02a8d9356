import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A WebSocket that sends raw bytes. It is closed when the test has finished. */
export interface RawSocket {
  /** The response to the upgrade. */
  readonly head: string;
  /** Resolves when the broker has sent its hello. */
  readonly ready: Promise<"ready">;
  /** The code with which the broker closed the connection, or 1006 if it sent none. */
  readonly closed: Promise<number>;
  /** Number of bytes that were written but have not left this process. */
  readonly unsentBytes: number;
  send(frame: object): void;
  write(bytes: Buffer): void;
  /** Returns the ids of all replies, in order of arrival. */
  replies(): unknown[];
  repliesTo(id: string | number): number;
  /** Returns the payloads of all pongs. */
  pongs(): string[];
  /** Returns the payloads of the broker's pings. */
  pings(): Buffer[];
  /** Returns the sequences of all pushed messages. */
  messages(): unknown[];
  replyTo(id: string | number): Promise<Record<string, unknown>>;
  end(): void;
}

/** Opens a connection. Resolves when the upgrade has been answered with 101. */
export function openRawSocket(port: number, headers: readonly string[]): Promise<RawSocket> {
  const socket = connect(port, "127.0.0.1");
  const frames: Record<string, unknown>[] = [];
  const pongs: string[] = [];
  const pings: Buffer[] = [];
  const listeners = new Set<() => void>();
  let bytes = Buffer.alloc(0);
  let code = 1006;
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);

  function find(isIt: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const frame = frames.find(isIt);
        if (!frame && !socket.destroyed) return;
        listeners.delete(look);
        if (frame) resolve(frame);
        else reject(new Error(`Ended with ${code} before the frame came.`));
      };
      listeners.add(look);
      look();
    });
  }

  /** A broker's frames are unfragmented and unmasked (RFC 6455, 5.2). */
  function readFrames(): void {
    while (bytes.length >= 2) {
      const short = (bytes[1] ?? 0) & 0x7f;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (bytes.length < start) return;
      const length =
        short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
      if (bytes.length < start + length) return;
      const payload = bytes.subarray(start, start + length);
      const opcode = (bytes[0] ?? 0) & 0x0f;
      if (opcode === 8) code = length < 2 ? 1005 : payload.readUInt16BE(0);
      if (opcode === 9) pings.push(Buffer.from(payload));
      if (opcode === 10) pongs.push(payload.toString());
      if (opcode === 1) frames.push(JSON.parse(payload.toString()));
      bytes = bytes.subarray(start + length);
    }
    for (const look of [...listeners]) look();
  }

  const closed = new Promise<number>((resolve) =>
    socket.once("close", () => {
      for (const look of [...listeners]) look();
      resolve(code);
    }),
  );
  const upgrade = [
    "GET /ws HTTP/1.1",
    ...headers,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  socket.write(`${upgrade.join("\r\n")}\r\n\r\n`);

  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error(`The upgrade was answered: ${bytes}`)));
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = head === "" ? bytes.indexOf("\r\n\r\n") : -1;
      if (head === "" && end === -1) return;
      if (end !== -1) {
        head = bytes.subarray(0, end).toString();
        bytes = bytes.subarray(end + 4);
        if (head.startsWith("HTTP/1.1 101")) resolve(raw);
        else return void socket.destroy();
      }
      readFrames();
    });
    let head = "";
    const raw: RawSocket = {
      get head() {
        return head;
      },
      get ready() {
        return find((frame) => frame["type"] === "hello").then(
          () => "ready" as const,
          () => closed.then(() => "ready" as const),
        );
      },
      closed,
      get unsentBytes() {
        return socket.writableLength;
      },
      send: (frame) => void socket.write(maskedFrame(JSON.stringify(frame))),
      write: (written) => void socket.write(written),
      replies: () => frames.filter((frame) => frame["type"] === "reply").map((frame) => frame["id"]),
      repliesTo: (id) => frames.filter((frame) => frame["type"] === "reply" && frame["id"] === id).length,
      pongs: () => pongs,
      pings: () => pings,
      messages: () =>
        frames.filter(({ type }) => type === "message").map(({ message }) => Object(message).sequence),
      replyTo: (id) => find((frame) => frame["type"] === "reply" && frame["id"] === id),
      end: () => void socket.destroy(),
    };
  });
}

/** Returns a text frame, or a fragment of one, as a client sends it. */
export function maskedFrame(text: string | Buffer, { first = true, last = true } = {}): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const opening = (last ? 0x80 : 0) | (first ? 1 : 0);
  const size = payload.length;
  const head =
    size < 126
      ? Buffer.from([opening, 0x80 | size])
      : size < 65_536
        ? Buffer.from([opening, 0x80 | 126, size >> 8, size & 0xff])
        : Buffer.from([
            opening,
            0x80 | 127,
            0,
            0,
            0,
            0,
            size >>> 24,
            (size >> 16) & 0xff,
            (size >> 8) & 0xff,
            size & 0xff,
          ]);
  const masked = payload.map((byte, n) => byte ^ (mask[n % 4] ?? 0));
  return Buffer.concat([head, mask, masked]);
}
