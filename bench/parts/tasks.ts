import { connectPool } from "@merkle/db";
import { type Caller, openCaller } from "../caller.js";
import { inParallel } from "../in-parallel.js";
import { definePart } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Stage } from "../stage.js";

const agentsCount = 200;
const tasksCount = 1_000;
/** The same number of connections that the broker uses for its own transactions. */
const connections = 10;

interface Round {
  readonly claims: number;
  readonly plain: number;
}

/**
 * A benchmark in which 200 agents claim 1,000 tasks of one session, each over a separate connection. Each claim is
 * durable and posted to the feed. Compared with claiming in a single SQL statement.
 */
export const tasks = definePart<Round>({
  name: "tasks",
  rounds: { quick: 1, full: 3 },
  figures: [
    {
      name: "200 agents, 1,000 tasks",
      unit: "claims/s",
      limitName: "a plain UPDATE … SKIP LOCKED",
      value: (round) => round.claims,
      limit: (round) => round.plain,
    },
  ],
  async open(stage) {
    const broker = await stage.startBroker();
    return {
      measure: async () => ({
        claims: await measureClaims(broker),
        plain: await measurePlain(stage),
      }),
      close: broker.stop,
    };
  },
  notes: () => [
    `Each of the ${tasksCount} tasks was given to one agent and finished by it; a claim is in the feed, a plain update is not.`,
  ],
});

async function measureClaims({ url, socketUrl }: { url: string; socketUrl: string }): Promise<number> {
  const places = await openSessions(url, { sessions: 1, teams: agentsCount });
  const agents = await inParallel(places, 20, async (place) => ({
    place,
    caller: await openCaller(socketUrl),
  }));
  const [first] = agents;
  if (!first) throw new Error("There is no agent.");
  await inParallel(Array.from({ length: tasksCount }), 20, (_) =>
    first.caller.call("create_task", { ...inSession(first.place), title: "bench" }),
  );
  const start = performance.now();
  const taken = await Promise.all(agents.map(takeAll));
  const seconds = (performance.now() - start) / 1_000;
  const numbers = taken.flat();
  if (numbers.length !== tasksCount || new Set(numbers).size !== tasksCount)
    throw new Error(
      `Of ${tasksCount} tasks ${new Set(numbers).size} were taken, in ${numbers.length} claims.`,
    );
  await Promise.all(
    agents.map(async ({ place, caller }, index) => {
      for (const task of taken[index] ?? []) await caller.call("finish_task", { ...inSession(place), task });
    }),
  );
  for (const { caller } of agents) caller.close();
  return tasksCount / seconds;
}

function inSession({ session_id, team_id }: TeamInSession) {
  return { session_id, team_id };
}

async function takeAll({ place, caller }: { place: TeamInSession; caller: Caller }): Promise<number[]> {
  const taken: number[] = [];
  for (;;) {
    const { task } = await caller.call("claim_task", inSession(place));
    if (task === null) return taken;
    taken.push(Number(Object(task).task));
  }
}

async function measurePlain({ databaseUrl }: Stage): Promise<number> {
  const sql = connectPool(databaseUrl, connections);
  try {
    await sql`DROP TABLE IF EXISTS bench_tasks`;
    await sql`CREATE TABLE bench_tasks (number integer PRIMARY KEY, holder integer)`;
    await sql`INSERT INTO bench_tasks SELECT n, NULL FROM generate_series(1, ${tasksCount}::integer) n`;
    const start = performance.now();
    const agents = Array.from({ length: agentsCount }, (_, agent) => agent);
    await Promise.all(
      agents.map(async (agent) => {
        for (;;) {
          const taken = await sql`
            UPDATE bench_tasks SET holder = ${agent} WHERE number = (
              SELECT number FROM bench_tasks WHERE holder IS NULL ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING number`;
          if (taken.length === 0) return;
        }
      }),
    );
    return tasksCount / ((performance.now() - start) / 1_000);
  } finally {
    await sql`DROP TABLE IF EXISTS bench_tasks`;
    await sql.end();
  }
}
