import { connect, type MeshChange } from "@merkle/wire/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { atEnd } from "../kit/at-end.js";
import { type Door, doors } from "../kit/doors.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";

let broker: TestBroker;
let door: Door;

const cleanup = atEnd();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  door = await doors.rest(broker.url);
});

/** A client that watches the mesh, and what it was told. */
async function watch(credential?: string) {
  const client = connect({ url: broker.url, WebSocket });
  onTestFinished(() => client.close());
  const told: MeshChange[] = [];
  let restored = 0;
  const watching = client.watchMesh({
    ...(credential === undefined ? {} : { credential }),
    onChanged: (change) => told.push(change),
    onRestored: () => {
      restored += 1;
    },
  });
  await watching.ready;
  return {
    client,
    watching,
    told,
    restored: () => restored,
    kinds: (sessionId: string | null) =>
      [...new Set(told.filter((each) => each.session_id === sessionId).map(({ kind }) => kind))].sort(),
  };
}

describe("Watching the mesh", () => {
  it("[MESH-1] a watcher is told of sessions that are made, spoken in, written to and joined", async () => {
    const watcher = await watch();
    const session = await createTestSession(door);
    await expect.poll(() => watcher.kinds(session.sessionId)).toEqual(["sessions"]);
    await session.post(session.convener, "hello");
    await expect.poll(() => watcher.told.length).toBeGreaterThanOrEqual(2);
    expect(watcher.kinds(session.sessionId)).toEqual(["sessions"]);
  });
});
