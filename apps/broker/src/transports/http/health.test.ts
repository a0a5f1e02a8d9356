import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTestHome, type TestHome } from "../../../../../packages/db/src/embedded/test-support.js";
import { createTestSession, expectFailure, type TestSession } from "../../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { startBroker } from "../../start/start-broker.js";

const run = promisify(execFile);

describe("what the last writes met", () => {
  it("[OPS-2] while somebody holds the table of messages, health says so until it is free", async () => {
    const { url, databaseUrl } = await startTestBroker();
    const sql = connectTestDatabase(databaseUrl);
    const holder = await sql.reserve();
    await holder.unsafe("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");
    expect(await healthOf(url)).toEqual([503, false, "lock"]);
    await holder.unsafe("ROLLBACK");
    holder.release();
    await expect.poll(() => healthOf(url)).toEqual([200, true, null]);
  });
});

describe("repeated tasks", () => {
  it("[OPS-2] one that fails three times in a row makes health degraded with status 200, until a run succeeds", {
    tags: "long",
  }, async () => {
    const { url, databaseUrl } = await startTestBroker();
    const sql = connectTestDatabase(databaseUrl);
    const read = async () => {
      const response = await fetch(`${url}/health`);
      const { degraded, failing_tasks: failing } = Object(await response.json());
      return [response.status, degraded, failing];
    };
    expect(await read()).toEqual([200, false, []]);
    await sql`ALTER TABLE jobs RENAME TO jobs_elsewhere`;
    await expect.poll(read).toEqual([200, true, expect.arrayContaining(["lost jobs"])]);
    await sql`ALTER TABLE jobs_elsewhere RENAME TO jobs`;
    await expect.poll(read).toEqual([200, false, []]);
  });
});

describe("a broker on a disk of its own", { tags: "mounts" }, () => {
  let disk: TestHome;
  beforeEach(async () => {
    disk = await makeTestHome();
    await run("mount", ["-t", "tmpfs", "-o", "size=192m,mode=711", "tmpfs", disk.path]);
  });
  afterEach(async () => {
    await run("umount", ["--lazy", disk.path]);
    await disk.remove();
  });

  it("[OPS-2] [DB-9] health names the full disk while posts are refused, and after; a start on it ends with the sentence; with room all goes on", {
    tags: "long",
  }, async () => {
    const broker = await startBroker({ home: disk.path, port: 0 });
    const { url } = broker;
    try {
      expect(await healthOf(url)).toEqual([200, true, null]);
      const rest = await transports.rest(url);
      const session = await createTestSession(rest);
      const filler = await fill(disk.path);
      const failure = await postUntilRefused(session);
      expect(failure).toMatchObject({ code: "unavailable", details: { outcome: "none" } });
      expect(await healthOf(url)).toEqual([503, false, "disk"]);
      // After this time, the broker has attempted a test write itself.
      await expect.poll(() => secondsSince(failure.at)).toBeGreaterThan(2.5);
      expect(await healthOf(url)).toEqual([503, false, "disk"]);

      await expect(startBroker({ home: join(disk.path, "new"), port: 0 })).rejects.toMatchObject({
        code: "disk_full",
        message: expect.stringContaining("Free some space there"),
      });
      await rm(filler);
      await expect.poll(() => healthOf(url)).toEqual([200, true, null]);
      await session.post(session.convener, "There is room again.");
    } finally {
      await broker.stop();
    }
  });
});

async function healthOf(url: string): Promise<[number, unknown, unknown]> {
  const response = await fetch(`${url}/health`);
  const { durable, problem } = Object(await response.json());
  return [response.status, durable, problem];
}

async function postUntilRefused(
  session: TestSession,
): Promise<{ code: string; details: unknown; at: number }> {
  for (let posts = 0; posts < 1_000; posts += 1) {
    const failed = await expectFailure(
      session.post(session.convener, randomBytes(15_000).toString("base64")),
    ).catch(() => null);
    if (failed) return { code: failed.code, details: failed.details, at: performance.now() };
  }
  throw new Error("A full disk took a thousand posts.");
}

function secondsSince(at: number): number {
  return (performance.now() - at) / 1_000;
}

/** Writes a file that fills all free space on the disk. */
async function fill(folder: string): Promise<string> {
  const path = join(folder, "filler");
  const { bavail, bsize } = await statfs(folder);
  const file = await open(path, "w");
  try {
    await file.writeFile(Buffer.alloc(bavail * bsize));
  } finally {
    await file.close();
  }
  return path;
}
