import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";

/**
 * A minimal WebSocket client for measurements. It uses as little CPU as possible, because the broker shares the machine. It
 * supports no fragments and no extensions.
 */
export interface LeanSocket {
  /** Sends a frame. All frames sent while a chunk is being handled are written together. */
  send(text: string): void;
  close(): void;
}

/** @param onFrame - called with the payload of each data frame, which is valid only during the call */
export async function openLeanSocket(url: string, onFrame: (payload: Buffer) => void): Promise<LeanSocket> {
  const { socket, head } = await upgrade(url);
  const mask = randomBytes(4);
  const read = frameReader(onFrame, (payload) => socket.write(maskedFrame(opcodes.pong, payload, mask)));
  const receive = (chunk: Buffer) => {
    socket.cork();
    read(chunk);
    socket.uncork();
  };
  socket.on("data", receive);
  // If the broker closes the connection, the measurement fails: the next `send` throws.
  socket.on("error", () => socket.destroy());
  if (head.length > 0) receive(head);
  return {
    send(text) {
      if (socket.destroyed) throw new Error("The other end closed the connection.");
      socket.write(maskedFrame(opcodes.text, Buffer.from(text), mask));
    },
    close: () => socket.destroy(),
  };
}

function upgrade(url: string): Promise<{ socket: Duplex; head: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = request(url.replace("ws:", "http:"), {
      agent: false,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
      },
    });
    asked.once("upgrade", (_response, socket, head) => resolve({ socket, head }));
    asked.once("response", (response) =>
      reject(new Error(`The upgrade was answered ${response.statusCode}.`)),
    );
    asked.once("error", reject);
    asked.end();
  });
}

/** The opcodes of RFC 6455, section 5.2. Opcodes up to `binary` carry data. */
const opcodes = { text: 0x1, binary: 0x2, ping: 0x9, pong: 0xa } as const;

/** Returns a function that takes chunks and calls back with the payloads of complete frames. */
function frameReader(
  onData: (payload: Buffer) => void,
  onPing: (payload: Buffer) => void,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const frame = frameAt(bytes, at);
      if (!frame) break;
      const payload = bytes.subarray(frame.start, frame.end);
      if (frame.opcode <= opcodes.binary) onData(payload);
      else if (frame.opcode === opcodes.ping) onPing(payload);
      at = frame.end;
    }
    rest = Buffer.from(bytes.subarray(at));
  };
}

function frameAt(bytes: Buffer, at: number): { opcode: number; start: number; end: number } | null {
  if (bytes.length < at + 2) return null;
  const opcode = (bytes[at] ?? 0) & 0x0f;
  const short = bytes[at + 1] ?? 0;
  let start = at + 2;
  let length = short;
  if (short === 126) {
    if (bytes.length < at + 4) return null;
    start = at + 4;
    length = bytes.readUInt16BE(at + 2);
  } else if (short === 127) {
    if (bytes.length < at + 10) return null;
    start = at + 10;
    length = Number(bytes.readBigUInt64BE(at + 2));
  }
  return bytes.length < start + length ? null : { opcode, start, end: start + length };
}

/** Encodes a client frame, which must be masked (RFC 6455, section 5.3). The broker has to unmask the frame. */
function maskedFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const header = payload.length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(header + 4 + payload.length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (header === 2 ? payload.length : 126);
  if (header === 4) frame.writeUInt16BE(payload.length, 2);
  mask.copy(frame, header);
  for (let i = 0; i < payload.length; i += 1) {
    frame[header + 4 + i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  }
  return frame;
}
