import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Database, openDatabase } from "@merkle/db";
import { expect, it, onTestFinished, vi } from "vitest";
import { alone } from "../../../../../tests/kit/alone.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { createLog } from "../../core/log.js";
import { makeCredential } from "../../identity/credential.js";
import { startPresence } from "../peers/presence.js";
import { createCredentials } from "./credentials.js";

it("[LIMIT-1] remembers cachedCredentialsMax credentials, and above it drops the longest unused, which is read again", async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const { session_id, team_id } = await transport.call("create_session", {
    title: "Cached",
    creator_team_name: "A",
  });
  const join = async (team_name: string) =>
    (await transport.call("join_session", { session_id, team_name })).team_id;
  const [a, b, c, d] = [team_id, await join("B"), await join("C"), await join("D")];

  const { credentials, asked } = await openCounted(broker.databaseUrl, { cachedMax: 3 });
  const nameOf = async (credential: string) => (await credentials.verify(session_id, credential))?.team?.name;

  for (const [credential, name] of [
    [a, "A"],
    [b, "B"],
    [c, "C"],
    [a, "A"],
  ] as const) {
    expect(await nameOf(credential)).toBe(name);
  }
  expect(asked(), "as many as it may hold are remembered").toBe(3);

  expect(await nameOf(d)).toBe("D");
  for (const credential of [a, c, d]) await nameOf(credential);
  expect(asked(), "B was unused for longest").toBe(4);
  expect(await nameOf(b)).toBe("B");
  expect(asked()).toBe(5);
});

it("[AUTH-1] a broker that is alone looks a credential up again after five minutes, after a change of it, after its lock was lost, and when its peer was dropped", async () => {
  const broker = await startTestBroker();
  const { session_id, team_id } = await (await transports.rest(broker.url)).call("create_session", {
    title: "Remembered",
    creator_team_name: "A",
  });
  const { credentials, presence, asked } = await openCounted(broker.databaseUrl, {});
  const connection = {};
  const peer = async () => (await credentials.verify(session_id, team_id, connection))?.team?.peer;
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());

  const first = await peer();
  vi.advanceTimersByTime(299_000);
  expect(await peer()).toBe(first);
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(await peer()).toBe(first);
  expect(asked()).toBe(2);

  credentials.invalidate(session_id, team_id.slice(0, 36));
  await peer();
  expect(asked()).toBe(3);
  credentials.clear();
  await peer();
  expect(asked()).toBe(4);

  presence.sweep(new Date(Date.now() + 3_600_000), { active_within_s: 1, disconnected_after_s: 1 });
  const second = await peer();
  expect(asked()).toBe(5);
  expect(second).not.toBe(first);
  expect(second).toBe(presence.find(second?.peerId ?? ""));
});

/** Opens the credential cache of a broker without other nodes, and counts its database queries. */
async function openCounted(target: string, options: { readonly cachedMax?: number }) {
  const database = await openDatabase({ target });
  onTestFinished(() => database.close());
  let asked = 0;
  const counted: Pick<Database, "orm" | "meshId"> = {
    meshId: database.meshId,
    get orm() {
      asked += 1;
      return database.orm;
    },
  };
  const presence = startPresence({ ...alone, database, log: createLog(() => undefined) });
  onTestFinished(() => presence.stop());
  const credentials = createCredentials({ ...alone, database: counted, presence, ...options });
  return { credentials, presence, asked: () => asked };
}

it("[AUTH-1] a remembered credential keeps nothing of the memory in which the database's answer came", async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const { session_id } = await transport.call("create_session", { title: "Many", creator_team_name: "A" });
  const credentials = await joinMany({ databaseUrl: broker.databaseUrl, session_id, count: 500 });

  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  const presence = startPresence({ ...alone, database, log: createLog(() => undefined) });
  onTestFinished(() => presence.stop());
  const remembering = createCredentials({ ...alone, database, presence });
  const before = buffersBytes();
  for (const credential of credentials) {
    expect(await remembering.verify(session_id, credential)).not.toBeNull();
  }
  // The database driver reads results in chunks of 8 KiB. Keeping one chunk per credential would take 2 MB.
  await expect.poll(() => buffersBytes() - before).toBeLessThan(500_000);
  expect(await remembering.verify(session_id, credentials[0] ?? "")).not.toBeNull();
});

/** Inserts teams into a session directly in the database. Returns their credentials. */
async function joinMany(at: { databaseUrl: string; session_id: string; count: number }): Promise<string[]> {
  const { databaseUrl, session_id, count } = at;
  const made = Array.from({ length: count }, () => {
    const teamId = randomUUID();
    return { teamId, ...makeCredential(teamId) };
  });
  const ids = made.map(({ teamId }) => teamId);
  const hashes = made.map(({ secretHash }) => secretHash.toString("hex"));
  const database = connectTestDatabase(databaseUrl);
  await database`
    INSERT INTO teams (session_id, team_id, name, secret_hash, joined_at, colour)
    SELECT ${session_id}, id, id, decode(hash, 'hex'), now(), place + coalesce(
      (SELECT max(colour) FROM teams WHERE session_id = ${session_id}), 0)
    FROM unnest(${ids}::uuid[], ${hashes}::text[]) WITH ORDINALITY made (id, hash, place)`;
  await database`
    INSERT INTO peers (session_id, peer_id, team_id)
    SELECT session_id, gen_random_uuid(), team_id FROM teams WHERE team_id = ANY(${ids}::uuid[])`;
  return made.map(({ credential }) => credential);
}

/**
 * Returns the number of bytes that buffers use after a garbage collection. The last unused buffer is freed
 * slightly later.
 */
function buffersBytes(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
