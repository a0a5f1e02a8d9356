import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameOfRun } from "../../../../tests/kit/run-folder.js";
import { getInstalledBinaries, toProgramPath } from "./binaries.js";
import { ask, makeTestHome, readUid, startTestBroker, type TestHome } from "./test-support.js";

const run = promisify(execFile);

describe("as root", { tags: "root" }, () => {
  let home: TestHome;
  beforeEach(async () => {
    home = await makeTestHome({ mode: 0o700 });
  });
  afterEach(() => home.remove());

  it("[DB-2] runs the server as a user of its own, with its data where that user can reach it", {
    tags: "long",
  }, async () => {
    const first = await home.start();
    const uid = await readUid(first.pid);
    expect(await nameOf(uid)).toBe("merkle");
    expect(await readlink(join(home.path, "pg", "18"))).toBe(first.dataDirectory);
    const data = await stat(first.dataDirectory);
    expect({ uid: data.uid, mode: data.mode & 0o777 }).toEqual({ uid, mode: 0o700 });
    expect((await stat(first.connection.host)).mode & 0o777).toBe(0o700);
    await ask(first.connection, "CREATE TABLE kept AS SELECT 7 AS value");
    await first.stop();

    const second = await home.start();
    expect(second.dataDirectory).toBe(first.dataDirectory);
    expect(await ask(second.connection, "SELECT value FROM kept")).toEqual([{ value: 7 }]);
  });

  it("[DB-2] passes nothing of our environment on to the server", { tags: "long" }, async () => {
    process.env["MERKLE_TEST_SECRET"] = "s3cret";
    try {
      const server = await home.start();
      expect(await readFile(`/proc/${server.pid}/environ`, "utf8")).not.toContain("s3cret");
    } finally {
      delete process.env["MERKLE_TEST_SECRET"];
    }
  });

  it("[DB-2] copies binaries that the server's user cannot reach, once", { tags: "long" }, async () => {
    const hidden = join(home.path, "native");
    await cp(getInstalledBinaries(), hidden, { recursive: true, verbatimSymlinks: true });
    // Makes this PostgreSQL build unique, so that no copy of it exists yet.
    await appendFile(toProgramPath(hidden, "postgres"), randomBytes(16));
    // The permissions after an npm install under a strict umask.
    await run("chmod", ["-R", "go=", hidden]);
    const first = await home.start({ binaries: hidden });
    const program = await programOf(first.pid);
    expect(program).toMatch(/^\/var\/lib\/merkle\/binaries\/[0-9a-f]{16}\/native\/bin\/postgres$/);
    const made = (await stat(program)).ctimeMs;
    await first.stop();

    const second = await home.start({ binaries: hidden });
    expect((await stat(await programOf(second.pid))).ctimeMs).toBe(made);
    expect((await stat(program)).uid).toBe(0);
    await second.stop();
    await rm(join(program, "../../.."), { recursive: true });
  });

  it("[DB-18] as root gives nothing away by a path that the server's user, or anybody, can exchange", {
    tags: "long",
  }, async () => {
    const server = await home.start();
    const [socket, area] = [server.connection.host, dirname(server.connection.host)];
    const uid = await readUid(server.pid);
    const as = ["--reuid", String(uid), "--regid", String(uid), "--clear-groups", "sh", "-c"];
    for (const place of [socket, dirname(server.dataDirectory), server.dataDirectory]) {
      await expect(run("setpriv", [...as, `mv ${place} ${place}.aside`])).rejects.toThrow(/denied/);
    }
    // The server's user owns postmaster.pid and can change it, so root must not trust it.
    const file = join(server.dataDirectory, "postmaster.pid");
    await writeFile(file, (await readFile(file, "utf8")).replace(`\n${socket}\n`, `\n${home.path}\n`));
    const adopting = await home.start();
    expect(adopting).toMatchObject({ adopted: true, connection: { host: socket } });
    await server.stop();
    await adopting.stop();

    // Puts the folder into the state that an earlier version left, in which the server's user could then
    // change it.
    await chown(area, uid, uid);
    const victim = join(home.path, "victim");
    await mkdir(victim, { mode: 0o755 });
    await rm(socket, { recursive: true });
    await symlink(victim, socket);
    await expect(home.start()).rejects.toMatchObject({ code: "home_unreachable" });
    expect(await stat(victim)).toMatchObject({ uid: 0, mode: 0o40755 });
    expect((await stat(area)).uid).toBe(0);
    await rm(socket);
    await (await home.start()).stop();
  });

  it("[DB-18] refuses as root a home that somebody else may change, and that they then use themselves", async () => {
    await chown(home.path, 1234, 1234);
    const refused = {
      code: "home_shared",
      message: expect.stringContaining(`${home.path} belongs to another user`),
    };
    await expect(home.start()).rejects.toMatchObject(refused);
    await withUser(1234, async () => {
      const broker = startTestBroker({ home: home.path, as: 1234 });
      expect(await broker.report).toMatchObject({ adopted: false });
      await broker.kill();
    });
  });

  it("[DB-2] refuses a copied home, whose link leads to the other's database, and accepts a moved one", {
    tags: "long",
  }, async () => {
    const other = await makeTestHome({ mode: 0o700 });
    try {
      const server = await home.start();
      await server.stop();
      await cp(home.path, join(other.path, "copy"), { recursive: true, verbatimSymlinks: true });
      await expect(other.start({ home: join(other.path, "copy") })).rejects.toMatchObject({
        code: "home_copied",
        message: expect.stringContaining(home.path),
      });

      await rename(join(home.path, "pg"), join(other.path, "pg"));
      const moved = await other.start();
      expect(moved.dataDirectory).toBe(server.dataDirectory);
    } finally {
      await other.remove();
    }
  });

  it("[DB-2] says so when the server's user can no longer reach the data", async () => {
    await chmod(home.path, 0o711);
    const server = await home.start();
    await server.stop();
    await chmod(home.path, 0o700);
    await expect(home.start()).rejects.toMatchObject({
      code: "home_unreachable",
      message: expect.stringContaining('the user "merkle"'),
    });
  });
});

