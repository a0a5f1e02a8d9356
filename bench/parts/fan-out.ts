import type { FanOutAnswer } from "../load-fan-out.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openPlaces, type Place } from "../places.js";
import type { BenchBare, BenchBroker, Stage } from "../stage.js";
import { median } from "../statistics.js";

const receiverCounts = [10, 100, 1_000] as const;
type Receivers = (typeof receiverCounts)[number];

interface Round {
  readonly merkle: Readonly<Record<Receivers, FanOutAnswer>>;
  readonly bare: Readonly<Record<Receivers, FanOutAnswer>>;
}

/** One session, many receivers, 16 posts in flight, beside a bare broadcast of messages with as many bytes. */
export const fanOut = definePart<Round>({
  name: "fan-out",
  rounds: { quick: 2, full: 5 },
  figures: [toFigure(10), toFigure(100, { atLeast: 1.2 }), toFigure(1_000)],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const bare = await stage.startBare();
    const [poster] = await openPlaces(broker.url, { sessions: 1, teams: 1 });
    if (!poster) throw new Error("There is no session to post to.");
    const measure = (times: Times) => measureRound({ stage, broker, bare, poster }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), bare.stop()]);
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
  readonly bare: BenchBare;
  readonly poster: Place;
}

async function measureRound(
  { stage, broker, bare, poster }: Setting,
  { warmUpMs, measureMs }: Times,
): Promise<Round> {
  const round = {
    merkle: {} as Record<Receivers, FanOutAnswer>,
    bare: {} as Record<Receivers, FanOutAnswer>,
  };
  for (const receivers of receiverCounts) {
    const options = { receivers, inFlight: 16, warmUpMs, measureMs };
    const merkle = await stage.load<FanOutAnswer>({
      fanOut: { socketUrl: broker.socketUrl, poster, ...options },
    });
    await bare.ask({ broadcast: { bytes: merkle.bytesEach } });
    round.merkle[receivers] = merkle;
    round.bare[receivers] = await stage.load<FanOutAnswer>({
      fanOut: { socketUrl: bare.socketUrl, poster: null, ...options },
    });
  }
  return round;
}

function toFigure(receivers: Receivers, target?: Target): Figure<Round> {
  return {
    name: `${receivers.toLocaleString("en")} receivers, 16 posts in flight`,
    unit: "deliveries/s",
    limitName: "bare ws broadcast",
    value: (round) => round.merkle[receivers].deliveriesPerSecond,
    limit: (round) => round.bare[receivers].deliveriesPerSecond,
    target,
  };
}
