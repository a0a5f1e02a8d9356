import { connectPool } from "@merkle/db";
import { addMessages } from "../add-messages.js";
import { type Caller, openCaller } from "../caller.js";
import type { PostsAnswer } from "../load-posts.js";
import { definePart, type Figure, type Pace, type Unit, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Cpu } from "../process-state.js";
import type { BenchBroker, Stage } from "../stage.js";
import { median } from "../statistics.js";

/** Numbers of messages in a session before the measurement. The largest is measured only in a full run. */
const lengths = [100, 10_000, 1_000_000] as const;
type Length = (typeof lengths)[number];

interface Cost {
  readonly brokerMicroseconds: number;
  readonly postgresMicroseconds: number;
  /** Bytes written to the write-ahead log since a checkpoint. */
  readonly walBytes: number;
  /** Time to read a page of 100 messages from the middle of the feed. */
  readonly pageMs: number;
}

type Round = Readonly<Partial<Record<Length, Cost>>>;

/** The cost of a post and of reading a page in a long feed, compared with a feed of a hundred messages. */
export const flat = definePart<Round>({
  name: "flat",
  rounds: { quick: 2, full: 3 },
  figures: lengths
    .slice(1)
    .flatMap((length) => [
      figure(length, "WAL of a post", "walBytes", "bytes"),
      figure(length, "PostgreSQL's processor time of a post", "postgresMicroseconds", "µs"),
      figure(length, "broker's processor time of a post", "brokerMicroseconds", "µs"),
      figure(length, "a page from its middle, p50", "pageMs", "ms"),
    ]),
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const caller = await openCaller(broker.socketUrl);
    const sql = connectPool(stage.databaseUrl, 1);
    const feeds: Feed[] = [];
    for (const length of pace.quick ? lengths.slice(0, 2) : lengths) {
      const [place] = await openSessions(broker.url, { sessions: 1, teams: 1 });
      if (!place) throw new Error("There is no session to post to.");
      await addMessages(sql, place, length);
      feeds.push({ length, place });
    }
    await sql`VACUUM ANALYZE messages`;
    await sql.end();
    const measure = async (times: Times) => {
      const round: Partial<Record<Length, Cost>> = {};
      for (const feed of feeds)
        round[feed.length] = await measureFeed({ stage, broker, caller }, feed, times);
      return round;
    };
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        caller.close();
        await broker.stop();
      },
    };
  },
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

interface Feed {
  readonly length: Length;
  readonly place: TeamInSession;
}

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly caller: Caller;
}

async function measureFeed(
  { stage, broker, caller }: Setting,
  { length, place }: Feed,
  times: Times,
): Promise<Cost> {
  await stage.checkpoint();
  const readState = async () => ({
    broker: (await broker.ask<Cpu>({ state: "cpu" })).microseconds,
    postgres: await stage.postgresCpu(),
    wal: await stage.walBytes(),
  });
  const before = await readState();
  const { posts } = await stage.load<PostsAnswer>({
    posts: { socketUrls: [broker.socketUrl], places: [place], connections: 100, inFlightEach: 1, ...times },
  });
  const after = await readState();
  return {
    brokerMicroseconds: (after.broker - before.broker) / posts,
    postgresMicroseconds: (after.postgres - before.postgres) / posts,
    walBytes: (after.wal - before.wal) / posts,
    pageMs: await timePage(caller, place, length / 2),
  };
}

async function timePage(
  caller: Caller,
  { session_id, team_id }: TeamInSession,
  after_cursor: number,
): Promise<number> {
  const times: number[] = [];
  for (let page = 0; page < 50; page += 1) {
    const askedAt = performance.now();
    await caller.call("get_history", { session_id, team_id, after_cursor, limit: 100 });
    times.push(performance.now() - askedAt);
  }
  return median(times);
}

function figure(length: Length, what: string, which: keyof Cost, unit: Unit): Figure<Round> {
  const read = (round: Round, of: Length) => round[of]?.[which] ?? null;
  return {
    name: `${length.toLocaleString("en")} messages, ${what}`,
    unit,
    limitName: "the same with 100",
    value: (round) => read(round, length),
    limit: (round) => read(round, lengths[0]),
    target: { atMost: 1.3 },
  };
}
