import type postgres from "postgres";
import { createTestSession } from "../kit/session.js";
import type { TransportClient } from "../kit/transports.js";

/** Posts all kinds of messages, redacts some of them, and concludes the session. */
export async function createTalkativeSession(client: TransportClient, sql: postgres.Sql, person: string) {
  const session = await createTestSession(client);
  const { sessionId: session_id, convener } = session;
  const say = (team_id: string, content: object, more: object = {}) =>
    client.call("post_message", { session_id, team_id, content, ...more } as never);
  const birch = await session.join("Birch");
  const cedar = await session.join("Cedar");
  await say(convener, { text: 'Plain: \u{1F333} \u202e \\u0000 \u2028 \t"quoted"' });
  await say(convener, { text: "For Birch alone." }, { to: "Birch", priority: "now" });
  const ask = await say(
    birch.credential,
    { text: "Which?", kind: "ask", options: ["a", "b"] },
    { to: "@humans" },
  );
  await say(convener, { text: "a it is", answer: "a" }, { reply_to: ask.cursor });
  const ask2 = await say(birch.credential, { text: "And this?", kind: "ask", options: ["a", "b"] });
  const answer = await say(convener, { text: "never mind: hunter2", answer: "b" }, { reply_to: ask2.cursor });
  await say(cedar.credential, { text: "We take a.", kind: "decision" });
  await say(person, { text: "A human was here." });
  const secret = await say(birch.credential, { text: "The key is hunter3." });
  await client.call("set_state", {
    session_id,
    team_id: convener,
    key: "deploy",
    value: { frozen: [1.5, null] },
  });
  for (const step of [1, 2, 3]) {
    await client.call("append_to_session_doc", {
      session_id,
      team_id: convener,
      text: `Step ${step} \u{1F600}`,
    });
  }
  await client.call("create_task", { session_id, team_id: convener, title: "Write it down" });
  const sealed = [
    await say(convener, { text: "to be sealed" }, { to: "Birch" }),
    await say(convener, { text: "and gone" }),
  ];
  for (const { cursor } of sealed) await makePrivate(sql, session_id, cursor);
  for (const sequence of [secret.cursor, answer.cursor, sealed[1]?.cursor ?? 0]) {
    await client.call("redact_message", { session_id, team_id: person, sequence });
  }
  await client.call("redact_message", {
    session_id,
    team_id: convener,
    document_versions: { from: 2, to: 2 },
  });
  await client.call("conclude_session", { session_id, team_id: convener, summary_section: "All is done." });
  return { ...session, birch, cedar };
}

/** Returns every column of every row that archiving may delete, as PostgreSQL prints it. */
export async function readAllRows(sql: postgres.Sql, sessionId: string) {
  const messages =
    await sql`SELECT row_to_json(m)::text AS row FROM messages m WHERE session_id = ${sessionId} ORDER BY sequence`;
  const versions = await sql`
    SELECT row_to_json(v)::text AS row FROM document_versions v WHERE session_id = ${sessionId} ORDER BY version`;
  return { messages: messages.map(({ row }) => row), versions: versions.map(({ row }) => row) };
}

/** Replaces a message with an encrypted private message. Only the format of the content matters here. */
async function makePrivate(sql: postgres.Sql, sessionId: string, sequence: number): Promise<void> {
  const sealed = `mks1.${"c".repeat(200)}.${"n".repeat(32)}.${"b".repeat(31)}`;
  const content = JSON.stringify({ private: true, sealed });
  await sql.begin(async (tx) => {
    await tx`ALTER TABLE messages DISABLE TRIGGER messages_change_by_redaction`;
    await tx`UPDATE messages SET content = ${content} WHERE session_id = ${sessionId} AND sequence = ${sequence}`;
    await tx`ALTER TABLE messages ENABLE TRIGGER messages_change_by_redaction`;
  });
}
