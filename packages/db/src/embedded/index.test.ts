import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import type { PostgresConnection } from "./endpoint.js";
import { isServerRunning, type PostmasterFile, readPostmasterFile } from "./postmaster-file.js";
import {
  ask,
  copyData,
  findOldestBinaries,
  makeTestHome,
  startTestBroker,
  type TestHome,
  waitForPidExit,
} from "./test-support.js";

const postgres15 = findOldestBinaries();

let home: TestHome;
beforeEach(async () => {
  home = await makeTestHome();
});
afterEach(() => home.remove());

/**
 * Prepares each test's home with data from an earlier first start, for tests that are not about creating the
 * data.
 */
function withData(): void {
  beforeEach(() => copyData(inject("preparedHome"), home.path));
}

describe("the embedded server", () => {
  withData();

  it("[DB-1] keeps its data in pg/<major>/ over a restart, with fsync and checksums, and no port", async () => {
    const first = await home.start();
    expect(first.dataDirectory).toBe(join(home.path, "pg", String(first.major)));
    expect(first.wasAdopted).toBe(false);
    const [settings] = await ask(
      first.connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
        current_setting('listen_addresses') AS addresses, current_setting('server_encoding') AS encoding,
        current_setting('synchronous_commit') AS commit, (SELECT datcollate FROM pg_database WHERE datname = 'merkle') AS collate`,
    );
    expect(settings).toEqual({
      fsync: "on",
      checksums: "on",
      addresses: "",
      encoding: "UTF8",
      commit: "on",
      collate: "C",
    });
    await ask(first.connection, "CREATE TABLE kept AS SELECT 'ü' AS value");
    await first.stop();
    await first.stop();

    const second = await home.start();
    expect(second.wasAdopted).toBe(false);
    expect(await ask(second.connection, "SELECT upper(value) AS value FROM kept")).toEqual([{ value: "Ü" }]);
    expect((await stat(second.connection.host)).mode & 0o777).toBe(0o700);
  });

  it("[DB-1] puts a full log aside when it starts", async () => {
    await mkdir(join(home.path, "logs"));
    await writeFile(join(home.path, "logs", "postgres.log"), Buffer.alloc(11 * 1024 * 1024));
    await home.start();
    expect((await readdir(join(home.path, "logs"))).sort()).toEqual(["postgres.log", "postgres.log.1"]);
    expect(await readFile(join(home.path, "logs", "postgres.log"), "utf8")).toContain("ready to accept");
  });

  it("[DB-14] runs another major beside this one in the same home", { tags: "postgres15" }, async () => {
    const older = await home.start({ binaries: postgres15 ?? "", ignoreOlderMajor: true });
    const current = await home.start({ ignoreOlderMajor: true });
    expect([older.major, current.major]).toEqual([15, 18]);
    const versions = await Promise.all(
      [older, current].map((server) =>
        ask(server.connection, "SELECT current_setting('server_version_num') AS v"),
      ),
    );
    expect(versions.map(([row]) => String(row?.["v"]).slice(0, 2))).toEqual(["15", "18"]);
  });
});

describe("a server that runs already", () => {
  withData();

  it("[DB-19] is worked with by a role that reads no files and runs no programs, also on what an earlier version made", async () => {
    const first = await home.start();
    const admin = { ...first.connection, user: "merkle" };
    await ask(
      admin,
      `CREATE SCHEMA more; CREATE TYPE kind AS ENUM ('a'); CREATE TYPE pair AS (a int, b kind);
       CREATE TABLE more.kept (id serial, at int GENERATED ALWAYS AS IDENTITY, kind kind); CREATE SEQUENCE loose; CREATE VIEW seen AS SELECT 1 AS one;
       CREATE FUNCTION count_kept(pair) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM more.kept'`,
    );
    await first.stop();
    const { connection } = await home.start();
    for (const statement of [
      "INSERT INTO more.kept (kind) VALUES ('a')",
      "ALTER TABLE more.kept ADD COLUMN later text",
      "ALTER TYPE kind ADD VALUE 'b'",
      "DROP FUNCTION count_kept(pair); DROP VIEW seen; DROP SEQUENCE loose; DROP TYPE pair",
      "DROP SCHEMA more CASCADE; DROP TYPE kind",
    ])
      await ask(connection, statement);
    for (const statement of [
      "COPY (SELECT 1) TO PROGRAM 'true'",
      "SELECT pg_read_file('PG_VERSION')",
      "CREATE ROLE other SUPERUSER",
      "SET ROLE merkle",
      "ALTER SYSTEM SET fsync = off",
    ])
      await expect(ask(connection, statement), statement).rejects.toMatchObject({ code: "42501" });
  });

  it("[DB-3] is adopted when its broker was killed, with what was committed", async () => {
    const broker = startTestBroker({ home: home.path });
    const said = await broker.report;
    await broker.kill();

    const server = await home.start();
    expect({ pid: server.pid, adopted: server.wasAdopted }).toEqual({
      pid: "pid" in said && said.pid,
      adopted: true,
    });
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await server.stop();
    expect(await readdir(server.dataDirectory)).not.toContain("postmaster.pid");
  });

  it("[DB-3] is waited for while it shuts down, and started anew", async () => {
    const first = await home.start();
    const stopping = first.stop();
    const second = await home.start();
    await stopping;
    expect(second.pid).not.toBe(first.pid);
    expect(await ask(second.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("[DB-3] is not taken for alive by a number that belongs to another process now", async () => {
    const first = await home.start();
    const lines = (await readFile(join(first.dataDirectory, "postmaster.pid"), "utf8")).split("\n");
    await first.stop();
    lines[0] = String(process.pid);
    await writeFile(join(first.dataDirectory, "postmaster.pid"), lines.join("\n"));

    const second = await home.start();
    expect(second.wasAdopted).toBe(false);
  });

  it("[DB-3] is restarted when it holds the data and its socket is lost", async () => {
    const broker = startTestBroker({ home: home.path });
    const said = await broker.report;
    await broker.kill();
    await rm(join(home.path, "run"), { recursive: true });

    const server = await home.start();
    expect(server.wasAdopted).toBe(false);
    expect(server.pid).not.toBe("pid" in said && said.pid);
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});

describe("a server that dies", () => {
  withData();

  it("[DB-4] is started again at the same address, and open connections recover", async () => {
    const reasons: string[] = [];
    let runsAgain = () => {};
    const restarted = new Promise<void>((resolve) => {
      runsAgain = resolve;
    });
    const server = await home.start({
      onDown: (reason) => reasons.push(reason),
      log: (line) => line.includes("runs again") && runsAgain(),
    });
    const sql = postgres({ ...server.connection, max: 1, backoff: () => 0.02, onnotice: () => {} });
    await sql`CREATE TABLE kept AS SELECT 42 AS value`;
    const { pid, connection } = server;
    process.kill(pid, "SIGKILL");
    // Before the restart, a backend that has not noticed the crash yet may still reply.
    await restarted;

    expect(await untilAnswered(() => sql`SELECT value FROM kept`)).toEqual([{ value: 42 }]);
    await sql.end();
    expect(server.pid).not.toBe(pid);
    expect(server.connection).toEqual(connection);
    expect(reasons).toHaveLength(1);
  });

  it("[DB-4] may die again while it is looked at, at a start and whenever it comes back, and is started again by the same process", async () => {
    const earlier = startTestBroker({ home: home.path });
    const found = await earlier.report;
    await earlier.kill();
    const connection = await connectionIn(home.path);
    // Holds a lock that the next start's probe must wait for. The probe changes the server in a transaction.
    const holder = postgres({ ...connection, user: "merkle", max: 1, onnotice: () => {} });
    await holder`SELECT pg_advisory_lock(7423001)`;
    const broker = startTestBroker({ home: home.path });
    onTestFinished(() => broker.kill());
    await expect
      .poll(
        () =>
          holder`SELECT FROM pg_stat_activity WHERE application_name = 'merkle start' AND wait_event = 'advisory'`,
      )
      .toHaveLength(1);
    const killed = new Set<number>();
    const killNext = async () => {
      let file: PostmasterFile | undefined;
      const isNext = async () => {
        file = await readPostmasterFile(join(home.path, "pg", "18"));
        return file?.status === "ready" && isServerRunning(file.pid) && !killed.has(file.pid);
      };
      await expect.poll(isNext, { interval: 0, timeout: 30_000 }).toBe(true);
      killed.add(file?.pid ?? 0);
      process.kill(file?.pid ?? 0, "SIGKILL");
    };
    for (let time = 0; time < 3; time += 1) await killNext();
    await holder.end({ timeout: 0 }).catch(() => undefined);

    const said = await broker.report;
    expect(said).toMatchObject({
      adopted: false,
      dataDirectory: "dataDirectory" in found && found.dataDirectory,
    });
    expect(killed).toContain("pid" in found && found.pid);
    for (let time = 0; time < 3; time += 1) await killNext();
    expect(await untilAnswered(() => ask(connection, "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
    expect(broker.process.exitCode).toBeNull();
    await broker.kill();
    await home.start();
  });

  it("[DB-4] is started again when it had been adopted", { tags: "long" }, async () => {
    const broker = startTestBroker({ home: home.path });
    await broker.report;
    await broker.kill();
    const server = await home.start();
    const { pid } = server;
    process.kill(pid, "SIGKILL");
    await waitForPidExit(pid);

    expect(await untilAnswered(() => ask(server.connection, "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
    // The server replies shortly before `pid` is updated.
    await expect.poll(() => server.pid).not.toBe(pid);
  });

  it("[DB-4] waits for the backends of a killed postmaster that still hold its memory", {
    tags: "long",
  }, async () => {
    const server = await home.start();
    const sql = postgres({ ...server.connection, max: 1, onnotice: () => {} });
    await sql`SET statement_timeout = '1s'`;
    const busy = sql`SELECT count(*) FROM generate_series(1, 1000000000)`.catch(() => {});
    await untilTrue(
      server.connection,
      "SELECT count(*) > 0 AS yes FROM pg_stat_activity WHERE query LIKE '%generate_series(1, 1%' AND pid <> pg_backend_pid()",
    );
    process.kill(server.pid, "SIGKILL");

    expect(await untilAnswered(() => ask(server.connection, "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
    await busy;
    await sql.end({ timeout: 1 });
  });

  it("[DB-4] leaves nothing running when it is stopped in the middle of a restart", async () => {
    const stopped = new Promise<void>((resolve, reject) => {
      const starting = home.start({
        onDown: () => void starting.then((it) => it.stop()).then(resolve, reject),
      });
      starting.then((server) => process.kill(server.pid, "SIGKILL"), reject);
    });
    await stopped;
    const left = await readPostmasterFile(join(home.path, "pg", "18"));
    expect(left === undefined || !isServerRunning(left.pid)).toBe(true);
  });
});

describe("the first start", () => {
  it("[DB-1] is reached by a port on 127.0.0.1 with a password where there are no sockets", {
    tags: "long",
  }, async () => {
    const server = await home.start({ reach: "tcp" });
    expect(server.connection.host).toBe("127.0.0.1");
    const password = join(home.path, "pg", "password");
    expect((await stat(password)).mode & 0o777).toBe(0o600);
    expect(await ask(server.connection, "SELECT current_user")).toEqual([{ current_user: "merkle_broker" }]);
    expect(await ask({ ...server.connection, user: "merkle" }, "SHOW unix_socket_directories")).toEqual([
      { unix_socket_directories: "" },
    ]);
    await expect(ask({ ...server.connection, password: "wrong" }, "SELECT 1")).rejects.toMatchObject({
      code: "28P01",
    });
    await server.stop();

    await writeFile(password, "lost");
    await expect(home.start({ reach: "tcp" })).rejects.toMatchObject({ code: "data_damaged" });
  });

  it("[DB-3] is shared by two that start at the same moment", { tags: "long" }, async () => {
    const [one, two] = await Promise.all([home.start(), home.start()]);
    expect(one.pid).toBe(two.pid);
    expect([one.wasAdopted, two.wasAdopted].filter(Boolean)).toHaveLength(1);
    await Promise.all([one.stop(), two.stop()]);
  });

  it("[DB-6] works after one that was killed inside initdb, whose remains are removed", {
    tags: "long",
  }, async () => {
    const broker = startTestBroker({ home: home.path });
    broker.report.catch(() => {});
    const unfinished = await untilEntry(join(home.path, "pg"), (name) => name.startsWith(".new-"));
    await broker.kill();
    expect(unfinished).toMatch(/^\.new-/);

    const server = await home.start();
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(await readdir(join(home.path, "pg"))).toEqual([String(server.major)]);
  });

  it("[DB-6] refuses a data folder that is not a database, and leaves it as it is", async () => {
    copyData(inject("preparedHome"), home.path);
    const server = await home.start();
    await server.stop();
    await rm(join(server.dataDirectory, "PG_VERSION"));
    const before = await readdir(server.dataDirectory);
    await expect(home.start()).rejects.toMatchObject({
      code: "data_damaged",
      message: expect.stringContaining("is not a PostgreSQL database"),
    });
    expect(await readdir(server.dataDirectory)).toEqual(before);
  });
});

describe("the socket", () => {
  it("[DB-7] gets a private folder with a short path when the home's is too long", {
    tags: "long",
  }, async () => {
    const long = await makeTestHome({ below: `${"long-".repeat(20)}${randomBytes(4).toString("hex")}` });
    try {
      const server = await long.start();
      const { host, port } = server.connection;
      expect(Buffer.byteLength(join(host, `.s.PGSQL.${port}`))).toBeLessThanOrEqual(103);
      expect(host.startsWith(long.path)).toBe(false);
      expect((await stat(host)).mode & 0o777).toBe(0o700);
      expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await server.stop();
      // Root's data is in a folder below /var/lib/merkle, which cannot be found from the home's path.
      await rm(host, { recursive: true });
      if (process.getuid?.() === 0) await rmdir(dirname(host));
    } finally {
      await long.remove();
    }
  });

  it("[DB-7] works with a comma, a quote and a space in the home's name", async () => {
    const odd = await makeTestHome({ below: `o"d,d 'home` });
    try {
      expect(await ask((await odd.start()).connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    } finally {
      await odd.remove();
    }
  });
});

/** Retries until the server replies again, as every client does. */
async function untilAnswered<T>(question: () => PromiseLike<T>): Promise<T> {
  while (true) {
    try {
      return await question();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function untilTrue(connection: Parameters<typeof ask>[0], query: string): Promise<void> {
  while (!(await ask(connection, query))[0]?.["yes"]) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function untilEntry(folder: string, wanted: (name: string) => boolean): Promise<string> {
  while (true) {
    const found = (await readdir(folder).catch(() => [])).find(wanted);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Returns the address of a server that another process started for this home. */
async function connectionIn(home: string): Promise<PostgresConnection> {
  const { socketFolder = "", port = 0 } = (await readPostmasterFile(join(home, "pg", "18"))) ?? {};
  return { host: socketFolder, port, user: "merkle_broker", database: "merkle" };
}
