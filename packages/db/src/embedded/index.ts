import { constants } from "node:fs";
import { access, mkdir, realpath } from "node:fs/promises";
import { isPosix } from "../files/platform.js";
import { binariesFor, installedBinaries, prepareBinaries } from "./binaries.js";
import { ensureCluster } from "./cluster.js";
import { type Connection, type Endpoint, makeEndpoint, toConnection, toUrl } from "./endpoint.js";
import { explainingPath } from "./error.js";
import type { Cluster } from "./launch.js";
import { requireOwnMajor } from "./majors.js";
import { binaryCopies, findPlace } from "./place.js";
import { obtainPostmaster } from "./postmaster.js";
import { supervise } from "./supervisor.js";

export { installedBinaries } from "./binaries.js";
export { BROKER_ROLE } from "./endpoint.js";
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode, explainingPath } from "./error.js";
export { type HomeLock, lockHome } from "./home-lock.js";
export { listMajors, majorOf, markMove } from "./majors.js";
export { findOutsideData, type OutsideData, removeOutsideData, stopLeftServers } from "./outside-data.js";

export interface EmbeddedPostgresOptions {
  /** The Merkle home, absolute; made (0700) when it does not exist. */
  home: string;
  /** Gets a line for what a person would want to know; default: nobody is told. */
  log?: (line: string) => void;
  /** The folder with `bin/` of another PostgreSQL; default: that of the installed npm package. */
  binaries?: string;
  /** How the server is reached; default: by a socket, on Windows by a port on 127.0.0.1 and a password. */
  reach?: "socket" | "tcp";
  /** How many connections it takes at once; default 100, which is enough for one broker and for looking in. */
  connectionsMax?: number;
  /** Makes new data although the home has some of an older major; default: refused, for it would look as if all were lost. */
  besideOlder?: boolean;
  /** Called when the server died by itself; it is being started again then. */
  onDown?: (reason: string) => void;
}

export interface EmbeddedPostgres {
  /** For people and psql. */
  readonly url: string;
  /** For the `postgres` package; stays the same over restarts of the server. */
  readonly connection: Connection;
  readonly major: number;
  readonly dataDirectory: string;
  /** The process of the server as it is now; another one after a restart. */
  readonly pid: number;
  /** Whether the server ran already when we came, left by a broker that was killed. */
  readonly adopted: boolean;
  /** Ends the server without waiting for its clients; resolves when it is gone, all written. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Runs PostgreSQL on the data in this home, and resolves when it accepts connections: makes the data at the first
 * start, adopts a server that runs on it already, and from then on starts the server again whenever it dies, until
 * `stop`. When this process is killed the server stays, to be adopted at the next start; nothing here keeps this
 * process alive. Does not take the lock of the home: who may be the only one takes `lockHome` before.
 *
 * @throws EmbeddedPostgresError, with a sentence for the person who started it
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
    dataDirectory: cluster.place.data,
    get pid() {
      return supervisor.current.pid;
    },
    adopted: first.adopted,
    stop: () => supervisor.stop(),
  };
}

async function prepareCluster(home: string, options: EmbeddedPostgresOptions): Promise<Cluster> {
  const copies = binaryCopies(home);
  const own = await prepareBinaries(options.binaries ?? installedBinaries(), copies);
  if (!options.besideOlder) await requireOwnMajor(home, own.major);
  const place = await findPlace(home, own.major);
  const binaries = place.user ? await binariesFor(place.user, own, copies) : own;
  const endpoint = await makeEndpoint(place, own.major, options.reach ?? defaultReach());
  await ensureCluster(place, binaries, endpoint);
  return { place, binaries, endpoint, connectionsMax: options.connectionsMax ?? 100 };
}

function openHome(path: string): Promise<string> {
  return explainingPath(path, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK | constants.X_OK);
    return realpath(path);
  });
}

function defaultReach(): Endpoint["kind"] {
  return !isPosix() ? "tcp" : "socket";
}
