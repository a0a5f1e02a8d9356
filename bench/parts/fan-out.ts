import type { FanOutAnswer } from "../load-fan-out.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { BenchBare, BenchBroker, BenchReference, Stage } from "../stage.js";
import { median } from "../statistics.js";

const receiverCounts = [10, 100, 1_000] as const;
type Receivers = (typeof receiverCounts)[number];

interface Round {
  readonly merkle: Readonly<Record<Receivers, FanOutAnswer>>;
  readonly bare: Readonly<Record<Receivers, FanOutAnswer>>;
  readonly relay: Readonly<Record<Receivers, FanOutAnswer>>;
}

/**
 * One session with many receivers and 16 posts in flight. Compared with a bare broadcast of messages of the same size,
 * and with a relay. On a busy machine, CPU times are more reliable than rates.
 */
export const fanOut = definePart<Round>({
  name: "fan-out",
  rounds: { quick: 2, full: 5 },
  figures: [
    rate(10),
    rate(100, { atLeast: 3 }),
    rate(1_000),
    ...receiverCounts.flatMap((count) => [cost(count, "bare"), cost(count, "relay")]),
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const relay = await stage.startReference("relay");
    const bare = await stage.startBare();
    const [poster] = await openSessions(broker.url, { sessions: 1, teams: 1 });
    if (!poster) throw new Error("There is no session to post to.");
    const measure = (times: Times) => measureRound({ stage, broker, relay, bare, poster }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), relay.stop(), bare.stop()]);
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

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly relay: BenchReference;
  readonly bare: BenchBare;
  readonly poster: TeamInSession;
}

async function measureRound(
  { stage, broker, relay, bare, poster }: Setting,
  { warmUpMs, measureMs }: Times,
): Promise<Round> {
  const round = {
    merkle: {} as Record<Receivers, FanOutAnswer>,
    bare: {} as Record<Receivers, FanOutAnswer>,
    relay: {} as Record<Receivers, FanOutAnswer>,
  };
  for (const receivers of receiverCounts) {
    const load = (server: BenchBroker | BenchReference | BenchBare) => {
      const [socketUrls, serverPids] = [[server.socketUrl], [server.pid]];
      const options = { receivers, inFlight: 16, warmUpMs, measureMs };
      const question = { socketUrls, serverPids, poster: server === bare ? null : poster, ...options };
      return stage.load<FanOutAnswer>({ fanOut: question });
    };
    round.merkle[receivers] = await load(broker);
    round.relay[receivers] = await load(relay);
    await bare.ask({ broadcast: { bytes: round.merkle[receivers].bytesEach } });
    round.bare[receivers] = await load(bare);
  }
  return round;
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

function cost(receivers: Receivers, limit: "bare" | "relay"): Figure<Round> {
  return {
    name: `${nameOf(receivers)}, processor time of the server for each delivery`,
    unit: "µs",
    limitName: limit === "bare" ? "bare ws broadcast" : "relay",
    value: (round) => round.merkle[receivers].serverMicrosecondsEach,
    limit: (round) => round[limit][receivers].serverMicrosecondsEach,
  };
}
