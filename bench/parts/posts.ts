import type { PostsAnswer } from "../load-posts.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openPlaces, type Place } from "../places.js";
import type { Cpu } from "../process-state.js";
import type { RawAnswer } from "../raw.js";
import type { BenchBroker, Stage } from "../stage.js";
import { median } from "../statistics.js";

type PostsCase = "1" | "10" | "100" | "1000" | "100 over 100" | "1000 over 100";
type RawCase = PostsCase | "each by itself";

interface Round {
  readonly posts: Readonly<Record<PostsCase, PostsCost>>;
  readonly raw: Readonly<Record<RawCase, RawAnswer>>;
}

interface PostsCost extends PostsAnswer {
  /** What the broker's process spent on one post. */
  readonly brokerCpuMicrosecondsEach: number;
}

/** Durable posts through the WebSocket, beside the statement that they end in. */
export const posts = definePart<Round>({
  name: "posts",
  rounds: { quick: 2, full: 5 },
  figures: [
    rate("1 poster", "1", "1", "statement of 1 row", { atLeast: 0.65 }),
    time("1 poster, p50", ["1", "p50"], "its p50", "p50", { atMost: 1.7 }),
    time("1 poster, p99", ["1", "p99"], "its p99", "p99"),
    rate("10 posters", "10", "10", "batches of 10"),
    time("10 posters, p50", ["10", "p50"], "its p50", "p50"),
    rate("100 posters", "100", "100", "batches of 100", { atLeast: 0.25 }),
    rate("100 posters", "100", "each by itself", "one statement per post, 100 callers", { atLeast: 4 }),
    time("100 posters, p50", ["100", "p50"], "a batch's p50", "p50"),
    time("100 posters, p99", ["100", "p99"], "a batch's p50", "p50", { atMost: 15 }),
    rate("1,000 in flight", "1000", "1000", "batches of 1,000", { atLeast: 0.45 }),
    time("1,000 in flight, p50", ["1000", "p50"], "a batch's p50", "p50"),
    time("1,000 in flight, p99", ["1000", "p99"], "a batch's p50", "p50"),
    sessions("100 posters, 100 sessions", "100 over 100", "100"),
    rate("100 posters, 100 sessions", "100 over 100", "100 over 100", "batches of 100 over 100 sessions"),
    sessions("1,000 in flight, 100 sessions", "1000 over 100", "1000"),
    rate(
      "1,000 in flight, 100 sessions",
      "1000 over 100",
      "1000 over 100",
      "batches of 1,000 over 100 sessions",
    ),
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const [posting, ...hundred] = await openPlaces(broker.url, { sessions: 101, teams: 1 });
    if (!posting) throw new Error("There is no session to post to.");
    const measure = (times: Times) => measureRound({ stage, broker, posting, hundred }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      close: broker.stop,
    };
  },
  notes(rounds) {
    const cost = (which: "brokerCpuMicrosecondsEach" | "cpuMicrosecondsEach") =>
      median(rounds.map((round) => round.posts["1000"][which])).toFixed(1);
    return [
      `Processor time of a post at 1,000 in flight: broker ${cost("brokerCpuMicrosecondsEach")} µs, load generator ${cost("cpuMicrosecondsEach")} µs.`,
    ];
  },
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly posting: Place;
  readonly hundred: readonly Place[];
}

const postsCases: readonly {
  name: PostsCase;
  connections: number;
  inFlightEach: number;
  over100: boolean;
}[] = [
  { name: "1", connections: 1, inFlightEach: 1, over100: false },
  { name: "10", connections: 10, inFlightEach: 1, over100: false },
  { name: "100", connections: 100, inFlightEach: 1, over100: false },
  { name: "100 over 100", connections: 100, inFlightEach: 1, over100: true },
  { name: "1000", connections: 100, inFlightEach: 10, over100: false },
  { name: "1000 over 100", connections: 100, inFlightEach: 10, over100: true },
];

async function measureRound({ stage, broker, posting, hundred }: Setting, times: Times): Promise<Round> {
  const cpuTime = async () => (await broker.ask<Cpu>({ state: "cpu" })).microseconds;
  const { warmUpMs, measureMs } = times;
  const measured = {} as Record<PostsCase, PostsCost>;
  const raw = {} as Record<RawCase, RawAnswer>;
  for (const { name, connections, inFlightEach, over100 } of postsCases) {
    const cpuBefore = await cpuTime();
    const answer = await stage.load<PostsAnswer>({
      posts: {
        socketUrl: broker.socketUrl,
        places: over100 ? hundred : [posting],
        connections,
        inFlightEach,
        warmUpMs,
        measureMs,
      },
    });
    const cpu = (await cpuTime()) - cpuBefore;
    measured[name] = { ...answer, brokerCpuMicrosecondsEach: cpu / answer.posts };
    raw[name] = await stage.raw.batches({
      rows: connections * inFlightEach,
      feeds: over100 ? 100 : 1,
      measureMs,
    });
  }
  raw["each by itself"] = await stage.raw.eachByItself({ callers: 100, measureMs });
  return { posts: measured, raw };
}

function rate(
  name: string,
  posts: PostsCase,
  raw: RawCase,
  limitName: string,
  target?: Target,
): Figure<Round> {
  return {
    name,
    unit: "posts/s",
    limitName,
    value: (round) => round.posts[posts].perSecond,
    limit: (round) => round.raw[raw].perSecond,
    target,
  };
}

function sessions(name: string, many: PostsCase, one: PostsCase): Figure<Round> {
  return {
    name,
    unit: "posts/s",
    limitName: "the same in one session",
    value: (round) => round.posts[many].perSecond,
    limit: (round) => round.posts[one].perSecond,
    target: { atLeast: 0.75 },
  };
}

function time(
  name: string,
  [posts, which]: readonly [PostsCase, "p50" | "p99"],
  limitName: string,
  rawWhich: "p50" | "p99",
  target?: Target,
): Figure<Round> {
  return {
    name,
    unit: "ms",
    limitName,
    value: (round) => round.posts[posts][which],
    limit: (round) => round.raw[posts][rawWhich],
    target,
  };
}
