import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";

// Each command is a process, and some of these wait for several PostgreSQL starts on a machine that has much to do.
vi.setConfig({ testTimeout: 120_000 });

async function post(
  url: string,
  path: string,
  body: object,
  teamId?: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(teamId === undefined ? {} : { "X-Team-ID": teamId }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return { ...((await response.json()) as object) };
}

/** Starts a broker with one session and two messages; returns the credential of its team. */
async function upWithSession(merkle: TestMerkle): Promise<{ url: string; teamId: string }> {
  await merkle.run(["up", "--port", "0", "--detach"]);
  const { url } = await merkle.running();
  const created = await post(url, "/sessions", { title: "Kept", creator_team_name: "Atlas" });
  const teamId = String(created["team_id"]);
  for (const text of ["one", "two"])
    await post(url, "/sessions/kept/messages", { content: { text } }, teamId);
  return { url, teamId };
}

describe("merkle backup and restore", () => {
  it("[BACKUP-1][BACKUP-2] a backup of a broker that runs fills another home, credentials included", async () => {
    const [old, fresh] = [await testMerkle(), await testMerkle()];
    const { teamId } = await upWithSession(old);
    const file = join(fresh.home, "merkle.backup");
    expect(await old.run(["backup", file])).toMatchObject({
      code: 0,
      stdout: `✓ 1 session, 2 messages in ${file}\n`,
    });
    expect((await old.run(["status"])).code).toBe(0);

    expect(await fresh.run(["restore", file])).toMatchObject({
      code: 0,
      stdout: "✓ restored 1 session, 2 messages; every client is told to resync\n",
      stderr: expect.stringContaining("copy audit-key.json here"),
    });
    expect(await fresh.run(["up", "--port", "0", "--detach"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Copy audit-key.json from the Merkle home"),
    });
    await copyFile(join(old.home, "audit-key.json"), join(fresh.home, "audit-key.json"));
    await fresh.run(["up", "--port", "0", "--detach"]);
    const { url } = await fresh.running();
    await post(url, "/sessions/kept/messages", { content: { text: "three" } }, teamId);
    expect(await fresh.run(["restore", file])).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^✗ Another broker uses/),
    });
  });

  it("[BACKUP-1] works while no broker runs, takes no file that is there, and leaves nothing running", async () => {
    const merkle = await testMerkle();
    await upWithSession(merkle);
    await merkle.run(["down"]);
    const file = join(merkle.home, "merkle.backup");
    expect(JSON.parse((await merkle.run(["backup", "merkle.backup", "--json"])).stdout)).toMatchObject({
      file,
      sessions: 1,
      messages: 2,
    });
    expect(await merkle.run(["backup", file])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("--overwrite"),
    });
    expect((await merkle.run(["backup", file, "--overwrite"])).code).toBe(0);
    expect(await merkle.run(["restore", file])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("is not empty"),
    });
    expect(await readdir(merkle.home)).not.toContain("broker.lock");
  });

  it("says so when there is nothing to back up, or no such backup, and makes nothing", async () => {
    const merkle = await testMerkle();
    expect(await merkle.run(["backup", "x.backup"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing to back up"),
    });
    expect(await merkle.run(["restore", "x.backup"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("There is no file"),
    });
    expect(await readdir(merkle.home)).not.toContain("x.backup");
  });
});
