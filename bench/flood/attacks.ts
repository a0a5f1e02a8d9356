import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { RateLimits } from "@merkle/wire";
import type { Offered } from "./attacker-child.js";
import { type Arsenal, toFrame, toRequest, written } from "./sockets.js";

export interface Attack {
  /** Rates of the broker that it is measured with, where they are not the usual ones. */
  readonly rateLimits?: Partial<RateLimits>;
  /** What the well-behaved post; 300 bytes unless told. */
  readonly textBytes?: number;
  /** From so many addresses it comes; from one unless told. */
  readonly addresses?: number;
  run(onslaught: Onslaught): Promise<Offered>;
}

export interface Onslaught {
  readonly arsenal: Arsenal;
  readonly port: number;
  readonly session: string;
  readonly scale: number;
  /** When it ends, by the monotonic clock. */
  readonly until: number;
}

export type AttackName =
  | "requests"
  | "slow-requests"
  | "upgrades"
  | "compression-bombs"
  | "fragments"
  | "stopped-readers";

/** What a whole text frame begins with (RFC 6455, 5.2). */
const textFrame = 0x81;
const json = "Content-Type: application/json";

export const attacks: Readonly<Record<AttackName, Attack>> = {
  /** A thousand times what one address may: as requests, ten to a connection, and as many frames as the network takes. */
  requests: {
    rateLimits: { address: { per_second: 20, burst: 40 } },
    async run(onslaught) {
      let requests = 0;
      let frames = 0;
      const last = toRequest("GET /api/sessions", ["Connection: close"]);
      const tenRequests = toRequest("GET /api/sessions", []).repeat(9) + last;
      // It waits for no answer, and is late for nothing: what it could not ask in time is asked in the next moment.
      let began: number | null = null;
      let opened = 0;
      const ask = async () => {
        began ??= performance.now();
        const due = ((performance.now() - began) / 1_000) * 2_000 * onslaught.scale;
        for (; opened < due; opened += 1) {
          void onslaught.arsenal.connect().then((socket) => {
            if (!socket) return;
            socket.write(tenRequests);
            socket.resume();
            requests += 10;
          });
        }
        await delay(5);
      };
      const pings = Buffer.concat(Array(200).fill(toFrame(Buffer.from('{"type":"ping","id":1}'))));
      // Opened before the requests have used up what the address may.
      const first = await Promise.all(Array.from({ length: 10 }, () => onslaught.arsenal.upgrade()));
      const call = async () => {
        const socket = first.pop() ?? (await onslaught.arsenal.upgrade());
        socket?.resume();
        while (socket && (await written(socket, pings))) {
          frames += 200;
          if (isOver(onslaught)) return;
        }
        await delay(50);
      };
      await untilOver(onslaught, [...repeat(1, onslaught, ask), ...repeat(10, onslaught, call)]);
      return { requests, frames };
    },
  },

  /** Heads and bodies that come a byte at a time. */
  "slow-requests": {
    // Of one no more than a thousand connections stay.
    addresses: 4,
    async run(onslaught) {
      let opened = 0;
      let open = 0;
      let held = 0;
      const heads = [
        "GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        toRequest("POST /api/sessions", [json, "Content-Length: 100000"]),
      ];
      const drip = async (n: number) => {
        const socket = await onslaught.arsenal.connect();
        if (!socket) return delay(100);
        opened += 1;
        open += 1;
        held = Math.max(held, open);
        socket.once("close", () => {
          open -= 1;
        });
        socket.resume();
        socket.write(heads[n % 2] ?? "");
        while (!isOver(onslaught) && (await written(socket, "x"))) await delay(500);
      };
      await untilOver(onslaught, repeat(2_000, onslaught, drip));
      return { opened, held };
    },
  },

  /** Each is held open for as long as the broker lets it; evenly over the time, whatever becomes of them. */
  upgrades: {
    async run(onslaught) {
      const all = Math.round(20_000 * onslaught.scale);
      const began = performance.now();
      const eachMs = (0.95 * (onslaught.until - began)) / all;
      let asked = 0;
      let upgraded = 0;
      const upgrade = async () => {
        const due = Math.min(all, (performance.now() - began) / eachMs);
        for (; asked < due; asked += 1) {
          void onslaught.arsenal.upgrade().then((socket) => {
            if (socket) upgraded += 1;
          });
        }
        await delay(5);
      };
      await untilOver(onslaught, repeat(1, onslaught, upgrade));
      return { asked, upgraded };
    },
  },

  /** 64 KiB that would be 64 MiB, as frames and as bodies. */
  "compression-bombs": {
    async run(onslaught) {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      const frame = toFrame(bomb, { compressed: true });
      const head = toRequest("POST /api/sessions", [
        json,
        "Content-Encoding: gzip",
        `Content-Length: ${bomb.length}`,
      ]);
      let bombs = 0;
      const drop = async (n: number) => {
        const socket = await (n % 2 === 0
          ? onslaught.arsenal.upgrade(["Sec-WebSocket-Extensions: permessage-deflate"])
          : onslaught.arsenal.connect());
        if (!socket) return delay(20);
        // What is answered, or its close frame, is all that is waited for; not its hello, a text frame.
        const answered = new Promise<void>((resolve) => {
          socket.on("data", (chunk: Buffer) => chunk[0] !== textFrame && resolve());
          socket.once("close", () => resolve());
        });
        await written(socket, n % 2 === 0 ? frame : Buffer.concat([Buffer.from(head), bomb]));
        bombs += 1;
        await answered;
        socket.destroy();
      };
      await untilOver(onslaught, repeat(40, onslaught, drop));
      return { bombs };
    },
  },

  /** Frames that never end, in pieces of a byte. */
  fragments: {
    async run(onslaught) {
      const first = toFrame(Buffer.from("{"), { last: false });
      const pieces = Buffer.concat(
        Array(1_000).fill(toFrame(Buffer.from(" "), { first: false, last: false })),
      );
      let fragments = 0;
      const send = async () => {
        const socket = await onslaught.arsenal.upgrade();
        if (!socket) return delay(50);
        socket.resume();
        await written(socket, first);
        while (!isOver(onslaught) && (await written(socket, pieces))) fragments += 1_000;
        socket.destroy();
      };
      await untilOver(onslaught, repeat(200, onslaught, send));
      return { fragments };
    },
  },

  /** Followers of the session in which everybody posts, who read nothing. */
  "stopped-readers": {
    textBytes: 16 * 1024,
    addresses: 10,
    async run(onslaught) {
      let readers = 0;
      let open = 0;
      let held = 0;
      const pong = toFrame(Buffer.alloc(0));
      pong[0] = 0x8a;
      const subscribe = { type: "subscribe", id: 1, kind: "follow", session_id: onslaught.session };
      const follow = async () => {
        const socket = await onslaught.arsenal.upgrade();
        if (!socket) return delay(100);
        socket.pause();
        readers += 1;
        open += 1;
        held = Math.max(held, open);
        await written(socket, toFrame(Buffer.from(JSON.stringify(subscribe))));
        // Unread, its end is not seen: only what is sent to it then fails.
        while (!isOver(onslaught) && (await written(socket, pong))) await delay(1_000);
        open -= 1;
      };
      await untilOver(onslaught, repeat(500, onslaught, follow));
      return { readers, held };
    },
  },
};

/** So many at once, each again and again until the end. */
function repeat(count: number, onslaught: Onslaught, work: (n: number) => Promise<void>): Promise<void>[] {
  return Array.from({ length: Math.max(1, Math.round(count * onslaught.scale)) }, async (_, n) => {
    while (!isOver(onslaught)) await work(n);
  });
}

/** Waits for the end, or for all of it: what the broker leaves waiting in the network never ends. */
async function untilOver({ until }: Onslaught, all: readonly Promise<void>[]): Promise<void> {
  await Promise.race([Promise.all(all), delay(until - performance.now())]);
}

function isOver({ until }: Onslaught): boolean {
  return performance.now() >= until;
}
