import type { Door } from "../kit/doors.js";
import { createTestSession, type TestSession } from "../kit/session.js";

/** A session with messages of several kinds, a removed text, a document of three versions, a key and a conclusion. */
export async function concludedSession(
  door: Door,
  title?: string,
): Promise<TestSession & { readonly birch: string }> {
  const session = await createTestSession(door, title);
  const { sessionId: session_id, convener: team_id } = session;
  const { credential: birch } = await session.join("Birch");
  await session.post(team_id, "Hello `world`\n```\n# no heading\n<img src=x> http://x.example");
  const ask = await door.call("post_message", {
    session_id,
    team_id,
    content: { text: "Which?", kind: "ask", options: ["a", "b"] },
    to: "Birch",
  });
  await door.call("post_message", {
    session_id,
    team_id: birch,
    content: { text: "This one.", answer: "a" },
    reply_to: ask.cursor,
  });
  const { cursor: sequence } = await session.post(birch, "my password is hunter2");
  await door.call("redact_message", { session_id, team_id: birch, sequence, reason: "a secret" });
  await door.call("update_session_doc", { session_id, team_id, expected_version: 0, content: "# Goals\n" });
  await door.call("append_to_session_doc", { session_id, team_id: birch, text: "- more" });
  await door.call("set_state", { session_id, team_id, key: "frozen", value: { on: true } });
  await door.call("conclude_session", { session_id, team_id, summary_section: "All done." });
  return { ...session, birch };
}
