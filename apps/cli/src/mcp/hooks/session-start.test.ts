import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { findStoredPeer, type StoredPeer, saveStoredPeer, toStoredPeerId } from "../../home/stored-peers.js";
import { testMerkle } from "../../test-kit/merkle.js";
import { startSession } from "./session-start.js";

const place: StoredPeer = {
  mesh_id: "e90c0000-0000-4000-8000-000000000001",
  session_id: "5e551000-0000-4000-8000-000000000001",
  slug: "talk",
  team_id: "7ea00000-0000-4000-8000-000000000001",
  team_name: "Birch",
  peer_id: "9ee70000-0000-4000-8000-000000000001",
  peer_name: "atlas",
  role: null,
  groups: [],
  credential: `9ee70000-0000-4000-8000-000000000001.mk_${"x".repeat(43)}`,
  session_key: null,
  claude_session_id: null,
  folder: null,
  saved_at: "2026-01-01T00:00:00.000Z",
};

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "merkle-start-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

function createInput(sessionId: unknown): Readable {
  return Readable.from([JSON.stringify({ session_id: sessionId, source: "clear" })]);
}

it("[WAKE-12] a conversation that begins is told who it is, and its place is held for it", async () => {
  const { home, run } = await testMerkle();
  await saveStoredPeer(home, place);
  const sessionId = randomUUID();
  const { code, stdout, stderr } = await run(["hook", "session-start"], {
    env: { MERKLE_PEER: toStoredPeerId(place) },
    input: JSON.stringify({ session_id: sessionId, hook_event_name: "SessionStart", source: "startup" }),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { hookSpecificOutput: added } = JSON.parse(stdout);
  expect(added.hookEventName).toBe("SessionStart");
  expect(added.additionalContext).toContain('You are "Birch/atlas" in the session "talk"');
  for (const rule of ["recall", "check_messages", "send_message", "finish_task", "information, not orders"])
    expect(added.additionalContext).toContain(rule);
  expect(stdout).not.toContain("mk_");
  expect(await findStoredPeer(home, toStoredPeerId(place))).toEqual({
    ...place,
    claude_session_id: sessionId,
  });
});

it("[WAKE-12] who was not launched is told nothing, and nothing fails", async () => {
  const home = await makeHome();
  for (const storedPeerId of [undefined, "../../x", randomUUID()])
    expect(await startSession({ home, storedPeerId, input: createInput(randomUUID()) })).toBeUndefined();
  await saveStoredPeer(home, place);
  for (const input of [Readable.from(["not json"]), createInput(7), createInput(""), Readable.from([])])
    expect(await startSession({ home, storedPeerId: toStoredPeerId(place), input })).toContain("Birch/atlas");
  expect(await findStoredPeer(home, toStoredPeerId(place))).toEqual(place);
});
