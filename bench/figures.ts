import type { FanOutAnswer } from "./load-fan-out.js";
import type { PostsAnswer } from "./load-posts.js";
import type { RawAnswer } from "./raw.js";
import { type Latency, median } from "./statistics.js";

/** What one round measured. What is compared was measured in turns within it. */
export interface Round {
  readonly posts: Readonly<Record<PostsCase, PostsCost>>;
  readonly raw: Readonly<Record<RawCase, RawAnswer>>;
  readonly delivery: Readonly<Record<DeliveryCase, Latency>>;
  readonly pacedRow: Latency;
  readonly fanOut: FanOutAnswer;
  readonly broadcast: FanOutAnswer;
}

export interface PostsCost extends PostsAnswer {
  /** What the broker's process spent on one post. */
  readonly brokerCpuMicrosecondsEach: number;
}

export type PostsCase = "1" | "10" | "100" | "1000" | "100 over 100" | "1000 over 100";
export type RawCase = PostsCase | "each by itself";
export type DeliveryCase = "websocket 2" | "websocket 100" | "long-poll 2" | "long-poll 100";

/** One line of the report: a value beside its limit, both from the same rounds. */
export interface Figure {
  readonly name: string;
  readonly unit: "posts/s" | "deliveries/s" | "ms";
  readonly limitName: string;
  value(round: Round): number;
  limit(round: Round): number;
  /** The ratio of value to limit that is wanted, if one is. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

export const figures: readonly Figure[] = [
  rate("1 poster", "1", "1", "statement of 1 row", { atLeast: 0.65 }),
  time(
    "1 poster, p50",
    (round) => round.posts["1"].p50,
    "its p50",
    (round) => round.raw["1"].p50,
    { atMost: 1.7 },
  ),
  time(
    "1 poster, p99",
    (round) => round.posts["1"].p99,
    "its p99",
    (round) => round.raw["1"].p99,
  ),
  rate("10 posters", "10", "10", "batches of 10"),
  time(
    "10 posters, p50",
    (round) => round.posts["10"].p50,
    "its p50",
    (round) => round.raw["10"].p50,
  ),
  rate("100 posters", "100", "100", "batches of 100", { atLeast: 0.25 }),
  rate("100 posters", "100", "each by itself", "one statement per post, 100 callers", { atLeast: 4 }),
  time(
    "100 posters, p50",
    (round) => round.posts["100"].p50,
    "a batch's p50",
    (round) => round.raw["100"].p50,
  ),
  time(
    "100 posters, p99",
    (round) => round.posts["100"].p99,
    "a batch's p50",
    (round) => round.raw["100"].p50,
    {
      atMost: 15,
    },
  ),
  rate("1,000 in flight", "1000", "1000", "batches of 1,000", { atLeast: 0.45 }),
  time(
    "1,000 in flight, p50",
    (round) => round.posts["1000"].p50,
    "a batch's p50",
    (round) => round.raw["1000"].p50,
  ),
  time(
    "1,000 in flight, p99",
    (round) => round.posts["1000"].p99,
    "a batch's p50",
    (round) => round.raw["1000"].p50,
  ),
  sessions("100 posters, 100 sessions", "100 over 100", "100"),
  rate("100 posters, 100 sessions", "100 over 100", "100 over 100", "batches of 100 over 100 sessions"),
  sessions("1,000 in flight, 100 sessions", "1000 over 100", "1000"),
  rate(
    "1,000 in flight, 100 sessions",
    "1000 over 100",
    "1000 over 100",
    "batches of 1,000 over 100 sessions",
  ),
  delivery("2 WebSocket receivers, p50", "websocket 2", "p50", { atMost: 3 }),
  delivery("2 WebSocket receivers, p99", "websocket 2", "p99"),
  delivery("100 WebSocket receivers, p50", "websocket 100", "p50"),
  delivery("100 WebSocket receivers, p99", "websocket 100", "p99"),
  polling("2 long-poll receivers, p50", 2, "p50", { atMost: 1.3 }),
  polling("2 long-poll receivers, p99", 2, "p99"),
  polling("100 long-poll receivers, p50", 100, "p50"),
  polling("100 long-poll receivers, p99", 100, "p99"),
  {
    name: "100 receivers, 16 posts in flight",
    unit: "deliveries/s",
    limitName: "bare ws broadcast",
    value: (round) => round.fanOut.deliveriesPerSecond,
    limit: (round) => round.broadcast.deliveriesPerSecond,
    target: { atLeast: 1.2 },
  },
];

type Target = NonNullable<Figure["target"]>;

function withTarget(figure: Omit<Figure, "target">, target: Target | undefined): Figure {
  return target ? { ...figure, target } : figure;
}

function rate(name: string, posts: PostsCase, raw: RawCase, limitName: string, target?: Target): Figure {
  return withTarget(
    {
      name,
      unit: "posts/s",
      limitName,
      value: (round) => round.posts[posts].perSecond,
      limit: (round) => round.raw[raw].perSecond,
    },
    target,
  );
}

function sessions(name: string, many: PostsCase, one: PostsCase): Figure {
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
  value: Figure["value"],
  limitName: string,
  limit: Figure["limit"],
  target?: Target,
): Figure {
  return withTarget({ name, unit: "ms", limitName, value, limit }, target);
}

function delivery(name: string, way: DeliveryCase, which: keyof Latency, target?: Target): Figure {
  return time(
    name,
    (round) => round.delivery[way][which],
    "statement of 1 row, same pace",
    (round) => round.pacedRow[which],
    target,
  );
}

function polling(name: string, receivers: 2 | 100, which: keyof Latency, target?: Target): Figure {
  return time(
    name,
    (round) => round.delivery[`long-poll ${receivers}`][which],
    "the same over WebSocket",
    (round) => round.delivery[`websocket ${receivers}`][which],
    target,
  );
}

/** A figure over all rounds: medians, and how far the ratio went from round to round. */
export interface Result {
  readonly name: string;
  readonly unit: Figure["unit"];
  readonly value: number;
  readonly limitName: string;
  readonly limit: number;
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly target: string | null;
  readonly reached: boolean | null;
}

export function toResult(figure: Figure, rounds: readonly Round[]): Result {
  const ratios = rounds.map((round) => figure.value(round) / figure.limit(round));
  const ratio = median(ratios);
  const { target } = figure;
  return {
    name: figure.name,
    unit: figure.unit,
    value: median(rounds.map((round) => figure.value(round))),
    limitName: figure.limitName,
    limit: median(rounds.map((round) => figure.limit(round))),
    ratio,
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    target: target ? ("atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`) : null,
    reached: target ? ("atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost) : null,
  };
}
