import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../test-kit/merkle.js";

const run = promisify(execFile);

/** Mounts a separate file system for a test. */
async function mountDisk(path: string, options: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `${options},mode=711`, "tmpfs", path]);
  onTestFinished(async () => {
    await run("umount", ["--lazy", path]);
  });
}

/** Writes until the disk is full. */
function fill(path: string): string {
  const file = openSync(path, "w");
  try {
    for (const bytes of [1024 * 1024, 4096])
      for (let isFull = false; !isFull; ) isFull = !canWrite(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
  return path;
}

function canWrite(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  }
}

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("a start on a full disk", () => {
  it("[DB-9] says so where the home does not exist yet, in the background too, and leaves nothing", async () => {
    const merkle = await testMerkle();
    const disk = join(merkle.home, "disk");
    // Room for only the root of the disk and one folder.
    await mountDisk(disk, "size=1m,nr_inodes=2");
    const env = { MERKLE_HOME: join(disk, "a/home") };
    for (const args of [
      ["up", "--port", "0"],
      ["up", "--port", "0", "--detach"],
    ])
      expect([args, await merkle.run(args, { env })]).toMatchObject([
        args,
        {
          code: 1,
          // Node 20 reports that a folder is missing, newer releases that no space is left.
          stderr: expect.stringMatching(
            /^✗ (?:The folder \S+ cannot be created\. Its disk has no space|No space is left) .* Free some space there, or set MERKLE_HOME /,
          ),
        },
      ]);
  });

  it("[DB-9] says so after a kill, in the background too, and starts once there is space", async () => {
    const merkle = await testMerkle();
    await mountDisk(merkle.home, "size=120m");
    expect(await merkle.run(["up", "--port", "0", "--detach"])).toMatchObject({ code: 0 });
    const { pid } = JSON.parse(await readFile(join(merkle.home, "broker.json"), "utf8"));
    process.kill(pid, "SIGKILL");
    const fillers: string[] = [];
    for (const args of [
      ["up", "--port", "0"],
      ["up", "--port", "0", "--detach"],
    ]) {
      // A failed start removes its files, which frees their space. Fill the disk again.
      fillers.push(fill(join(merkle.home, `filler-${fillers.length}`)));
      expect([args, await merkle.run(args)]).toMatchObject([
        args,
        {
          code: 1,
          stderr: expect.stringMatching(/^✗ .*(No space is left|disk may be full).* [Ff]ree some space /),
        },
      ]);
    }
    for (const filler of fillers) await rm(filler);
    expect(await merkle.run(["up", "--port", "0", "--detach"])).toMatchObject({ code: 0 });
    expect(await merkle.run(["down"])).toMatchObject({ code: 0 });
  });
});