describe("as an ordinary user", { tags: "root" }, () => {
  let home: TestHome;
  beforeEach(async () => {
    home = await makeTestHome({ mode: 0o700 });
    await chown(home.path, 1235, 1235);
  });
  afterEach(() => home.remove());

  it("[DB-1] makes and runs the server as themselves, with everything in the home", {
    tags: "long",
  }, async () => {
    await withUser(1235, async () => {
      const broker = startTestBroker({ home: home.path, as: 1235 });
      const said = await broker.report;
      expect(said).toMatchObject({ adopted: false, dataDirectory: join(home.path, "pg", "18") });
      expect("pid" in said && (await readUid(said.pid))).toBe(1235);
      await broker.kill();
    });
  });

  it("[DB-8] copies binaries that lack their links and lie in a folder that cannot be written", async () => {
    await withUser(1235, async () => {
      const bare = await makeTestHome({ mode: 0o755 });
      try {
        const binaries = join(bare.path, "native");
        await cp(getInstalledBinaries(), binaries, { recursive: true, verbatimSymlinks: true });
        await removeLinks(join(binaries, "lib"));
        const broker = startTestBroker({ home: home.path, as: 1235, binaries });
        const said = await broker.report;
        expect(said).toMatchObject({ adopted: false });
        const program = "pid" in said ? await programOf(said.pid) : "";
        expect(program.startsWith(join(home.path, "pg", "binaries"))).toBe(true);
        await broker.kill();
      } finally {
        await bare.remove();
      }
    });
  });

  it("[DB-9] says so when the user has no name, which initdb would not take", async () => {
    const broker = startTestBroker({ home: home.path, as: 1235 });
    expect(await broker.report).toMatchObject({
      error: "user_unknown",
      message: expect.stringContaining("User id 1235 has no name"),
    });
    await broker.kill();
  });

  it("[DB-9] says so when the home belongs to somebody else", async () => {
    await chown(home.path, 0, 0);
    await chmod(home.path, 0o755);
    await withUser(1235, async () => {
      const broker = startTestBroker({ home: home.path, as: 1235 });
      expect(await broker.report).toMatchObject({
        error: "home_read_only",
        message: `This user has no permission to write to ${home.path}. Make the user that runs Merkle its owner, or set MERKLE_HOME to a folder that they own.`,
      });
      await broker.kill();
    });
  });
});

/** Creates a system user with this user id while `work` runs. */
async function withUser(uid: number, work: () => Promise<void>): Promise<void> {
  const name = `merkle-test-${uid}`;
  const mark = ["--comment", nameOfRun()];
  await run("useradd", ["--system", "--user-group", "--no-create-home", ...mark, "--uid", String(uid), name]);
  try {
    await work();
  } finally {
    // The server of a killed broker may still run as this user. It stops when the home is removed.
    await run("userdel", ["--force", name]);
  }
}

async function nameOf(uid: number): Promise<string> {
  return (await run("id", ["-un", String(uid)])).stdout.trim();
}

async function programOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/exe`);
}

async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(folder, entry.name));
  }
}
