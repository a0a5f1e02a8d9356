import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectPool } from "@merkle/db";
import { inParallel } from "../in-parallel.js";
import { openSessions, type TeamInSession } from "../places.js";
import { describeMachine } from "../report.js";
import { openStage, type Stage } from "../stage.js";
import { median } from "../statistics.js";
import { type Bloat, measureBloat, readTables, resetSettings, type TableState } from "./bloat.js";
import { type Changer, openChanger } from "./churn-turn.js";
import { makeYear } from "./make-year.js";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    /** The number of sessions in the year's data that are not in use. `open` is the number of sessions in use. */
    sessions: { type: "string", default: "2000" },
    open: { type: "string", default: "36" },
  },
});
const minutes = Number(flags.minutes);
const sessions = Number(flags.sessions);
const open = Number(flags.open);

const agentsPerSession = 8;
const changersCount = 12;
const samples = 4;
/**
 * Idempotency results and receipts are deleted after this many seconds here. The broker deletes idempotency results
 * after a day and receipts after 30 days, once an hour.
 */
const keptS = 60;
/** A table with at least this many row changes counts as churning. */
const changesMin = 100;
const purgeEveryMs = 10_000;

/** The table settings of the migrations, and PostgreSQL's defaults for comparison. */
const variants = [
  { name: "ours", reset: null },
  { name: "autovacuum as usual", reset: /^autovacuum_/ },
  { name: "defaults", reset: /./ },
] as const;

interface Variant {
  readonly name: string;
  readonly sql: ReturnType<typeof connectPool>;
  readonly changers: readonly Changer[];
  readonly turnMs: number[];
  readonly history: TableState[][];
  stop(): Promise<void>;
}

const stage = await openStage([]);
try {
  const opened: Variant[] = [];
  for (const variant of variants) opened.push(await openVariant(stage, variant));
  await churn(opened);
  const bloats: Map<string, Bloat>[] = [];
  for (const variant of opened) {
    await variant.stop();
    bloats.push(await measureAll(stage, variant));
    await variant.sql.end();
  }
  report(opened, bloats);
} finally {
  await stage.stop();
}

async function openVariant(stage: Stage, { name, reset }: (typeof variants)[number]): Promise<Variant> {
  const databaseUrl = await stage.makeDatabase(`churn_${name.replaceAll(" ", "_")}`);
  await (await stage.startBroker({ databaseUrl })).stop();
  const sql = connectPool(databaseUrl, 1);
  if (reset) await resetSettings(sql, reset);
  await makeYear(sql, { messages: sessions * 10, sessions, agents: 200 });
  const broker = await stage.startBroker({ databaseUrl });
  const places = await openSessions(broker.url, { sessions: open, teams: agentsPerSession });
  const rooms: TeamInSession[][] = [];
  while (places.length > 0) rooms.push(places.splice(0, agentsPerSession));
  const changers: Changer[] = [];
  for (let changer = 0; changer < changersCount; changer += 1) {
    const share = rooms.filter((_room, index) => index % changersCount === changer);
    changers.push(await openChanger(broker, share));
  }
  return {
    ...{ name, sql, changers, turnMs: [], history: [await readTables(sql)] },
    async stop() {
      for (const changer of changers) changer.close();
      await broker.stop();
    },
  };
}

/**
 * Each changer takes one turn in every database, one database after another. All databases therefore get the same
 * number of turns, and other load on the machine affects all of them.
 */
async function churn(opened: readonly Variant[]): Promise<void> {
  const until = performance.now() + minutes * 60_000;
  const watching = watch(opened);
  await inParallel(
    Array.from({ length: changersCount }, (_, changer) => changer),
    changersCount,
    async (changer) => {
      for (let turn = changer; performance.now() < until; turn += 1) {
        for (let step = 0; step < opened.length; step += 1) {
          const variant = opened[(turn + step) % opened.length];
          const begunAt = performance.now();
          await variant?.changers[changer]?.turn();
          variant?.turnMs.push(performance.now() - begunAt);
        }
      }
    },
  );
  await watching;
}

