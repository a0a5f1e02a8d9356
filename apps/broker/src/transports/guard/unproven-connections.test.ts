import { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createUnprovenConnections, type UnprovenGuard } from "./unproven-connections.js";

const bounds = { msMax: 60_000, bytesMax: 100, countMax: 4, perAddressMax: 2 };

interface Client {
  readonly watched: UnprovenGuard;
  readonly socket: Duplex;
  /** The reasons given when the connection was closed. */
  readonly ends: CloseReason[];
  /** Number of bytes that reached the listener behind the guard. */
  readonly bytes: () => number;
}

function startGuard(more: Partial<typeof bounds> = {}) {
  const unproven = createUnprovenConnections({ ...bounds, ...more });
  return function connect(address: string): Client {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    onTestFinished(() => void socket.destroy());
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const ends: CloseReason[] = [];
    const watched = unproven.begin({ socket, address, cutOff: (reason) => ends.push(reason) });
    return { watched, socket, ends, bytes: () => bytes };
  };
}

describe("a connection whose client has not proved itself", () => {
  it("[GUARD-11] sends one frame; with a second it ends, and one that has proved itself sends what it likes", () => {
    const connect = startGuard();
    const asks = connect("a");
    expect(asks.watched.acceptFrame()).toBe(true);
    expect(asks.watched.acceptFrame()).toBe(false);
    expect(asks.watched.acceptFrame()).toBe(false);
    expect(asks.ends).toEqual(["unauthorized"]);
    const proves = connect("a");
    expect(proves.watched.acceptFrame()).toBe(true);
    proves.watched.markAuthenticated();
    for (let n = 0; n < 5; n += 1) expect(proves.watched.acceptFrame()).toBe(true);
    expect(proves.ends).toEqual([]);
  });

  it("[GUARD-11] [LIMIT-1] sends helloBytesMax in all, in however many pieces", async () => {
    expect(limits.helloBytesMax).toBe(8 * 1024);
    const connect = startGuard();
    for (const [bytes, ends] of [
      [99, []],
      [100, []],
      [101, ["too_large"]],
    ] as const) {
      const client = connect("a");
      client.socket.push(Buffer.alloc(bytes));
      await expect.poll(client.bytes).toBe(bytes);
      expect(client.ends, `${bytes}`).toEqual(ends);
      const pieces = connect("b");
      for (let n = 0; n < bytes; n += 1) pieces.socket.push(Buffer.alloc(1));
      await expect.poll(pieces.bytes).toBe(bytes);
      expect(pieces.ends, `${bytes} pieces`).toEqual(ends);
      client.watched.markAuthenticated();
      pieces.watched.markAuthenticated();
    }
    const proved = connect("a");
    proved.watched.markAuthenticated();
    proved.socket.push(Buffer.alloc(1_000));
    await expect.poll(proved.bytes).toBe(1_000);
    expect(proved.ends).toEqual([]);
  });

  it("[GUARD-11] [LIMIT-1] waits for unprovenConnectionsMax and unprovenConnectionsPerAddressMax; with one more the oldest ends", () => {
    expect(limits.unprovenConnectionsMax).toBeGreaterThan(limits.unprovenConnectionsPerAddressMax);
    expect(limits.unprovenConnectionsPerAddressMax).toBeGreaterThan(30);
    const connect = startGuard();
    const [first, second, third] = [connect("a"), connect("a"), connect("a")];
    expect([first, second, third].map(({ ends }) => ends)).toEqual([["too_many_connections"], [], []]);
    const others = [connect("2001:db8::1"), connect("2001:db8::2"), connect("2001:db8::3")];
    expect(others.map(({ ends }) => ends)).toEqual([["too_many_connections"], [], []]);
    // Four connections are now waiting. A fifth, from another address, closes the oldest of them.
    connect("c");
    expect(second.ends).toEqual(["too_many_connections"]);
    third.watched.markAuthenticated();
    connect("d");
    expect(third.ends).toEqual([]);
    expect(others[1]?.ends).toEqual([]);
  });

  it("[GUARD-11] [LIMIT-1] has helloMsMax for it, however lively it is", () => {
    expect(limits.helloMsMax).toBe(10_000);
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const connect = startGuard({ msMax: 1_000 });
    const [silent, lively, proved, gone] = ["a", "b", "c", "d"].map(connect) as [
      Client,
      Client,
      Client,
      Client,
    ];
    proved.watched.markAuthenticated();
    gone.socket.emit("close");
    vi.advanceTimersByTime(999);
    lively.socket.emit("data", Buffer.alloc(1));
    expect([silent, lively].map(({ ends }) => ends)).toEqual([[], []]);
    vi.advanceTimersByTime(1);
    expect([silent, lively, proved, gone].map(({ ends }) => ends)).toEqual([
      ["no_hello"],
      ["no_hello"],
      [],
      [],
    ]);
  });
});
