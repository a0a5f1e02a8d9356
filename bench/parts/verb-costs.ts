import { connectPool } from "@merkle/db";
import { addMessages } from "../add-messages.js";
import { type Caller, openCaller } from "../caller.js";
import { definePart, type Pace } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Cpu } from "../process-state.js";
import type { BenchBroker, Stage } from "../stage.js";
import { median } from "../statistics.js";

/** How many messages, memories and state keys there are. For the last verbs, also the number of sessions. */
const sizes = [10, 100_000] as const;
type Size = (typeof sizes)[number];

/** The input for the n-th call of each verb. Verbs that concern the whole mesh name no session. */
const verbs: Readonly<Record<string, (call: number) => object>> = {
  update_session_doc: (call) => ({ content: `# Notes\n\nVersion ${call}.`, expected_version: call - 1 }),
  append_to_session_doc: (call) => ({ text: `Note ${call}.` }),
  edit_session_doc: (call) => ({ old_text: `Note ${call}.`, new_text: `Remark ${call}.` }),
  read_session_doc: () => ({}),
  set_state: (call) => ({ key: "phase", value: call }),
  get_state: () => ({ key: "phase" }),
  list_state: () => ({}),
  remember: (call) => ({ content: `The fixture ${call} is on another branch.` }),
  recall: () => ({ query: "fixture" }),
  search: () => ({ query: "fixture" }),
  get_history: () => ({ limit: 100 }),
  get_timeline: () => ({}),
  list_sessions: () => ({}),
  list_attention: () => ({}),
};
const firstOverSessions = "list_sessions";

interface VerbCost {
  readonly p50: number;
  readonly brokerMs: number;
  readonly postgresMs: number;
  readonly statements: number;
}

interface Round {
  readonly costs: ReadonlyMap<Size, Readonly<Record<string, VerbCost>>>;
}

/** The cost of a call of each verb, with little data and with much data. */
export const verbCosts = definePart<Round>({
  name: "verb-costs",
  rounds: { quick: 1, full: 1 },
  figures: Object.keys(verbs).map((verb) => ({
    name: `${verb}, p50 with 100,000 rows`,
    unit: "ms",
    limitName: "the same with 10",
    value: ({ costs }) => costs.get(100_000)?.[verb]?.p50 ?? null,
    limit: ({ costs }) => costs.get(10)?.[verb]?.p50 ?? null,
    target: { valueAtMost: 5 },
  })),
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const caller = await openCaller(broker.socketUrl);
    return {
      measure: () => measureSizes({ stage, broker, caller }, pace),
      async close() {
        caller.close();
        await broker.stop();
      },
    };
  },
  notes: ([round]) => [
    "Processor time of a call in the broker and in PostgreSQL, and its statements besides BEGIN and COMMIT; with 10 rows, and with 100,000:",
    ...Object.keys(verbs).map(
      (verb) => `  ${verb}: ${sizes.map((size) => describeRound(round, size, verb)).join("; ")}`,
    ),
  ],
});

function describeRound(round: Round | undefined, size: Size, verb: string): string {
  const cost = round?.costs.get(size)?.[verb];
  if (!cost) return "not measured";
  return `${cost.brokerMs.toFixed(1)} + ${cost.postgresMs.toFixed(1)} ms, ${cost.statements}`;
}

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly caller: Caller;
}

async function measureSizes(setting: Setting, { quick }: Pace): Promise<Round> {
  const costs = new Map<Size, Record<string, VerbCost>>();
  for (const size of sizes) {
    const place = await fill(setting, size);
    const ofSize: Record<string, VerbCost> = {};
    for (const [verb, input] of Object.entries(verbs)) {
      if (verb === firstOverSessions) await addSessions(setting, place, size);
      ofSize[verb] = await measureVerb(setting, place, verb, input, quick ? 20 : 100);
    }
    costs.set(size, ofSize);
  }
  return { costs };
}

const ofMesh: ReadonlySet<string> = new Set([
  "remember",
  "recall",
  "search",
  "list_sessions",
  "list_attention",
]);

/** Fills a session and its mesh with SQL statements, because calls would take most of the time. */
async function fill({ stage, broker, caller }: Setting, size: Size): Promise<TeamInSession> {
  const [place] = await openSessions(broker.url, { sessions: 1, teams: 1 });
  if (!place) throw new Error("There is no session to fill.");
  const { session_id, team_id } = place;
  await caller.call("remember", { team_id, content: "There is a fixture on a branch." });
  await caller.call("set_state", { session_id, team_id, key: "phase", value: 0 });
  const sql = connectPool(stage.databaseUrl, 1);
  try {
    await addMessages(sql, place, size);
    await sql`
      WITH counted AS (UPDATE memory_counters SET last_number = last_number + ${size}::int RETURNING mesh_id, last_number)
      INSERT INTO memories (mesh_id, number, content, tags, remembered_by, remembered_at)
      SELECT mesh_id, last_number - n, 'Memory ' || n || ' of ' || md5(n::text), '{}', 'Bench', now()
      FROM counted, generate_series(0, ${size - 1}::int) n`;
    await sql`
      INSERT INTO state_entries (scope_id, key, version, value, updated_by, updated_by_peer_id, updated_at)
      SELECT scope_id, 'key ' || n, 1, value, updated_by, updated_by_peer_id, now()
      FROM state_entries, generate_series(1, ${size}::int) n WHERE scope_id = ${session_id} AND key = 'phase'`;
    await sql`ANALYZE`;
  } finally {
    await sql.end();
  }
  return place;
}

async function addSessions({ stage }: Setting, { session_id }: TeamInSession, count: number): Promise<void> {
  const sql = connectPool(stage.databaseUrl, 1);
  try {
    await sql`SELECT set_config('statement_timeout', '0', false)`;
    await sql`
      WITH made AS (
        INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
        SELECT gen_random_uuid(), mesh_id, md5(n::text || session_id), 'Session ' || n, '', created_by_team_id, settings,
          now() - n * interval '1 s', now()
        FROM sessions, generate_series(1, ${count}::int) n WHERE session_id = ${session_id}
        RETURNING session_id, updated_at
      ), fed AS (INSERT INTO feeds (session_id) SELECT session_id FROM made)
      INSERT INTO documents (session_id, updated_at) SELECT session_id, updated_at FROM made`;
    await sql`ANALYZE`;
  } finally {
    await sql.end();
  }
}

const countedCalls = 4;

async function measureVerb(
  { stage, broker, caller }: Setting,
  { session_id, team_id }: TeamInSession,
  verb: string,
  input: (call: number) => object,
  calls: number,
): Promise<VerbCost> {
  let count = 0;
  const call = () => {
    count += 1;
    const where = ofMesh.has(verb) ? { team_id } : { session_id, team_id };
    return caller.call(verb, { ...where, ...input(count) });
  };
  for (let warmUp = 0; warmUp < 5; warmUp += 1) await call();
  const readCpu = async () => ({
    broker: (await broker.ask<Cpu>({ state: "cpu" })).microseconds,
    postgres: await stage.postgresCpu(),
  });
  const before = await readCpu();
  const times: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const begunAt = performance.now();
    await call();
    times.push(performance.now() - begunAt);
  }
  const after = await readCpu();
  const statements = await stage.countStatements(async () => {
    for (let at = 0; at < countedCalls; at += 1) await call();
  });
  return {
    p50: median(times),
    brokerMs: (after.broker - before.broker) / calls / 1_000,
    postgresMs: (after.postgres - before.postgres) / calls / 1_000,
    // Rounds down, because the count also includes the broker's own periodic statements.
    statements: Math.floor(statements / countedCalls),
  };
}
