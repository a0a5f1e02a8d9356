import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../kit/at-end.js";
import { brokerDoors, type Door } from "../kit/doors.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { exportBundle, verifyWhole } from "./bundles.js";

const cleanup = atEnd();
let broker: TestBroker;
let door: Door;

beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  door = await brokerDoors.rest(broker.url);
});

/** A session with messages of several kinds, a document and a conclusion. */
async function fullSession() {
  const session = await createTestSession(door);
  const { sessionId: session_id, convener: team_id } = session;
  const birch = await session.join("Birch");
  await session.post(team_id, "Hello `world`\n```\n# no heading");
  await door.call("post_message", {
    session_id,
    team_id,
    content: { text: "Which?", kind: "ask", options: ["a", "b"] },
    to: "Birch",
  });
  await door.call("update_session_doc", { session_id, team_id, expected_version: 0, content: "# Goals\n" });
  await door.call("append_to_session_doc", { session_id, team_id: birch.credential, text: "- more" });
  await door.call("set_state", { session_id, team_id, key: "frozen", value: { on: true } });
  await door.call("conclude_session", { session_id, team_id, summary_section: "All done." });
  return { ...session, birch };
}

describe("a bundle", () => {
  it("[EXPORT-2] holds the whole record, and verifies", async () => {
    const session = await fullSession();
    const bundle = await exportBundle(broker.url, session.slug);
    expect(bundle.names).toEqual([
      "feed.ndjson",
      "document.ndjson",
      "document.md",
      "roster.json",
      "state.json",
      "heads.ndjson",
      "keys.json",
      "manifest.json",
    ]);
    const report = await verifyWhole(bundle);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ ok: true, size: 5, matched: 5, document_version: 3 });
  });
});
