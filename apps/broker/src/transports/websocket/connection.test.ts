import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { type ClientConnection, createConnection } from "./connection.js";

/** A stream to a client that reads nothing until the test allows it. */
class StalledStream extends Duplex {
  #taken: (() => void) | undefined;
  #reads = true;

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#reads) done();
    else this.#taken = done;
  }

  stall(): void {
    this.#reads = false;
  }

  readAll(): void {
    this.#reads = true;
    this.#taken?.();
  }
}

async function connectStalled(): Promise<{ connection: ClientConnection; stream: StalledStream }> {
  const stream = new StalledStream();
  onTestFinished(() => void stream.destroy());
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const server = new WebSocketServer({ noServer: true });
  const webSocket = await new Promise<WebSocket>((resolve) =>
    server.handleUpgrade(request, stream, Buffer.alloc(0), resolve),
  );
  stream.stall();
  return {
    connection: createConnection(webSocket, stream, Number.POSITIVE_INFINITY),
    stream,
  };
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

it("[WS-6] [LIMIT-1] takes outboundBytesMax of what is not read, and no more above it until it is", async () => {
  for (const [bytes, ready] of [
    [limits.outboundBytesMax - 1, true],
    [limits.outboundBytesMax, true],
    [limits.outboundBytesMax + 1, false],
  ] as const) {
    const { connection, stream } = await connectStalled();
    connection.write(Buffer.alloc(bytes));
    expect(connection.isReady, `${bytes} bytes`).toBe(ready);
    await endOfTurn();
    expect(connection.isReady, `${bytes} bytes, when they have been written`).toBe(ready);
    const drained = new Promise<void>((resolve) => connection.onDrain(resolve));
    stream.readAll();
    await drained;
    expect(connection.isReady).toBe(true);
    expect(connection.isStalled).toBe(false);
  }
});

it("[WS-6] takes more as soon as the system has taken all of it at once", async () => {
  const { connection, stream } = await connectStalled();
  stream.readAll();
  connection.write(Buffer.alloc(limits.outboundBytesMax + 1));
  expect(connection.isReady).toBe(false);
  await endOfTurn();
  expect(connection.isReady).toBe(true);
});

it("[WS-6] frames of one turn go out in order, in one write", async () => {
  const { connection, stream } = await connectStalled();
  const written = vi.spyOn(stream, "write");
  const frames = [1, 2, 3].map((byte) => Buffer.alloc(100, byte));
  for (const frame of frames) connection.write(frame);
  await endOfTurn();
  expect(written.mock.calls.map(([chunk]) => chunk)).toEqual([Buffer.concat(frames)]);
});

it("[WS-6] [LIMIT-1] is stalled once it has been full for more than undrainedMsMax", async () => {
  const { connection } = await connectStalled();
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  now.mockReturnValue(1_000);
  connection.write(Buffer.alloc(limits.outboundBytesMax + 1));
  for (const [ms, stalled] of [
    [limits.undrainedMsMax - 1, false],
    [limits.undrainedMsMax, false],
    [limits.undrainedMsMax + 1, true],
  ] as const) {
    now.mockReturnValue(1_000 + ms);
    expect(connection.isStalled, `${ms} ms`).toBe(stalled);
  }
});
