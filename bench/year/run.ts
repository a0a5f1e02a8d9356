import { stat } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { backupDatabase, connectPool, restoreDatabase } from "@merkle/db";
import { openCaller } from "../caller.js";
import type { Memory } from "../process-state.js";
import { megabytes, seconds, timed } from "../record/figures.js";
import { describeMachine } from "../report.js";
import { openStage } from "../stage.js";
import { percentile } from "../statistics.js";
import { makeYear } from "./make-year.js";

const { values: flags } = parseArgs({
  options: {
    messages: { type: "string", default: "10000000" },
    sessions: { type: "string", default: "5000" },
    agents: { type: "string", default: "200" },
    calls: { type: "string", default: "100" },
  },
});
const year = {
  messages: Number(flags.messages),
  sessions: Number(flags.sessions),
  agents: Number(flags.agents),
};
const calls = Number(flags.calls);

const stage = await openStage([]);
try {
  // Once, so that the schema is there.
  await (await stage.startBroker()).stop();
  const sql = connectPool(stage.databaseUrl, 1);
  const made = await timed(() => makeYear(sql, year));
  const sizes =
    await sql`SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes, pg_indexes_size(relid)::float8 AS indexes
    FROM pg_stat_user_tables ORDER BY 2 DESC LIMIT 4`;
  const [whole] =
    await sql`SELECT pg_database_size(current_database())::float8 AS bytes, (SELECT count(*)::float8 FROM messages) AS messages`;

  const started = await timed(() => stage.startBroker({ flags: ["--expose-gc"] }));
  const broker = started.result;
  const { cpu, cores, node, postgres } = describeMachine(stage.postgresVersion);
  const tell = (name: string, value: string) => console.log(`| ${name} | ${value} |`);
  console.log(
    `${Number(whole?.["messages"]).toLocaleString("en")} messages in ${year.sessions.toLocaleString("en")} sessions of ${year.agents} agents, made in ${seconds(made.ms)}; ` +
      `${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  tell("Database", megabytes(Number(whole?.["bytes"])));
  for (const { name, bytes, indexes } of sizes)
    tell(String(name), `${megabytes(bytes)}, indexes ${megabytes(indexes)}`);
  tell("Start until it takes calls", seconds(started.ms));
  const memory = async () => megabytes((await broker.ask<Memory>({ state: "memory" })).rss);
  tell("Memory after the start", await memory());

  const caller = await openCaller(broker.socketUrl);
  for (const [name, call] of await casesOf(caller)) {
    const times: number[] = [];
    for (let index = 0; index < calls; index += 1) times.push((await timed(() => call(index))).ms);
    tell(name, `p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`);
  }
  tell("Memory after the calls", await memory());
  caller.close();
  await broker.stop();

  const file = join(stage.folder, "year.backup");
  const backup = await timed(() => backupDatabase({ target: stage.databaseUrl, file }));
  tell("Backup", `${seconds(backup.ms)}, ${megabytes((await stat(file)).size)}`);
  const target = await stage.makeDatabase("restored");
  const restore = await timed(() => restoreDatabase({ target, file }));
  tell("Restore", seconds(restore.ms));
  await sql.end();
} finally {
  await stage.stop();
}

type Call = (index: number) => Promise<unknown>;

/** The main operations, as an agent and a page call them, in sessions of every size. */
async function casesOf({
  call,
}: Pick<Awaited<ReturnType<typeof openCaller>>, "call">): Promise<[string, Call][]> {
  const created = await call("create_session", { title: "Today", creator_team_name: "Today" });
  const own = { session_id: String(created["session_id"]), team_id: String(created["team_id"]) };
  // The first is the longest of them all.
  const some = (index: number) => ({ session_id: `year-${1 + ((index * 37) % year.sessions)}` });
  const longest = { session_id: "year-1" };
  const word = (index: number) => `word${(index * 101) % 4096}`;
  return [
    ["post_message", (index) => call("post_message", { ...own, content: { text: `post ${index}` } })],
    ["check_messages", () => call("check_messages", own)],
    ["get_history, the end", (index) => call("get_history", some(index))],
    [
      "get_history, amid the longest",
      (index) => call("get_history", { ...longest, before_cursor: 500 + index * 20 }),
    ],
    ["get_session", (index) => call("get_session", some(index))],
    ["list_peers", (index) => call("list_peers", some(index))],
    ["read_session_doc", (index) => call("read_session_doc", some(index))],
    ["append_to_session_doc", () => call("append_to_session_doc", { ...own, text: "A note." })],
    ["set_state", (index) => call("set_state", { ...own, key: "step", value: index })],
    ["create_task", (index) => call("create_task", { ...own, title: `Task ${index}` })],
    ["list_sessions", () => call("list_sessions", {})],
    ["list_sessions, by size", () => call("list_sessions", { sort: "size" })],
    ["list_attention", () => call("list_attention", {})],
    ["list_undelivered", () => call("list_undelivered", {})],
    ["get_timeline, the longest", () => call("get_timeline", longest)],
    ["search, one word", (index) => call("search", { query: word(index) })],
    ["search, two words", (index) => call("search", { query: `${word(index)} ${word(index + 1)}` })],
    ["recall", (index) => call("recall", { query: `w${index % 997}` })],
    [
      "search_logs",
      (index) => call("search_logs", { projectId: `project-${index % 20}`, query: `part ${index}` }),
    ],
    ["get_usage, by session", () => call("get_usage", { by: "session" })],
    ["brief, of all", () => call("brief", {})],
    ["collect_garbage, dry", () => call("collect_garbage", { dry_run: true })],
  ];
}
