import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Broker, type BrokerOptions, createLog, startBroker } from "@merkle/broker";
import { inject, it, onTestFinished } from "vitest";
import { putAuditKey } from "./audit-key.js";
import { lookForSecrets } from "./canary.js";
import { noteHome } from "./persons.js";
import { type Cleanup, createTestDatabase } from "./test-database.js";

/** A broker of one test's own, on a database of its own. */
export interface TestBroker {
  /** Its base URL; the same after a restart. */
  readonly url: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly home: string;
  /** Every line that it logged. */
  readonly logged: string[];
  readonly broker: Broker;
  stop(): Promise<void>;
  /** Stops it and starts another one at the same place. */
  restart(): Promise<void>;
  /** The same, with something done in between. */
  restartAfter(work: () => Promise<void>): Promise<void>;
}

/**
 * Starts a broker that is stopped, with everything it kept, when the test has finished; several, where nodes are tested.
 *
 * @param why - the reason that what is tested holds for one broker alone
 */
export async function startTestBroker(
  options: Partial<BrokerOptions> = {},
  cleanup: Cleanup = onTestFinished,
  why?: string,
): Promise<TestBroker> {
  if (inject("bus") === undefined || why !== undefined || needsItself(options))
    return startOneBroker(options, cleanup);
  const { startBehindProxy } = await import("../nodes/kit/start-behind-proxy.js");
  return startBehindProxy(options, cleanup);
}

let shared: Promise<TestBroker> | undefined;

/**
 * The broker of this worker, with default options, which ends with it. For tests that look at nothing but sessions, teams and
 * peers of their own: those about lists, counts, settings, logs, tables or restarts start one of their own.
 */
export function sharedBroker(): Promise<SharedBroker> {
  shared ??= startTestBroker({}, () => undefined);
  return shared;
}

/** Without what only its owner may do. */
export type SharedBroker = Pick<TestBroker, "url" | "databaseUrl">;

/** A test that is left out where several nodes are tested behind a proxy, and the reason that it holds for one broker alone. */
export function itAtOne(_why: string): ReturnType<typeof it.skipIf> {
  return it.skipIf(inject("bus") !== undefined);
}

/** Whether a test is about where a broker listens, or about what only one may have. */
function needsItself({
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
  /** Where its lines go, with those of others. */
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
  // Files are for members alone unless told otherwise; most tests about them are about something else.
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
