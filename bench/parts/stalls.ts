import { setTimeout as delay } from "node:timers/promises";
import type { PacedAnswer } from "../load-paced.js";
import { definePart, type Figure, type Target } from "../part.js";
import { openSessions } from "../places.js";
import { makeRows } from "../reference/bare-append.js";
import type { Stage } from "../stage.js";
import { percentile } from "../statistics.js";

const minutes = { quick: 1, full: 30 } as const;
/** A thousand posts a second. */
const pace = { connections: 100, everyMs: 100 } as const;

interface Round {
  readonly posts: PacedAnswer;
  /** Latencies of appending one row ten times a second, in the same minutes as the posts. */
  readonly bare: { readonly p50: number; readonly p999: number; readonly max: number };
  readonly upkeep: Upkeep;
}

/** How often the server ran maintenance during the measurement. */
interface Upkeep {
  readonly checkpoints: number;
  readonly autovacuums: number;
  readonly walBytes: number;
}

/** Delays caused by checkpoints and autovacuum: half an hour of posts at fixed times, compared with the bare append. */
export const stalls = definePart<Round>({
  name: "stalls",
  rounds: { quick: 1, full: 1 },
  figures: [figure("p50", "p50"), figure("p99.9", "p999", { valueAtMost: 50 }), figure("longest", "max")],
  async open(stage, { quick }) {
    const broker = await stage.startBroker();
    const [place] = await openSessions(broker.url, { sessions: 1, teams: 1 });
    if (!place) throw new Error("There is no session to post to.");
    const measureMs = (quick ? minutes.quick : minutes.full) * 60_000;
    return {
      async measure() {
        const before = await readUpkeep(stage);
        const [posts, bare] = await Promise.all([
          stage.load<PacedAnswer>({
            paced: { socketUrls: [broker.socketUrl], places: [place], ...pace, measureMs },
          }),
          appendOnTime(stage, measureMs),
        ]);
        const after = await readUpkeep(stage);
        const upkeep = {
          checkpoints: after.checkpoints - before.checkpoints,
          autovacuums: after.autovacuums - before.autovacuums,
          walBytes: after.walBytes - before.walBytes,
        };
        return { posts, bare, upkeep };
      },
      close: broker.stop,
    };
  },
  notes: (rounds) =>
    rounds.map(
      ({ posts, upkeep: { checkpoints, autovacuums, walBytes } }) =>
        `${posts.posts.toLocaleString("en")} posts; meanwhile ${checkpoints} checkpoints, ${autovacuums} autovacuums, ${Math.round(walBytes / 2 ** 20)} MiB of WAL.`,
    ),
});

async function appendOnTime(stage: Stage, measureMs: number): Promise<Round["bare"]> {
  const [feed = ""] = await stage.bareAppend.openFeeds(1);
  const begin = performance.now();
  const times: number[] = [];
  for (let row = 0; row * pace.everyMs < measureMs; row += 1) {
    const dueAt = begin + row * pace.everyMs;
    await delay(dueAt - performance.now());
    await stage.bareAppend.append(makeRows([feed], 1));
    times.push(performance.now() - dueAt);
  }
  return { p50: percentile(times, 0.5), p999: percentile(times, 0.999), max: percentile(times, 1) };
}

async function readUpkeep(stage: Stage): Promise<Upkeep> {
  const admin = stage.openAsAdmin(stage.databaseUrl.split("/").at(-1) ?? "");
  const [row] = await admin`
    SELECT (SELECT num_timed + num_requested FROM pg_stat_checkpointer)::int AS checkpoints,
      (SELECT sum(autovacuum_count) FROM pg_stat_user_tables)::int AS autovacuums`;
  await admin.end();
  return {
    checkpoints: Number(row?.["checkpoints"]),
    autovacuums: Number(row?.["autovacuums"]),
    walBytes: await stage.walBytes(),
  };
}

function figure(name: string, which: keyof Round["bare"], target?: Target): Figure<Round> {
  return {
    name: `1,000 posts/s for half an hour, ${name}`,
    unit: "ms",
    limitName: "bare append of 1 row, ten a second meanwhile",
    value: (round) => round.posts[which],
    limit: (round) => round.bare[which],
    target,
  };
}
