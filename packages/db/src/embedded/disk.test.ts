import { execFile } from "node:child_process";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, makeTestHome, type TestHome } from "./test-support.js";

const run = promisify(execFile);

describe("a home on a disk of its own", { tags: "mounts" }, () => {
  let disk: TestHome;
  beforeEach(async () => {
    disk = await makeTestHome();
    await run("mount", ["-t", "tmpfs", "-o", "size=96m,mode=711", "tmpfs", disk.path]);
  });
  afterEach(async () => {
    await run("umount", ["--lazy", disk.path]);
    await disk.remove();
  });

  it("[DB-9] that is read-only ends the start with a sentence", async () => {
    await run("mount", ["-o", "remount,ro", disk.path]);
    await expect(disk.start()).rejects.toMatchObject({
      code: "home_read_only",
      message: `${disk.path} is on a read-only file system, but the database needs write access. Set MERKLE_HOME to a writable folder, or set DATABASE_URL to your own PostgreSQL server.`,
    });
  });

  it("[DB-9] that is full ends the first start with a sentence, and leaves nothing half made", {
    tags: "long",
  }, async () => {
    const filler = await fill(disk.path, 8);
    await expect(disk.start()).rejects.toMatchObject({
      code: "disk_full",
      message: expect.stringMatching(/^No space is left for the database in .*Free some space/),
    });
    await rm(filler);
    const server = await disk.start();
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it("[DB-9] that is full ends a later start with a sentence, and the data is there when space is", {
    tags: "long",
  }, async () => {
    const first = await disk.start();
    await ask(first.connection, "CREATE TABLE kept AS SELECT 3 AS value");
    await first.stop();
    const filler = await fill(disk.path, 0);
    await expect(disk.start()).rejects.toMatchObject({ code: "disk_full" });
    await rm(filler);
    const second = await disk.start();
    expect(await ask(second.connection, "SELECT value FROM kept")).toEqual([{ value: 3 }]);
    await second.stop();
  });
});

/** Fills the disk with a file, leaving `leftMiB` free. */
async function fill(folder: string, leftMiB: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "filler");
  const { bavail, bsize } = await statfs(folder);
  const file = await open(path, "w");
  try {
    await file.writeFile(Buffer.alloc(Math.max(0, bavail * bsize - leftMiB * 1024 * 1024)));
  } finally {
    await file.close();
  }
  return path;
}
