import { type InputOf, MerkleError } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { makePerson } from "../kit/persons.js";
import { startS3Server } from "../kit/s3-server.js";
import { createTestSession } from "../kit/session.js";
import { type SentStatement, startStatementLog } from "../kit/statement-log.js";
import { startOneBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

/**
 * The only two statements that may write rows for several sessions: the appender's batch, and the statement that saves
 * peers' cursors. docs/scale.md describes how to split them by session.
 */
const isBatch = ({ query }: SentStatement) =>
  /\bappend_messages\b|\bINSERT INTO messages\b/.test(query) ||
  /json_to_recordset[^;]*\backnowledged bigint\b/.test(query);

/**
 * The search index's tables. Their transactions may cover several sessions, because the index can be rebuilt at any
 * time.
 */
const indexTables = new Set(["search_heads", "message_words", "document_words"]);

/** Archives a session. On a busy machine that takes longer than a request may, so it asks again. */
async function archiveSession(rest: TransportClient, input: InputOf<"archive_session">): Promise<void> {
  for (;;) {
    try {
      await rest.call("archive_session", input);
      return;
    } catch (error) {
      if (!(error instanceof MerkleError) || error.code !== "unavailable") throw error;
    }
  }
}

function writtenTables({ query }: SentStatement): string[] {
  return [...query.matchAll(/\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?([a-z_]+)"?/gi)].map(
    ([, table = ""]) => table.toLowerCase(),
  );
}

it("[SCALE-3] every write of a session's tables names its session, and no transaction writes in two sessions, but for two batches and the search index", async () => {
  const databaseUrl = await createTestDatabase();
  const log = await startStatementLog(databaseUrl, onTestFinished);
  const { archive } = await startS3Server();
  const broker = await startOneBroker({ databaseUrl: log.url, archive }, onTestFinished);
  const rest = await brokerTransports.rest(broker.url);
  const { person_id } = await makePerson(rest, "Ana");
  const sessions = [await createTestSession(rest), await createTestSession(rest)];

  await Promise.all(
    sessions.map(async (session) => {
      const { sessionId: session_id } = session;
      const birch = await session.join("Birch");
      const team = { session_id, team_id: birch.credential };
      await session.post(session.convener, "to all");
      await rest.call("post_message", { ...team, content: { text: "Which?", kind: "ask" }, to: ["Atlas"] });
      await rest.call("post_message", { session_id, team_id: person_id, content: { text: "A person's." } });
      const uploaded = await fetch(`${broker.url}/api/sessions/${session_id}/files?name=a.log`, {
        method: "PUT",
        headers: { "x-team-id": team.team_id },
        body: session_id,
      });
      const attachments = [await uploaded.json()];
      await rest.call("post_message", { ...team, content: { text: "a file", attachments } });
      await rest.call("wait_for_messages", { ...team, since_cursor: 0 });
      await rest.call("ack", { ...team, cursor: 2 });
      await rest.call("update_session_doc", { ...team, content: "# One\n\n## Notes\n", expected_version: 0 });
      await rest.call("append_to_session_doc", { ...team, text: "- a note" });
      await rest.call("set_state", { ...team, key: "deploy", value: "frozen" });
      await rest.call("watch_state", { ...team, key: "deploy" });
      await rest.call("set_status", { ...team, status: "blocked", reason: "a key" });
      await rest.call("join_group", { ...team, name: "backend" });
      const { task } = await rest.call("create_task", { ...team, title: "Rotate" });
      await rest.call("claim_task", { ...team, task });
      await rest.call("claim", { ...team, scope: "repo:src/**" });
      await rest.call("report_usage", {
        ...team,
        usage: [{ model: "opus", input_tokens: 1, output_tokens: 1, cache_read_tokens: 0 }],
      });
      await rest.call("report_checkout", {
        ...team,
        checkout: {
          ...{ repository: "github.com/acme/app", branch: "main", worktree: null, base: null },
          ...{ files: 1, added: 1, removed: 0, pull_request: null },
        },
      });
      await rest.call("finish_task", { ...team, task, result: "done" });
      await rest.call("mark_read", { session_id, team_id: person_id });
      await rest.call("hold_session", { session_id, team_id: person_id });
      await rest.call("resume_session", { session_id, team_id: person_id });
      await rest.call("update_session_metadata", {
        ...team,
        title: "Another",
        reason: "its scope has changed",
      });
      await rest.call("rotate_team_credential", team);
      await rest.call("leave_session", { session_id, team_id: session.convener });
      await rest.call("conclude_session", { session_id, team_id: person_id, summary_section: "Done." });
    }),
  );
  await rest.call("search", { query: "note" });
  for (const { sessionId: session_id } of sessions) {
    await archiveSession(rest, { session_id, team_id: person_id });
    await rest.call("unarchive_session", { session_id, team_id: person_id });
  }

  const sql = connectTestDatabase(databaseUrl);
  const keyed = await sql<{ table: string }[]>`
    SELECT c.relname AS table FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE i.indisprimary AND a.attname = 'session_id' AND c.relnamespace = 'public'::regnamespace`;
  const ofSessions = new Set(keyed.map(({ table }) => table));
  expect(ofSessions.size).toBeGreaterThan(12);
  const written = new Set<string>();
  for (const transaction of log.transactions) {
    const writes = transaction.filter((each) => writtenTables(each).some((table) => ofSessions.has(table)));
    for (const each of writes) {
      for (const table of writtenTables(each)) written.add(table);
      expect(each.query).toMatch(/session_id/);
    }
    if (writes.every((each) => writtenTables(each).every((table) => indexTables.has(table)))) continue;
    if (transaction.length === 1 && transaction.every(isBatch)) continue;
    const sent = transaction.flatMap(({ parameters }) => parameters).join(" ");
    const named = sessions.filter(({ sessionId }) => sent.includes(sessionId));
    expect(named.length, transaction.map(({ query }) => query.slice(0, 200)).join(";\n")).toBeLessThanOrEqual(
      1,
    );
  }
  // Tables that the calls above do not write, because they are written by SQL functions, by imports, or only after a
  // session has 65,536 leaves.
  const elsewhere = ["messages", "record_tiles", "origin_keys", "import_files"];
  expect([...ofSessions].filter((table) => !written.has(table) && !elsewhere.includes(table))).toEqual([]);
});
