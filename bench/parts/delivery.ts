import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import { type RedisServer, startRedisServer } from "../reference/redis-server.js";
import type { BenchBare, BenchBroker, Stage } from "../stage.js";
import type { Latency } from "../statistics.js";

const receiverCounts = [2, 100, 1_000] as const;
type Receivers = (typeof receiverCounts)[number];
type DeliveryCase = `${"websocket" | "long-poll"} ${Receivers}`;

interface Round {
  /** Cases with 1,000 receivers are measured only in a full run. */
  readonly delivery: Readonly<Partial<Record<DeliveryCase, Latency>>>;
  readonly pacedRow: Latency;
  /** Latencies of bare `node:http`, which parks requests and then answers them. */
  readonly bare: Readonly<Partial<Record<Receivers, Latency>>>;
  /** Latencies of readers that block on a Redis stream. Null if Redis is not installed. */
  readonly streams: Readonly<Partial<Record<Receivers, Latency>>> | null;
}

/** The time from writing a post until each receiver gets it, one message at a time. */
export const delivery = definePart<Round>({
  name: "delivery",
  rounds: { quick: 2, full: 5 },
  figures: [
    following("2 WebSocket receivers, p50", "websocket 2", "p50", { atMost: 3 }),
    following("2 WebSocket receivers, p99", "websocket 2", "p99"),
    following("100 WebSocket receivers, p50", "websocket 100", "p50"),
    following("100 WebSocket receivers, p99", "websocket 100", "p99"),
    polling("2 long-poll receivers, p50", 2, "p50", { atMost: 1.3 }),
    polling("2 long-poll receivers, p99", 2, "p99"),
    polling("100 long-poll receivers, p50", 100, "p50"),
    polling("100 long-poll receivers, p99", 100, "p99"),
    polling("1,000 long-poll receivers, p50", 1_000, "p50", { valueAtMost: 25 }),
    besideBare("100 long-poll receivers, p50", 100),
    besideBare("1,000 long-poll receivers, p50", 1_000),
    besideRedis("2 WebSocket receivers, p50", 2),
    besideRedis("100 WebSocket receivers, p50", 100),
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const bare = await stage.startBare();
    const redis = await startRedisServer(stage.folder);
    const counts = pace.quick ? receiverCounts.slice(0, 2) : receiverCounts;
    const teams = 1 + Math.max(...counts);
    const [poster, ...readers] = await openSessions(broker.url, { sessions: 1, teams });
    if (!poster) throw new Error("There is no session to post to.");
    const measure = (times: Times) =>
      measureRound({ stage, broker, bare, redis, poster, readers, counts }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), bare.stop(), redis?.stop()]);
      },
    };
  },
});

type Times = Pick<Pace, "measureMs">;

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly bare: BenchBare;
  readonly redis: RedisServer | null;
  readonly poster: TeamInSession;
  readonly readers: readonly TeamInSession[];
  readonly counts: readonly Receivers[];
}

async function measureRound(
  { stage, broker, bare, redis, poster, readers, counts }: Setting,
  { measureMs }: Times,
): Promise<Round> {
  const pacedRow = await stage.bareAppend.batches({ rows: 1, feeds: 1, measureMs, pauseMs: pauseMs(2) });
  const measured: Partial<Record<DeliveryCase, Latency>> = {};
  const bareHttp: Partial<Record<Receivers, Latency>> = {};
  const streams: Partial<Record<Receivers, Latency>> = {};
  for (const count of counts) {
    const receivers = readers.slice(0, count);
    const among = { poster, receivers, pauseMs: pauseMs(count), measureMs };
    for (const way of ["websocket", "long-poll"] as const) {
      const { url, socketUrl } = broker;
      measured[`${way} ${count}`] = await stage.load({ delivery: { ...among, way, url, socketUrl } });
    }
    bareHttp[count] = await stage.load({
      delivery: {
        ...{ ...among, way: "long-poll", url: bare.url, socketUrl: bare.socketUrl },
        postUrl: `${bare.socketUrl}/post`,
      },
    });
    if (redis) {
      const { url } = redis;
      streams[count] = await stage.load({ delivery: { ...among, way: "stream", url, socketUrl: url } });
    }
  }
  return { delivery: measured, pacedRow, bare: bareHttp, streams: redis && streams };
}

/** Returns a pause that is long enough for all polling receivers to send their next request. */
function pauseMs(receivers: number): number {
  return 2 + receivers * 0.2;
}

function following(name: string, way: DeliveryCase, which: keyof Latency, target?: Target): Figure<Round> {
  return {
    name: `post → received, ${name}`,
    unit: "ms",
    limitName: "bare append of 1 row, same pace",
    value: (round) => round.delivery[way]?.[which] ?? null,
    limit: (round) => round.pacedRow[which],
    target,
  };
}

function besideRedis(name: string, receivers: Receivers): Figure<Round> {
  return {
    name: `post → received, ${name}`,
    unit: "ms",
    limitName: "Redis Streams, synced",
    value: (round) => round.delivery[`websocket ${receivers}`]?.p50 ?? null,
    limit: (round) => round.streams?.[receivers]?.p50 ?? null,
  };
}

function besideBare(name: string, receivers: Receivers): Figure<Round> {
  return {
    name: `post → received, ${name}`,
    unit: "ms",
    limitName: "bare node:http, nothing kept",
    value: (round) => round.delivery[`long-poll ${receivers}`]?.p50 ?? null,
    limit: (round) => round.bare[receivers]?.p50 ?? null,
  };
}

function polling(name: string, receivers: Receivers, which: keyof Latency, target?: Target): Figure<Round> {
  return {
    name: `post → received, ${name}`,
    unit: "ms",
    limitName: "the same over WebSocket",
    value: (round) => round.delivery[`long-poll ${receivers}`]?.[which] ?? null,
    limit: (round) => round.delivery[`websocket ${receivers}`]?.[which] ?? null,
    target,
  };
}
