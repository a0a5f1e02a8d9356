import { constants } from "node:fs";
import { access, mkdir, realpath } from "node:fs/promises";
import { isPosix } from "../files/platform.js";
import { getInstalledBinaries, prepareBinaries, prepareUserBinaries } from "./binaries.js";
import { ensureCluster } from "./cluster.js";
import { type Endpoint, makeEndpoint, type PostgresConnection, toConnection, toUrl } from "./endpoint.js";
import { explainPathErrors } from "./error.js";
import type { Cluster } from "./launch.js";
import { requireOwnMajor } from "./majors.js";
import { resolveServerPaths, toBinaryCopiesPath } from "./place.js";
import { obtainPostmaster } from "./postmaster.js";
import { supervise } from "./supervisor.js";

export { getInstalledBinaries } from "./binaries.js";
export { BROKER_ROLE } from "./endpoint.js";
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode, explainPathErrors } from "./error.js";
export { type HomeLock, lockHome } from "./home-lock.js";
export { listMajors, markMove, readMajor } from "./majors.js";
export { findOutsideData, type OutsideData, removeOutsideData, stopOrphanedServers } from "./outside-data.js";

export interface EmbeddedPostgresOptions {
  /** Absolute path of the Merkle home. Created with mode 0700 if it does not exist. */
  home: string;
  /** Receives log lines for people. Default: no log. */
  log?: (line: string) => void;
  /** Folder that contains another PostgreSQL's `bin/`. Default: the folder in the installed npm package. */
  binaries?: string;
  /**
   * How clients connect. Default: over a socket, or on Windows through a port on 127.0.0.1 with a password.
   */
  reach?: "socket" | "tcp";
  /** Maximum number of connections. The default, 100, is enough for one broker and for manual inspection. */
  connectionsMax?: number;
  /**
   * True to create new data even though the home has data from an older major version. By default this is
   * refused, because all data would seem to be lost.
   */
  ignoreOlderMajor?: boolean;
  /** Called after the server has died unexpectedly, while it is being restarted. */
  onDown?: (reason: string) => void;
}

export interface EmbeddedPostgres {
  /** The server's address, for people and psql. */
  readonly url: string;
  /** Connection options for the `postgres` package. They stay the same when the server restarts. */
  readonly connection: PostgresConnection;
  readonly major: number;
  readonly dataDirectory: string;
  /** Process id of the current server. It changes after a restart. */
  readonly pid: number;
  /** True if the server was already running, because the broker that started it was killed. */
  readonly wasAdopted: boolean;
  /**
   * Stops the server without waiting for its clients. Resolves once the server has exited and all data is on
   * disk. May be called more than once.
   */
  stop(): Promise<void>;
}

/**
 * Runs PostgreSQL on the data in this home. Resolves when it accepts connections. Creates the data at the
 * first start, adopts a server that already runs on the data, and restarts the server whenever it dies, until
 * `stop` is called. If this process is killed, the server keeps running, and the next start adopts it. The
 * server does not keep this process alive. A caller that must be the only one to run the server has to lock
 * the home first (`lockHome`).
 *
 * @throws EmbeddedPostgresError with a message for the person who started the broker
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const home = await openHome(options.home);
  const cluster = await prepareCluster(home, options);
  const first = await obtainPostmaster(cluster, log);
  const supervisor = supervise(cluster, first, {
    log,
    onDown(reason) {
      log(`${reason}; it is started again`);
      options.onDown?.(reason);
    },
  });

  return {
    url: toUrl(first.endpoint),
    connection: toConnection(first.endpoint),
    major: cluster.binaries.major,
    dataDirectory: cluster.paths.data,
    get pid() {
      return supervisor.current.pid;
    },
    wasAdopted: first.wasAdopted,
    stop: () => supervisor.stop(),
  };
}

async function prepareCluster(home: string, options: EmbeddedPostgresOptions): Promise<Cluster> {
  const copies = toBinaryCopiesPath(home);
  const own = await prepareBinaries(options.binaries ?? getInstalledBinaries(), copies);
  if (!options.ignoreOlderMajor) await requireOwnMajor(home, own.major);
  const paths = await resolveServerPaths(home, own.major);
  const binaries = paths.user ? await prepareUserBinaries(paths.user, own, copies) : own;
  const endpoint = await makeEndpoint(paths, own.major, options.reach ?? getDefaultReach());
  await ensureCluster(paths, binaries, endpoint);
  return { paths, binaries, endpoint, connectionsMax: options.connectionsMax ?? 100 };
}

function openHome(path: string): Promise<string> {
  return explainPathErrors(path, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK | constants.X_OK);
    return realpath(path);
  });
}

function getDefaultReach(): Endpoint["kind"] {
  return !isPosix() ? "tcp" : "socket";
}
