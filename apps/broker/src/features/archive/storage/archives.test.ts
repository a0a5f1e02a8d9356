import { randomUUID } from "node:crypto";
import {
  deleteArchive,
  findArchive,
  giveUpArchive,
  insertArchive,
  markArchived,
  openDatabase,
  readRecordExtent,
} from "@merkle/db";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startS3Server } from "../../../../../../tests/kit/s3-server.js";
import { createTestSession, expectFailure } from "../../../../../../tests/kit/session.js";
import { startOneBroker } from "../../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../../tests/kit/transports.js";
import { createLog } from "../../../core/log.js";
import { parseArchiveTarget } from "./archive-target.js";
import { createArchives } from "./archives.js";
import { createObjectStore } from "./object-store.js";

const log = createLog(() => undefined);

it("[ARCHIVE-3] what was left behind is ended: objects of nodes that are gone, and such as are to go, and rows after a minute", {
  tags: "long",
}, async () => {
  const s3 = await startS3Server();
  const broker = await startOneBroker({}, onTestFinished);
  const client = await transports.rest(broker.url);
  const sql = connectTestDatabase(broker.databaseUrl);
  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  const [own, live, dead] = [randomUUID(), randomUUID(), randomUUID()];
  const store = createObjectStore(parseArchiveTarget(s3.archive));
  const archives = createArchives({ database, nodes: { id: own, others: new Set([live]) }, store, log });

  async function leave(object: string, state: string, nodeId: string, secondsAgo = 0) {
    const session = await createTestSession(client);
    const { cursor } = await session.post(session.convener, "said");
    await client.call("conclude_session", {
      session_id: session.sessionId,
      team_id: session.convener,
      summary_section: "Done.",
    });
    const hash = Buffer.alloc(32);
    await sql`INSERT INTO archives VALUES (${session.sessionId}, ${object}, ${state}, ${nodeId}, ${database.epoch}, 1, ${hash}, 1, ${hash},
      'Ana', now() - make_interval(secs => ${secondsAgo}))`;
    return { sessionId: session.sessionId, cursor };
  }
  const rowsOf = async (sessionId: string) =>
    (await sql`SELECT FROM messages WHERE session_id = ${sessionId}`).length;

  await leave("a/dead", "storing", dead);
  await leave("b/live", "storing", live);
  await leave("c/removing", "removing", live);
  const old = await leave("d/old", "leaving", dead, 120);
  const young = await leave("e/young", "leaving", dead);
  const away = await leave("f/away", "away", dead, 120);
  await archives.finish();
  const left = await sql`SELECT object, state FROM archives ORDER BY object`;
  expect(left.map(({ object, state }) => `${object} ${state}`)).toEqual([
    "b/live storing",
    "d/old away",
    "e/young leaving",
    "f/away away",
  ]);
  expect(await rowsOf(old.sessionId)).toBe(0);
  for (const { sessionId } of [young, away]) expect(await rowsOf(sessionId)).toBeGreaterThan(0);
  await archives.stop();
});

it("[ARCHIVE-3] a mark whose commit nobody was told of is found by the next attempt, and its objects are not given up", async () => {
  const broker = await startOneBroker({}, onTestFinished);
  const client = await transports.rest(broker.url);
  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  const session = await createTestSession(client);
  const { sessionId } = session;
  await session.post(session.convener, "said");
  await client.call("conclude_session", {
    session_id: sessionId,
    team_id: session.convener,
    summary_section: "Done.",
  });
  const extent = await readRecordExtent(database.orm, sessionId);
  if (!extent) throw new Error("The session is there.");
  const key = { sessionId, object: "a/b" };
  await insertArchive(database.orm, { ...key, nodeId: randomUUID(), epoch: database.epoch });
  const sha256 = Buffer.alloc(32);
  const objects = {
    ...{ bundleBytes: 1, bundleSha256: sha256, rowsBytes: 1, rowsSha256: sha256 },
    ...{ archivedBy: "Ana", archivedAt: new Date() },
  };
  const mark = () => database.transaction((tx) => markArchived(tx, key, extent, objects));
  expect([await mark(), await mark()]).toEqual([true, true]);
  expect(await giveUpArchive(database.orm, key)).toBe(false);
  await deleteArchive(database.orm, key);
  expect((await findArchive(database.orm, sessionId))?.state).toBe("leaving");
});

describe("[ARCHIVE-2] work that takes longer than an answer may", () => {
  afterEach(() => vi.useRealTimers());
  const nothing = {} as never;

  it("goes on, is done once whoever asks, and its end is told to who asks next", async () => {
    vi.useFakeTimers();
    const archives = createArchives({ database: nothing, nodes: nothing, store: null, log });
    let begun = 0;
    let fail: (error: Error) => void = () => undefined;
    const work = () => {
      begun += 1;
      return new Promise<string>((_, reject) => {
        fail = reject;
      });
    };
    const first = expectFailure(archives.run("archive", "s", work));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toMatchObject({ code: "unavailable", details: { retry_after_s: 2 } });
    expect(await expectFailure(archives.run("unarchive", "s", work))).toMatchObject({ code: "conflict" });
    const second = expectFailure(archives.run("archive", "s", work));
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await second).code).toBe("unavailable");
    fail(new Error("the disk is full"));
    await vi.advanceTimersByTimeAsync(0);
    expect((await expectFailure(archives.run("archive", "s", work))).message).toBe("the disk is full");
    expect(begun).toBe(1);
    expect(await archives.run("archive", "s", async () => "done")).toBe("done");
  });
});
