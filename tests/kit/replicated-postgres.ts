import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { listMajors } from "@merkle/db/embedded";
import postgres from "postgres";
import { inject } from "vitest";
import { isAlive } from "../../packages/db/src/embedded/postmaster-file.js";
import { copyData, makeTestHome } from "../../packages/db/src/embedded/test-support.js";
import type { Cleanup } from "./test-database.js";

/** A PostgreSQL server and its streaming replica. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string;
  /** Connects as a user with only read access. */
  readonly replicaUrl: string;
  /** Superuser connections. */
  readonly primary: postgres.Sql;
  readonly replica: postgres.Sql;
  /** Kills the replica as a crash would. */
  kill(): Promise<void>;
  /** Starts the replica again on its port. Resolves when it accepts queries. */
  start(): Promise<void>;
  /** Suspends all processes of the replica until the returned function is called. */
  freeze(): Promise<() => void>;
}

const everybodyHere = `
local all all trust
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`;

const asFastAsItGoes = {
  fsync: "off",
  shared_buffers: "32MB",
  wal_retrieve_retry_interval: "50ms",
  // A replica must allow at least as many connections as its primary.
  max_connections: "100",
};

/** Starts a primary and a replica on copies of a migrated, empty database. Both are stopped and removed at the end. */
export async function startReplicatedPostgres(cleanup: Cleanup): Promise<ReplicatedPostgres> {
  const home = await makeTestHome();
  cleanup(home.remove);
  copyData(inject("preparedHome"), home.path);
  // The prepared home allows connections only through a socket.
  for (const major of await listMajors(home.path))
    await writeFile(join(home.path, "pg", String(major), "pg_hba.conf"), everybodyHere);
  const server = await home.start({ reach: "tcp" });
  const at = (port: number, user: string) => `postgres://${user}@127.0.0.1:${port}/merkle`;
  const primaryPort = server.connection.port;
  const primary = connect(at(primaryPort, "merkle"), cleanup);
  await primary.unsafe("CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader");

  const folder = await mkdtemp(join(tmpdir(), "merkle-replica-"));
  await chmod(folder, 0o711);
  cleanup(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  await copyRunning(primary, server.dataDirectory, data);
  const port = await findFreePort();
  const replica = connect(at(port, "merkle"), cleanup);
  const { uid, gid } = await stat(data);
  const [bin] = await primary`SELECT setting FROM pg_config() WHERE name = 'BINDIR'`;
  const settings = {
    ...asFastAsItGoes,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: String(port),
    primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=merkle`,
  };
  let end = async (_signal: NodeJS.Signals) => {};
  let postmaster = 0;

  async function start(): Promise<void> {
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(String(bin?.["setting"]), "postgres"), ["-D", data, ...args], {
      cwd: data,
      env: { LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
      ...(process.getuid?.() === 0 && { uid, gid }),
    });
    postmaster = child.pid ?? 0;
    const exited = once(child, "exit");
    end = async (signal) => {
      child.kill(signal);
      await exited;
    };
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes("ready to accept read-only connections")) break;
    }
    if (child.exitCode !== null) throw new Error(`The replica ended:\n${lines.join("\n")}`);
    child.stderr.resume();
  }

  await start();
  cleanup(() => end("SIGQUIT"));
  return {
    primaryUrl: at(primaryPort, "merkle_broker"),
    replicaUrl: at(port, "reader"),
    primary,
    replica,
    kill: () => end("SIGQUIT"),
    start,
    async freeze() {
      const pids = await replica<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
      const signal = (name: NodeJS.Signals) => {
        for (const pid of [postmaster, ...pids.map((each) => each.pid)]) {
          // A backend whose client has disconnected exits as soon as it is resumed.
          if (isAlive(pid)) process.kill(pid, name);
        }
      };
      signal("SIGSTOP");
      return () => signal("SIGCONT");
    },
  };
}

function connect(url: string, cleanup: Cleanup): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection: { application_name: "test" } });
  cleanup(() => sql.end({ timeout: 1 }));
  return sql;
}

/** Copies the data of a running server, and makes the copy follow that server. */
async function copyRunning(server: postgres.Sql, from: string, to: string): Promise<void> {
  await server`SELECT pg_backup_start('replica', fast => true)`;
  // `-a` preserves the owner, who must be the server's user.
  await promisify(execFile)("cp", ["-a", from, to]);
  const [backup] = await server`SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)`;
  await rm(join(to, "postmaster.pid"), { force: true });
  const { uid, gid } = await stat(to);
  for (const [name, text] of Object.entries({ backup_label: backup?.["labelfile"], "standby.signal": "" })) {
    await writeFile(join(to, name), String(text));
    await chown(join(to, name), uid, gid);
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  server.close();
  await once(server, "close");
  return port;
}
