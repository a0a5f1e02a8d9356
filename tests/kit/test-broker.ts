import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrokerOptions, createLog, type StartedBroker, startBroker } from "@merkle/broker";
import { inject, it, onTestFinished } from "vitest";
import { putAuditKey } from "./audit-key.js";
import { lookForSecrets } from "./canary.js";
import { noteHome } from "./persons.js";
import { type Cleanup, createTestDatabase } from "./test-database.js";

/** A broker for one test, with its own database. */
export interface TestBroker {
  /** The broker's base URL. It stays the same after a restart. */
  readonly url: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly home: string;
  /** Every line that the broker logged. */
  readonly logged: string[];
  readonly broker: StartedBroker;
  stop(): Promise<void>;
  /** Stops the broker and starts another one on the same port. */
  restart(): Promise<void>;
  /** Restarts the broker, running `work` while it is stopped. */
  restartAfter(work: () => Promise<void>): Promise<void>;
}

/**
 * Starts a broker, or several nodes in runs that test nodes. When the test has finished, the broker is stopped and its
 * data removed.
 *
 * @param why - why the test applies only to a single broker
 */
export async function startTestBroker(
  options: Partial<BrokerOptions> = {},
  cleanup: Cleanup = onTestFinished,
  why?: string,
): Promise<TestBroker> {
  if (inject("bus") === undefined || why !== undefined || needsOwnBroker(options))
    return startOneBroker(options, cleanup);
  const { startBehindProxy } = await import("../nodes/kit/start-behind-proxy.js");
  return startBehindProxy(options, cleanup);
}

let shared: Promise<TestBroker> | undefined;

/**
 * Returns the broker of this worker, with default options. Use it only in tests that read nothing but their own
 * sessions, teams and peers. Tests about lists, counts, settings, logs, tables or restarts start their own broker.
 */
export function getSharedBroker(): Promise<SharedBroker> {
  shared ??= startTestBroker({}, () => undefined);
  return shared;
}

/** A test broker without the functions that would affect other tests, such as `restart`. */
export type SharedBroker = Pick<TestBroker, "url" | "databaseUrl">;

/**
 * Defines a test that is skipped in runs with several nodes. The argument states why the test applies only to a single
 * broker.
 */
export function itOnOneBroker(_why: string): ReturnType<typeof it.skipIf> {
  return it.skipIf(inject("bus") !== undefined);
}

/** Returns whether the options concern the broker's address, or resources that only one broker can have. */
function needsOwnBroker({
  tls,
  host,
  publicUrl,
  trustedProxies,
  port,
  connectionsMax,
  demoPace,
}: Partial<BrokerOptions>): boolean {
  return [tls, host, publicUrl, trustedProxies, port, connectionsMax, demoPace].some(
    (option) => option !== undefined,
  );
}

export type StartTestBroker = (
  options: Partial<BrokerOptions>,
  cleanup: Cleanup,
  /** Receives the log lines from this broker and from other brokers. */
  logged?: string[],
) => Promise<TestBroker>;

export const startOneBroker: StartTestBroker = async (options, cleanup, logged = []) => {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase(cleanup));
  const home = await mkdtemp(join(tmpdir(), "merkle-broker-"));
  await chmod(home, 0o711);
  await putAuditKey(home);
  const log = createLog((line) => {
    logged.push(line);
    lookForSecrets("the broker's log", line);
  });
  // By default, a broker that serves files admits only members. Most tests about files are not about members.
  const open = options.agent?.roots && options.auth === undefined ? { insecureOpen: true } : {};
  const start = (port: number) => startBroker({ ...open, ...options, home, databaseUrl, port, log });
  let broker = await start(options.port ?? 0);
  const { url, port } = broker;
  noteHome(port, home);
  cleanup(async () => {
    await broker.stop();
    await rm(home, { recursive: true, force: true });
  });
  async function restartAfter(work: () => Promise<void>): Promise<void> {
    await broker.stop();
    await work();
    broker = await start(port);
  }

  return {
    url,
    port,
    databaseUrl,
    home,
    logged,
    get broker() {
      return broker;
    },
    stop: () => broker.stop(),
    restart: () => restartAfter(async () => undefined),
    restartAfter,
  };
};
