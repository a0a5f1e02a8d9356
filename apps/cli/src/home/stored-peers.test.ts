import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import {
  deleteStoredPeer,
  findStoredPeer,
  listStoredPeers,
  lockStoredPeer,
  type StoredPeer,
  saveStoredPeer,
} from "./stored-peers.js";

async function testHome(): Promise<string> {
  const { path, remove } = await makeTestHome();
  onTestFinished(remove);
  return path;
}

function createStoredPeer(fields: Partial<StoredPeer> = {}): StoredPeer {
  const team_id = fields.team_id ?? randomUUID();
  return {
    mesh_id: "0b6f2f7e-0000-4000-8000-000000000001",
    session_id: "0b6f2f7e-0000-4000-8000-000000000002",
    slug: "a-session",
    team_id,
    team_name: "Atlas",
    peer_id: null,
    peer_name: null,
    role: null,
    groups: [],
    session_key: null,
    credential: `${team_id}.mk_${"s".repeat(43)}`,
    claude_session_id: null,
    folder: null,
    saved_at: new Date().toISOString(),
    ...fields,
  };
}

const { mesh_id: meshId } = createStoredPeer();

/**
 * Starts a process that tries to lock a team when it receives input, prints the result, and keeps the lock
 * until it is killed.
 */
function startHolder(home: string, teamId: string) {
  const code = `
    const { lockStoredPeer } = await import(${JSON.stringify(new URL("../../dist/home/stored-peers.js", import.meta.url).href)});
    process.stdout.write("ready\\n");
    process.stdin.once("data", async () => {
      const hold = await lockStoredPeer(${JSON.stringify(home)}, ${JSON.stringify(teamId)});
      process.stdout.write(hold ? "holds\\n" : "refused\\n");
    });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"))
      await once(child, "exit");
  };
  onTestFinished(kill);
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const matchMessage = (pattern: RegExp) => expect.poll(() => said).toMatch(pattern);
  return {
    ready: () => matchMessage(/ready/),
    async tryToHold(): Promise<boolean> {
      child.stdin.write("now\n");
      await matchMessage(/holds|refused/);
      return said.includes("holds");
    },
    kill,
  };
}

describe("held teams", () => {
  it("[LAUNCH-5] are kept for this user alone, in files that are there whole or not at all", async () => {
    const home = await testHome();
    const team = createStoredPeer();
    // Processes that write and read a team at the same time must see only complete files.
    const writing = Promise.all(Array.from({ length: 20 }, () => saveStoredPeer(home, team)));
    for (let reads = 0; reads < 20; reads += 1) {
      expect([[], [team]]).toContainEqual(await listStoredPeers(home, meshId));
    }
    await writing;
    expect(await listStoredPeers(home, meshId)).toEqual([team]);
    expect(await readdir(join(home, "teams"))).toEqual([`${team.team_id}.json`]);
    expect((await stat(join(home, "teams"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, "teams", `${team.team_id}.json`))).mode & 0o777).toBe(0o600);
  });

  it("[LAUNCH-5] come with the last saved first, of the asked mesh alone, until they are forgotten", async () => {
    const home = await testHome();
    const old = createStoredPeer({ saved_at: "2026-01-01T00:00:00.000Z" });
    const recent = createStoredPeer({ saved_at: "2026-02-01T00:00:00.000Z" });
    const foreign = createStoredPeer({ mesh_id: randomUUID() });
    for (const each of [old, recent, foreign]) await saveStoredPeer(home, each);
    expect(await listStoredPeers(home, meshId)).toEqual([recent, old]);
    await deleteStoredPeer(home, recent.team_id);
    await deleteStoredPeer(home, recent.team_id);
    expect(await listStoredPeers(home, meshId)).toEqual([old]);
  });

  it("[LAUNCH-5] are each in a file of its own; a team that was kept before there were peers is one", async () => {
    const home = await testHome();
    const own = createStoredPeer();
    const peer = createStoredPeer({
      team_id: own.team_id,
      peer_id: randomUUID(),
      peer_name: "atlas",
      role: "lead",
    });
    for (const each of [own, peer]) await saveStoredPeer(home, each);
    expect((await readdir(join(home, "teams"))).sort()).toEqual(
      [`${own.team_id}.json`, `${peer.peer_id}.json`].sort(),
    );
    expect(await findStoredPeer(home, peer.peer_id ?? "")).toEqual(peer);
    const { peer_id, peer_name, role, groups, session_key, ...old } = own;
    await writeFile(join(home, "teams", `${own.team_id}.json`), JSON.stringify(old));
    expect(await findStoredPeer(home, own.team_id)).toEqual({
      ...old,
      ...{ peer_id, peer_name, role, groups, session_key },
    });
  });

  it("[LAUNCH-5] are not mistaken for other files in their folder", async () => {
    const home = await testHome();
    expect(await listStoredPeers(home, meshId)).toEqual([]);
    const folder = join(home, "teams");
    await mkdir(folder);
    const other = randomUUID();
    await writeFile(join(folder, "README.md"), "not a team");
    await writeFile(join(folder, `${randomUUID()}.json`), "not JSON");
    await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify({ mesh_id: meshId }));
    await writeFile(join(folder, `${other}.json`), JSON.stringify(createStoredPeer()));
    await mkdir(join(folder, `${randomUUID()}.json`));
    expect(await listStoredPeers(home, meshId)).toEqual([]);
    expect(await readFile(join(folder, `${other}.json`), "utf8")).toContain("Atlas");
  });
});

describe("the hold on a team", () => {
  it("[LAUNCH-5] is of one live process, and free again when that releases it", async () => {
    const home = await testHome();
    const teamId = randomUUID();
    const hold = await lockStoredPeer(home, teamId);
    expect(hold).not.toBeNull();
    expect(await lockStoredPeer(home, teamId)).toBeNull();
    const other = startHolder(home, teamId);
    await other.ready();
    expect(await other.tryToHold()).toBe(false);

    await hold?.release();
    const next = await lockStoredPeer(home, teamId);
    expect(next).not.toBeNull();
    // Releasing a lock twice must not release the next owner's lock.
    await hold?.release();
    expect(await lockStoredPeer(home, teamId)).toBeNull();
    await next?.release();
    expect(await readdir(join(home, "teams"))).toEqual([]);
  });

  it("[LAUNCH-5] ends with its process, and of those who race for it exactly one gets it", async () => {
    const home = await testHome();
    const teamId = randomUUID();
    const dead = startHolder(home, teamId);
    await dead.ready();
    expect(await dead.tryToHold()).toBe(true);
    expect(await lockStoredPeer(home, teamId)).toBeNull();
    await dead.kill();

    const racers = Array.from({ length: 4 }, () => startHolder(home, teamId));
    await Promise.all(racers.map((each) => each.ready()));
    const outcomes = await Promise.all([
      ...racers.map((each) => each.tryToHold()),
      ...Array.from({ length: 4 }, () => lockStoredPeer(home, teamId).then((hold) => hold !== null)),
    ]);
    expect(outcomes.filter((holds) => holds)).toHaveLength(1);
    expect(await readdir(join(home, "teams"))).toEqual([`${teamId}.lock`]);
  });

  it("[LAUNCH-5] lives on with a child that it was extended to", async () => {
    const home = await testHome();
    const teamId = randomUUID();
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const hold = await lockStoredPeer(home, teamId);
    await hold?.include(child.pid ?? 0);
    // Remove the first process from the lock file, as if it had been killed.
    const path = join(home, "teams", `${teamId}.lock`);
    const lock = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...lock, holders: lock.holders.slice(1) }));
    expect(await lockStoredPeer(home, teamId)).toBeNull();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await lockStoredPeer(home, teamId)).not.toBeNull();
  });

  it("[LAUNCH-5] is not kept from anybody by a damaged file", async () => {
    const home = await testHome();
    const teamId = randomUUID();
    await mkdir(join(home, "teams"));
    await writeFile(join(home, "teams", `${teamId}.lock`), "");
    expect(await lockStoredPeer(home, teamId)).not.toBeNull();
    expect(await lockStoredPeer(home, teamId)).toBeNull();
  });
});
