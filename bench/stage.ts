import { chmod, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BrokerOptions } from "@merkle/broker";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@merkle/db/embedded";
import postgres from "postgres";
import type { BareAddress } from "./bare-process.js";
import type { BrokerAddress, BrokerQuestion } from "./broker-process.js";
import { type Child, startChild } from "./child.js";
import type { LoadQuestion } from "./load-process.js";
import { readTreeCpu } from "./process-state.js";
import { type BareAppend, openBareAppend } from "./reference/bare-append.js";
import type { PostServerAddress, PostServerQuestion } from "./reference/post-server.js";

/** The environment of the measurements: a database, and separate processes for brokers and for callers. */
export interface Stage {
  /** A folder that is deleted at the end. A database server that runs as another user can enter the folder. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The minimum cost of a durable append. */
  readonly bareAppend: BareAppend;
  readonly postgresVersion: string;
  /** Creates an empty database on the same server, and returns its URL. */
  makeDatabase(name: string): Promise<string>;
  /** Connects to a database as the server's superuser. */
  openAsAdmin(name: string): postgres.Sql;
  /** Returns the CPU time of the database server's processes, in microseconds. NaN if it cannot be read. */
  postgresCpu(): Promise<number>;
  /** Returns how many statements reach the database during the work, without those that begin or end a transaction. */
  countStatements(work: () => Promise<void>): Promise<number>;
  /** Runs a checkpoint, so that the next change of every page writes the full page to the log. */
  checkpoint(): Promise<void>;
  /** Returns the size of the write-ahead log, in bytes. */
  walBytes(): Promise<number>;
  /**
   * Starts a broker in a separate process. Without a bus, only one broker may run at a time, because it must be the
   * only one on its database.
   */
  startBroker(options?: BrokerStart): Promise<BenchBroker>;
  /** Starts bare `ws` and `node:http` in a separate process, for comparison with the broker. */
  startBare(options?: BareStart): Promise<BenchBare>;
  /** Starts a reference server in a separate process. It stores messages in the stage's database or folder. */
  startReference(name: ReferenceName): Promise<BenchReference>;
  load<Answer>(question: LoadQuestion): Promise<Answer>;
  stop(): Promise<void>;
}

export interface BrokerStart {
  /** Default: the stage's own database. */
  readonly databaseUrl?: string;
  /** Flags for the broker's Node, such as `--expose-gc`. */
  readonly flags?: readonly string[];
  readonly heartbeatMs?: number;
  /** The bus to other brokers on the same database, in the format of MERKLE_BUS. */
  readonly bus?: string;
  /** With `invite`, the broker admits only members (default: everyone). */
  readonly auth?: "invite";
  /** The object storage for archived sessions. */
  readonly archive?: BrokerOptions["archive"];
  /** Folders with files that agents may work on, by name. */
  readonly roots?: Readonly<Record<string, string>>;
}

export interface BareStart {
  readonly flags?: readonly string[];
}

/** A broker, and its home key, which is needed to verify people. */
export type BenchBroker = BrokerAddress & Child & { readonly homeKey: string };
export type BenchBare = BareAddress & Child;
export type BenchReference = PostServerAddress & Child;

/** The servers in `reference/` that people might use instead of the broker. */
export type ReferenceName = "relay" | "queue" | "mailbox";

/**
 * The flags with which the service, the image, `npm start` and `merkle up --detach` start a broker. Reference
 * servers get the same flags.
 */
const nodeFlags = ["--max-semi-space-size=64"];

