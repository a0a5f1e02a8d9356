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
import { cpuOfTree } from "./process-state.js";
import { type BareAppend, openBareAppend } from "./reference/bare-append.js";
import type { PrototypeAddress, PrototypeQuestion } from "./reference/prototype-process.js";

/** Everything that is measured with: one database, brokers on it, and callers, each a process of its own. */
export interface Stage {
  /** Removed at the end. A server of another user can enter it. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** What a durable append costs at least. */
  readonly bareAppend: BareAppend;
  readonly postgresVersion: string;
  /** Makes an empty database beside it, and returns its URL. */
  makeDatabase(name: string): Promise<string>;
  /** Connects as the server's superuser. */
  openAsAdmin(name: string): postgres.Sql;
  /** Processor time of the database's processes, in microseconds; NaN where it cannot be read. */
  postgresCpu(): Promise<number>;
  /** How many statements reach the database while something is done, those that begin and end transactions aside. */
  countStatements(work: () => Promise<void>): Promise<number>;
  /** Has the next change of every page be written to the log as a whole. */
  checkpoint(): Promise<void>;
  /** What the log ahead of the tables has grown to, in bytes. */
  walBytes(): Promise<number>;
  /** Starts a broker in a process of its own. Without a bus only one at a time: it is alone on its database. */
  startBroker(options?: BrokerStart): Promise<BenchBroker>;
  /** Starts bare `ws` and `node:http` in a process of their own: what a broker on them can be compared with. */
  startBare(options?: BareStart): Promise<BenchBare>;
  /** Starts the shortest way that a post could take, in a process of its own, on the same database. */
  startPrototype(): Promise<BenchPrototype>;
  load<Answer>(question: LoadQuestion): Promise<Answer>;
  stop(): Promise<void>;
}

export interface BrokerStart {
  /** Another database than the stage's own. */
  readonly databaseUrl?: string;
  /** For its own Node, such as `--expose-gc`. */
  readonly flags?: readonly string[];
  readonly heartbeatMs?: number;
  /** How it hears of others on the database, as MERKLE_BUS says it. */
  readonly bus?: string;
  /** Lets members alone in; everybody unless told. */
  readonly auth?: "invite";
  /** The object storage of archived sessions. */
  readonly archive?: BrokerOptions["archive"];
  /** Folders with files that may be worked on, by name. */
  readonly roots?: Readonly<Record<string, string>>;
}

export interface BareStart {
  readonly flags?: readonly string[];
}

/** A broker with the key of its home, by which people are verified. */
export type BenchBroker = BrokerAddress & Child & { readonly homeKey: string };
export type BenchBare = BareAddress & Child;
export type BenchPrototype = PrototypeAddress & Child;

/** As the service, the image, `npm start` and `merkle up --detach` start a broker; the prototype gets the same. */
const nodeFlags = ["--max-semi-space-size=64"];

/** @param brokerFlags - for every broker's Node, such as `--cpu-prof` */
export async function openStage(brokerFlags: readonly string[]): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-bench-"));
  // The embedded server's user must get through when this one is root: then all of the data is inside, and removed with it.
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
        // A broker's own role may make none.
        await admin.unsafe(`CREATE DATABASE ${name} OWNER ${server.connection.user}`);
        return databaseUrl.replace(/[^/]*$/, name);
      },
      openAsAdmin: (name) => connectAsAdmin(databaseUrl.replace(/[^/]*$/, name)),
      postgresCpu: () => cpuOfTree(server.pid),
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
        // They take turns on one database, whose records are signed with one key.
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
      async startPrototype() {
        const child = start("./reference/prototype-process.js", nodeFlags);
        const question: PrototypeQuestion = { start: { databaseUrl } };
        return { ...(await child.ask<PrototypeAddress>(question)), ...child };
      },
      load: (question) => callers.ask(question),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The embedded server trusts whoever reaches its socket; the broker's own role may make no checkpoint. */
function connectAsAdmin(databaseUrl: string): postgres.Sql {
  return postgres(databaseUrl, { max: 1, username: "merkle", fetch_types: false });
}

/** A statement as the server logs it, once it is done. */
const statementLine =
  / ms {2}(?:execute [^:]*|statement): (?!BEGIN|COMMIT|ROLLBACK|ALTER SYSTEM|SELECT pg_reload_conf)/g;

/** Has the server log each statement of all its connections that takes at least so many milliseconds; -1 for none. */
async function logDurations(admin: postgres.Sql, ms: "0" | "-1"): Promise<void> {
  await admin.unsafe(`ALTER SYSTEM SET log_min_duration_statement = ${ms}`);
  await admin.unsafe("SELECT pg_reload_conf()");
  // Each connection learns of it by itself, a moment later, and nothing says when.
  await delay(300);
}

const auditKeyIn = (home: string) => join(home, "audit-key.json");

/**
 * The broker reaches its own database by a socket, where there are sockets. An address cannot name one for the driver, the
 * environment, which the children inherit, can.
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
