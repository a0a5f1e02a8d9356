import { createTestSession, type TestSession } from "../kit/session.js";
import type { TransportClient } from "../kit/transports.js";

/**
 * Creates a concluded session with several kinds of messages, a redacted message, a document with three versions, and a
 * state key.
 */
export async function createConcludedSession(
  transport: TransportClient,
  title?: string,
): Promise<TestSession & { readonly birch: string }> {
  const session = await createTestSession(transport, title);
  const { sessionId: session_id, convener: team_id } = session;
  const { credential: birch } = await session.join("Birch");
  await session.post(team_id, "Hello `world`\n```\n# no heading\n<img src=x> http://x.example");
  const ask = await transport.call("post_message", {
    session_id,
    team_id,
    content: { text: "Which?", kind: "ask", options: ["a", "b"] },
    to: "Birch",
  });
  await transport.call("post_message", {
    session_id,
    team_id: birch,
    content: { text: "This one.", answer: "a" },
    reply_to: ask.cursor,
  });
  const { cursor: sequence } = await session.post(birch, "my password is hunter2");
  await transport.call("redact_message", { session_id, team_id: birch, sequence, reason: "a secret" });
  await transport.call("update_session_doc", {
    session_id,
    team_id,
    expected_version: 0,
    content: "# Goals\n",
  });
  await transport.call("append_to_session_doc", { session_id, team_id: birch, text: "- more" });
  await transport.call("set_state", { session_id, team_id, key: "frozen", value: { on: true } });
  await transport.call("conclude_session", { session_id, team_id, summary_section: "All done." });
  return { ...session, birch };
}
