import type { FanOutAnswer } from "../load-fan-out.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { BenchBare, BenchBroker, BenchPrototype, Stage } from "../stage.js";
import { median } from "../statistics.js";

const receiverCounts = [10, 100, 1_000] as const;
type Receivers = (typeof receiverCounts)[number];

interface Round {
  readonly merkle: Readonly<Record<Receivers, FanOutAnswer>>;
  readonly bare: Readonly<Record<Receivers, FanOutAnswer>>;
  readonly prototype: Readonly<Record<Receivers, FanOutAnswer>>;
}

/**
 * One session with many receivers and 16 posts in flight. Compared with a bare broadcast of messages of the same size,
 * and with durable posts to the prototype. On a busy machine, CPU times are more reliable than rates.
 */
export const fanOut = definePart<Round>({
  name: "fan-out",
  rounds: { quick: 2, full: 5 },
  figures: [
    rate(10),
    rate(100, { atLeast: 3 }),
    rate(1_000),
    ...receiverCounts.flatMap((count) => [
      cost(count, "bare ws broadcast", "bare"),
      cost(count, "prototype", "prototype", { atMost: 1.3 }),
    ]),
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const prototype = await stage.startPrototype();
    const bare = await stage.startBare();
    const [poster] = await openSessions(broker.url, { sessions: 1, teams: 1 });
    if (!poster) throw new Error("There is no session to post to.");
    const feed = await openFeed(prototype);
    const sides = {
      broker: { server: broker, poster },
      prototype: { server: prototype, poster: feed },
      bare,
    };
    const measure = (times: Times) => measureRound(stage, sides, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), prototype.stop(), bare.stop()]);
      },
    };
  },
  notes(rounds) {
    const cost = median(rounds.map((round) => round.merkle[100].cpuMicrosecondsEach));
    return [
      `Processor time of a delivery in the load generator, 100 receivers: ${cost.toFixed(2)} µs; bytes: ${rounds[0]?.merkle[100].bytesEach}.`,
    ];
  },
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

/** A server, and the session and credential to post with. */
interface Side {
  readonly server: BenchBroker | BenchPrototype;
  readonly poster: TeamInSession;
}

interface Sides {
  readonly broker: Side;
  readonly prototype: Side;
  readonly bare: BenchBare;
}

async function measureRound(
  stage: Stage,
  { broker, prototype, bare }: Sides,
  { warmUpMs, measureMs }: Times,
): Promise<Round> {
  const round = {
    merkle: {} as Record<Receivers, FanOutAnswer>,
    bare: {} as Record<Receivers, FanOutAnswer>,
    prototype: {} as Record<Receivers, FanOutAnswer>,
  };
  for (const receivers of receiverCounts) {
    const load = (server: BenchBroker | BenchPrototype | BenchBare, poster: TeamInSession | null) => {
      const [socketUrls, serverPids] = [[server.socketUrl], [server.pid]];
      const options = { receivers, inFlight: 16, warmUpMs, measureMs };
      return stage.load<FanOutAnswer>({ fanOut: { socketUrls, serverPids, poster, ...options } });
    };
    round.merkle[receivers] = await load(broker.server, broker.poster);
    round.prototype[receivers] = await load(prototype.server, prototype.poster);
    await bare.ask({ broadcast: { bytes: round.merkle[receivers].bytesEach } });
    round.bare[receivers] = await load(bare, null);
  }
  return round;
}

async function openFeed(prototype: BenchPrototype): Promise<TeamInSession> {
  const [id] = await prototype.ask<string[]>({ openFeeds: { count: 1 } });
  if (id === undefined) throw new Error("There is no feed to post to.");
  return { session_id: id, team_id: id, end: 0 };
}

function nameOf(receivers: Receivers): string {
  return `${receivers.toLocaleString("en")} receivers, 16 posts in flight`;
}

function rate(receivers: Receivers, target?: Target): Figure<Round> {
  return {
    name: nameOf(receivers),
    unit: "deliveries/s",
    limitName: "bare ws broadcast",
    value: (round) => round.merkle[receivers].deliveriesPerSecond,
    limit: (round) => round.bare[receivers].deliveriesPerSecond,
    target,
  };
}

function cost(
  receivers: Receivers,
  limitName: string,
  limit: "bare" | "prototype",
  target?: Target,
): Figure<Round> {
  return {
    name: `${nameOf(receivers)}, processor time of the server for each delivery`,
    unit: "µs",
    limitName,
    value: (round) => round.merkle[receivers].serverMicrosecondsEach,
    limit: (round) => round[limit][receivers].serverMicrosecondsEach,
    target,
  };
}