/** @param brokerFlags - flags for every broker's Node, such as `--cpu-prof` */
export async function openStage(brokerFlags: readonly string[]): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-bench-"));
  // If this process runs as root, the user of the embedded server must be able to enter this folder. All data is in the
  // folder, and is deleted with it.
  await chmod(folder, 0o711);
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const start = (file: string, flags: readonly string[] = []): Child => {
    const child = startChild(file, flags);
    stops.push(child.stop);
    return child;
  };
  try {
    const home = join(folder, "database");
    await mkdir(home, { mode: 0o711 });
    const server = await startEmbeddedPostgres({ home });
    stops.push(() => server.stop());
    const databaseUrl = reachAsByDefault(server);
    const bareAppend = await openBareAppend(databaseUrl);
    stops.push(bareAppend.close);
    const admin = connectAsAdmin(databaseUrl);
    stops.push(() => admin.end());
    const callers = start("./load-process.js");
    let brokers = 0;
    return {
      folder,
      databaseUrl,
      bareAppend,
      postgresVersion: await bareAppend.serverVersion(),
      async makeDatabase(name) {
        // The broker's own role may not create databases.
        await admin.unsafe(`CREATE DATABASE ${name} OWNER ${server.connection.user}`);
        return databaseUrl.replace(/[^/]*$/, name);
      },
      openAsAdmin: (name) => connectAsAdmin(databaseUrl.replace(/[^/]*$/, name)),
      postgresCpu: () => readTreeCpu(server.pid),
      async countStatements(work) {
        const log = join(folder, "database", "logs", "postgres.log");
        await logDurations(admin, "0");
        const before = (await readFile(log, "utf8")).length;
        await work();
        await logDurations(admin, "-1");
        const logged = (await readFile(log, "utf8")).slice(before);
        return [...logged.matchAll(statementLine)].length;
      },
      async checkpoint() {
        await admin`CHECKPOINT`;
      },
      async walBytes() {
        const [row] = await admin`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text AS bytes`;
        return Number(row?.["bytes"]);
      },
      async startBroker({ flags = [], ...options } = {}) {
        brokers += 1;
        const home = join(folder, `broker-${brokers}`);
        await mkdir(home);
        // The brokers use one database in turn, so all of them must sign its records with the same key.
        if (brokers > 1) await cp(auditKeyIn(join(folder, "broker-1")), auditKeyIn(home));
        const child = start("./broker-process.js", [...nodeFlags, ...brokerFlags, ...flags]);
        const question: BrokerQuestion = { start: { home, databaseUrl, bus: "local", ...options } };
        const address = await child.ask<BrokerAddress>(question);
        return { ...address, ...child, homeKey: await readFile(join(home, "home-key"), "utf8") };
      },
      async startBare({ flags = [] } = {}) {
        const child = start("./bare-process.js", flags);
        return { ...(await child.ask<BareAddress>({ address: true })), ...child };
      },
      async startReference(name) {
        const child = start(`./reference/${name}-process.js`, nodeFlags);
        const question: PostServerQuestion = { start: { databaseUrl, folder } };
        return { ...(await child.ask<PostServerAddress>(question)), ...child };
      },
      load: (question) => callers.ask(question),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Connects as the superuser, because the broker's role may not run checkpoints. The embedded server trusts all
 * connections on its socket.
 */
function connectAsAdmin(databaseUrl: string): postgres.Sql {
  return postgres(databaseUrl, { max: 1, username: "merkle", fetch_types: false });
}

/** Matches a statement that the server logs once it is done. */
const statementLine =
  / ms {2}(?:execute [^:]*|statement): (?!BEGIN|COMMIT|ROLLBACK|ALTER SYSTEM|SELECT pg_reload_conf)/g;

/** Makes the server log each statement that takes at least this many milliseconds. -1 disables the log. */
async function logDurations(admin: postgres.Sql, ms: "0" | "-1"): Promise<void> {
  await admin.unsafe(`ALTER SYSTEM SET log_min_duration_statement = ${ms}`);
  await admin.unsafe("SELECT pg_reload_conf()");
  // Each connection applies the new setting a moment later, without reporting it.
  await delay(300);
}

const auditKeyIn = (home: string) => join(home, "audit-key.json");

/**
 * Lets the broker connect to its own database over a Unix socket, if there is one. The driver accepts a socket only
 * from an environment variable, not in a URL. Child processes inherit the variable.
 */
function reachAsByDefault({ url, connection }: EmbeddedPostgres): string {
  if (!connection.host.startsWith("/")) return url;
  Object.assign(process.env, {
    PGHOST: connection.host,
    PGPORT: String(connection.port),
    PGUSER: connection.user,
  });
  return `postgres:///${connection.database}`;
}
