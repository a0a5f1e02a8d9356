import { stat } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { backupDatabase, connectPool, restoreDatabase } from "@merkle/db";
import type { Memory } from "../process-state.js";
import { formatMegabytes, formatSeconds, timeCall } from "../record/figures.js";
import { describeMachine } from "../report.js";
import { openStage, type Stage } from "../stage.js";
import { percentile } from "../statistics.js";
import type { Case, Cases } from "./case.js";
import { openCases } from "./cases.js";
import { makeYear } from "./make-year.js";
import { openMemberCases } from "./member-cases.js";
import { enterAsAdmin, enterOpenly, makeFiles } from "./worlds.js";

const { values: flags } = parseArgs({
  options: {
    messages: { type: "string", default: "10000000" },
    sessions: { type: "string", default: "5000" },
    agents: { type: "string", default: "200" },
    calls: { type: "string", default: "100" },
    /** Names of the operations to measure, separated by commas. Default: all operations, with backup and restore. */
    only: { type: "string" },
  },
});
const year = {
  messages: Number(flags.messages),
  sessions: Number(flags.sessions),
  agents: Number(flags.agents),
};
const calls = Number(flags.calls);
const only = flags.only?.split(",");

const stage = await openStage([]);
try {
  // Starts a broker once to create the schema.
  await (await stage.startBroker()).stop();
  const sql = connectPool(stage.databaseUrl, 1);
  const made = await timeCall(() => makeYear(sql, year));
  await tellSizes(sql, made.ms);
  await measureOpen(stage);
  await measureMembers(stage);
  if (!only) await measureBackup(stage);
  await sql.end();
} finally {
  await stage.stop();
}

async function tellSizes(sql: ReturnType<typeof connectPool>, madeMs: number): Promise<void> {
  const sizes =
    await sql`SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes, pg_indexes_size(relid)::float8 AS indexes
    FROM pg_stat_user_tables ORDER BY 2 DESC LIMIT 4`;
  const [whole] =
    await sql`SELECT pg_database_size(current_database())::float8 AS bytes, (SELECT count(*)::float8 FROM messages) AS messages`;
  const { cpu, cores, node, postgres } = describeMachine(stage.postgresVersion);
  console.log(
    `${Number(whole?.["messages"]).toLocaleString("en")} messages in ${year.sessions.toLocaleString("en")} sessions of ${year.agents} agents, made in ${formatSeconds(madeMs)}; ` +
      `${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  printRow("Database", formatMegabytes(Number(whole?.["bytes"])));
  for (const { name, bytes, indexes } of sizes)
    printRow(String(name), `${formatMegabytes(bytes)}, indexes ${formatMegabytes(indexes)}`);
}

async function measureOpen(stage: Stage): Promise<void> {
  const files = await makeFiles(stage.folder);
  const started = await timeCall(() => stage.startBroker({ flags: ["--expose-gc"], roots: files.roots }));
  const broker = started.result;
  const memory = async () => formatMegabytes((await broker.ask<Memory>({ state: "memory" })).rss);
  printRow("Start until it takes calls", formatSeconds(started.ms));
  printRow("Memory after the start", await memory());
  const { close, ...world } = await enterOpenly(broker);
  await measureAll(await openCases({ ...world, year, source_path: files.path }));
  printRow("Memory after the calls", await memory());
  close();
  await broker.stop();
}

/** Uses a separate broker, because only brokers that admit only members have members. */
async function measureMembers(stage: Stage): Promise<void> {
  const broker = await stage.startBroker({ auth: "invite" });
  const { close, ...world } = await enterAsAdmin(broker);
  await measureAll(await openMemberCases(world));
  await close();
  await broker.stop();
}

async function measureAll(cases: Readonly<Record<string, Cases>>): Promise<void> {
  for (const [name, of] of Object.entries(cases)) {
    if (only && !only.includes(name)) continue;
    if ("unmeasured" in of) printRow(name, `not measured: ${of.unmeasured}`);
    else for (const each of [of].flat()) await measureCase(name, each);
  }
}

async function measureCase(
  name: string,
  { what, before, call, after, callsMax = calls }: Case,
): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < Math.min(calls, callsMax); index += 1) {
    await before?.(index);
    times.push((await timeCall(() => call(index))).ms);
    await after?.();
  }
  const [p50, p95] = [percentile(times, 0.5).toFixed(1), percentile(times, 0.95).toFixed(1)];
  const many = times.length < calls ? `, ${times.length} calls` : "";
  printRow(what === undefined ? name : `${name}, ${what}`, `p50 ${p50} ms, p95 ${p95} ms${many}`);
}

async function measureBackup(stage: Stage): Promise<void> {
  const file = join(stage.folder, "year.backup");
  const backup = await timeCall(() => backupDatabase({ target: stage.databaseUrl, file }));
  printRow("Backup", `${formatSeconds(backup.ms)}, ${formatMegabytes((await stat(file)).size)}`);
  const target = await stage.makeDatabase("restored");
  const restore = await timeCall(() => restoreDatabase({ target, file }));
  printRow("Restore", formatSeconds(restore.ms));
}

function printRow(name: string, value: string): void {
  console.log(`| ${name} | ${value} |`);
}
