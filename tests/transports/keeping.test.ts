import postgres from "postgres";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts, toBareId } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

function connect(): postgres.Sql {
  const sql = postgres(broker.databaseUrl, { max: 1 });
  onTestFinished(() => sql.end());
  return sql;
}

it("[OPS-10] [OPS-11] what the settings keep no longer goes, after a dry run has said what would; feed and record stay", async () => {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: team_id } = session;
  await session.post(team_id, "stays");
  await transport.call("set_summary", { session_id, team_id, summary: "long gone" });
  for (const title of ["old", "new"])
    await transport.call("log_progress", { projectId: "keeping", title, content: "done", tags: [], team_id });
  const sql = connect();
  await sql`UPDATE progress_entries SET created_at = now() - interval '40 days' WHERE title = 'old'`;
  await expect
    .poll(async () => (await sql`SELECT summary FROM peers WHERE session_id = ${session_id}`)[0]?.["summary"])
    .toBe("long gone");
  // While a peer is connected, its last activity is updated repeatedly, so the peer must leave before it can be made
  // to look old.
  await transport.call("leave_session", { session_id, team_id });
  await sql`UPDATE peers SET left_at = now() - interval '40 days' WHERE session_id = ${session_id}`;

  const { person_id: owner } = await makePerson(transport, "Gardener");
  const gc = (dry_run: boolean) => transport.call("collect_garbage", { dry_run, team_id: owner });
  expect(await expectFailure(transport.call("collect_garbage", { dry_run: true }))).toMatchObject({
    code: "forbidden",
    details: { needs: "verification" },
  });
  expect((await gc(false)).removed).toMatchObject({ progress: 0, presence: 0, dismissed: 0 });
  await changeSettings(transport, { settings: { progress_days: 30, presence_days: 30 } });
  const titles = async () =>
    (await transport.call("list_progress", { projectId: "keeping" })).entries.map(({ title }) => title);
  const dry = await gc(true);
  expect(dry).toMatchObject({ dry_run: true, removed: { progress: 1, presence: 1, receipts: 0 } });
  expect(dry.tables.map(({ name }) => name)).toContain("messages");
  expect(await titles()).toEqual(["new", "old"]);

  expect((await gc(false)).removed).toEqual(dry.removed);
  expect(await titles()).toEqual(["new"]);
  expect((await sql`SELECT summary FROM peers WHERE session_id = ${session_id}`)[0]).toEqual({
    summary: null,
  });
  expect((await gc(true)).removed).toMatchObject({ progress: 0, presence: 0 });
  const { messages } = await transport.call("get_history", { session_id });
  expect(listTexts(messages)).toContain("stays");
});

it("[OPS-12] a session tells its bytes, and sessions are listed by them", async () => {
  const [small, large] = [await createTestSession(transport), await createTestSession(transport)];
  const sql = connect();
  for (const [bytes, { sessionId }] of [
    [1_000_000, small],
    [2_000_000, large],
  ] as const)
    await sql`UPDATE sessions SET bytes = ${bytes} WHERE session_id = ${sessionId}`;
  const list = (before?: string) =>
    transport.call("list_sessions", { sort: "size", limit: 1, ...(before !== undefined && { before }) });
  const first = await list();
  expect(first.sessions).toMatchObject([{ session_id: large.sessionId, bytes: 2_000_000 }]);
  expect((await list(first.next_cursor ?? "")).sessions).toMatchObject([{ session_id: small.sessionId }]);
});

it("[PERSON-13] a person reads all that is kept of them, and an admin of anybody; a guest of nobody else", async () => {
  const ana = await makePerson(transport, "Ana");
  const team_id = ana.person_id;
  const { sessionId: session_id } = await createTestSession(transport);
  const say = (text: string) => transport.call("post_message", { session_id, team_id, content: { text } });
  await say("first");
  await Promise.all(Array.from({ length: 119 }, (_, number) => say(`mine ${number}`)));
  const read = async (more: object = {}) => {
    const rows: { kind: string; row: Record<string, unknown> }[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await transport.call("export_person", { team_id, ...more, ...(after && { after }) });
      rows.push(...page.rows);
      after = page.next;
    }
    return rows;
  };
  const rows = await read();
  expect(rows.filter(({ kind }) => kind === "message")).toHaveLength(120);
  expect(rows.find(({ kind }) => kind === "team")?.row).toMatchObject({ session_id, name: "Ana" });
  expect(JSON.stringify(rows)).not.toMatch(/secret/);

  const gus = await transport.call("create_person", { name: "Gus" });
  expect(await read({ person: "Gus" })).toMatchObject([{ kind: "profile", row: { name: "Gus" } }]);
  const others = expectFailure(transport.call("export_person", { team_id: gus.person_id, person: "Ana" }));
  expect(await others).toMatchObject({ code: "forbidden" });
  expect(await expectFailure(read({ person: "Nobody" }))).toMatchObject({ code: "not_found" });
});

it("[PERSON-14] an erased person's texts, name and credential are gone, the record holds, and what cannot go yet is named", async () => {
  const eve = await makePerson(transport, "Eve");
  const team_id = eve.person_id;
  const session = await createTestSession(transport);
  const { sessionId: session_id } = session;
  await transport.call("post_message", { session_id, team_id, content: { text: "a secret of Eve" } });
  await session.post(session.convener, "not Eve's");
  for (const [version, content] of ["first by Eve", "second by Eve"].entries())
    await transport.call("update_session_doc", { session_id, team_id, content, expected_version: version });

  const guest = await transport.call("create_person", { name: "Guy" });
  const foreign = expectFailure(
    transport.call("erase_person", { team_id: guest.person_id, person: "Eve", confirm: "Eve" }),
  );
  expect(await foreign).toMatchObject({ code: "forbidden" });
  const mistaken = expectFailure(transport.call("erase_person", { team_id, confirm: "Eva" }));
  expect(await mistaken).toMatchObject({ code: "conflict" });
  const erased = await transport.call("erase_person", { team_id, confirm: "Eve" });
  expect(erased).toMatchObject({ person_id: toBareId(team_id), redacted: 2, done: true });
  expect(erased.kept).toMatchObject([{ session: session.slug, what: expect.stringContaining("version 2") }]);

  expect(await expectFailure(transport.call("get_person", { team_id }))).toMatchObject({
    code: "unauthorized",
  });
  const { messages } = await transport.call("get_history", { session_id });
  expect(listTexts(messages)).toContain("not Eve's");
  expect(messages.filter(({ content }) => content["text"] === "a secret of Eve")).toEqual([]);
  expect(messages.filter(({ event }) => event === "message_redacted")).toHaveLength(2);
  const { versions } = await transport.call("list_doc_versions", { session_id });
  expect(versions.map(({ bytes }) => bytes === 0)).toEqual([false, true]);
  // After the document has changed, the erasure can be completed with the id that the first call returned.
  const ana = await makePerson(transport, "Admin");
  await transport.call("update_session_doc", {
    ...{ session_id, team_id: session.convener, content: "by Atlas", expected_version: 2 },
  });
  const again = await transport.call("erase_person", {
    ...{ team_id: ana.person_id, person: erased.person_id, confirm: erased.person_id },
  });
  expect(again).toMatchObject({ redacted: 1, done: true, kept: [] });
  const closed = { session_id, team_id: session.convener, summary_section: "Done." };
  const { seal } = await transport.call("conclude_session", closed);
  expect(seal.size).toBeGreaterThan(messages.length - 1);
});