/**
 * Deletes expired rows with the broker's own statements, with a shorter interval, and reads the statistics of the
 * tables periodically.
 */
async function watch(opened: readonly Variant[]): Promise<void> {
  for (let sample = 1; sample <= samples; sample += 1) {
    const until = performance.now() + (minutes * 60_000) / samples;
    while (performance.now() < until) {
      await delay(Math.min(purgeEveryMs, Math.max(0, until - performance.now())));
      for (const { sql } of opened) {
        await sql`DELETE FROM idempotent_results WHERE created_at < now() - make_interval(secs => ${keptS}) RETURNING mesh_id`;
        await sql`DELETE FROM receipts WHERE at < now() - make_interval(secs => ${keptS})`;
      }
    }
    for (const { sql, history } of opened) history.push(await readTables(sql));
  }
}

async function measureAll({ openAsAdmin }: Stage, { sql }: Variant): Promise<Map<string, Bloat>> {
  const [row] = await sql`SELECT current_database() AS name`;
  const admin = openAsAdmin(String(row?.["name"]));
  try {
    await admin`CREATE EXTENSION pgstattuple`;
    const bloats = new Map<string, Bloat>();
    for (const { name } of await readTables(sql)) bloats.set(name, await measureBloat(admin, name));
    return bloats;
  } finally {
    await admin.end();
  }
}

function report(opened: readonly Variant[], bloats: readonly ReadonlyMap<string, Bloat>[]): void {
  const { cpu, cores, node, postgres } = describeMachine(stage.postgresVersion);
  const turns = opened.map(
    ({ name, turnMs }) => `${name}: ${turnMs.length} turns, p50 ${median(turnMs).toFixed(0)} ms`,
  );
  console.log(
    `${minutes} minutes in ${open} of ${sessions + open} sessions; ${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}; load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(`${turns.join("; ")}
`);
  console.log(
    "| Table | Rows | Changed | HOT | Autovacuums | Size at each quarter, kB | Dead, free | Beside written anew: table | indexes |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  const churned = changesOf(opened[0]).filter(({ changes }) => changes >= changesMin);
  for (const { name } of churned.sort((one, other) => other.changes - one.changes)) {
    const each = opened.map((variant, index) => {
      const of = changesOf(variant).find((table) => table.name === name);
      const bloat = bloats[index]?.get(name);
      const sizes = variant.history.map((tables) => tables.find((table) => table.name === name)).slice(1);
      return (
        of &&
        bloat && { ...of, ...bloat, sizes: sizes.map((size) => (size?.bytes ?? 0) + (size?.indexBytes ?? 0)) }
      );
    });
    const formatEach = (what: (one: NonNullable<(typeof each)[number]>) => string) =>
      each.map((one) => (one ? what(one) : "")).join(" / ");
    const cells = [
      name,
      formatEach(({ live }) => String(live)),
      formatEach(({ changes }) => String(changes)),
      formatEach(({ updates, hotUpdates }) => (updates > 0 ? percent(hotUpdates / updates) : "–")),
      formatEach(({ vacuums }) => String(vacuums)),
      formatEach(({ sizes }) => sizes.map((bytes) => Math.round(bytes / 1024)).join(" ")),
      formatEach(({ deadShare, freeShare }) => `${percent(deadShare)}, ${percent(freeShare)}`),
      formatEach(({ bytes, anewBytes }) => (bytes / anewBytes).toFixed(2)),
      formatEach(({ indexBytes, anewIndexBytes }) => (indexBytes / anewIndexBytes).toFixed(2)),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Returns how often each table was changed during the run. */
function changesOf(variant: Variant | undefined): (TableState & { changes: number })[] {
  return (variant?.history.at(-1) ?? []).map((end) => {
    const begin = variant?.history[0]?.find(({ name }) => name === end.name);
    const updates = end.updates - (begin?.updates ?? 0);
    return {
      ...end,
      updates,
      hotUpdates: end.hotUpdates - (begin?.hotUpdates ?? 0),
      vacuums: end.vacuums - (begin?.vacuums ?? 0),
      changes: updates + end.deletes - (begin?.deletes ?? 0),
    };
  });
}
