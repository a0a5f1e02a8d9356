import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@merkle/db/embedded";
import type { BroadcastQuestion } from "./broadcast-process.js";
import type { BrokerQuestion } from "./broker-process.js";
import { type Child, startChild } from "./child.js";
import type { LoadQuestion } from "./load-process.js";
import { openRawStatement, type RawStatement } from "./raw.js";

/** Everything that is measured with: one database, a broker on it, and callers, each a process of its own. */
export interface Stage {
  readonly url: string;
  readonly socketUrl: string;
  readonly raw: RawStatement;
  readonly postgresVersion: string;
  load<Answer>(question: LoadQuestion): Promise<Answer>;
  /** The processor time that the broker has used, in microseconds. */
  brokerCpu(): Promise<number>;
  /** Has messages of this size broadcast by bare `ws`, and returns the address. */
  broadcast(question: BroadcastQuestion): Promise<string>;
  stop(): Promise<void>;
}

/** @param brokerFlags - for the broker's own Node, such as `--cpu-prof` */
export async function openStage(brokerFlags: readonly string[]): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), "merkle-bench-"));
  // The embedded server's user must get through when this one is root.
  await chmod(home, 0o711);
  const stops: (() => Promise<void>)[] = [() => rm(home, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const start = (file: string, flags: readonly string[] = []): Child => {
    const child = startChild(file, flags);
    stops.push(child.stop);
    return child;
  };
  try {
    const postgres = await startEmbeddedPostgres({ home: join(home, "database") });
    stops.push(() => postgres.stop());
    const databaseUrl = reachAsByDefault(postgres);
    const broker = start("./broker-process.js", brokerFlags);
    await mkdir(join(home, "broker"));
    const places = await broker.ask<{ url: string; socketUrl: string }>({
      start: { home: join(home, "broker"), databaseUrl },
    } satisfies BrokerQuestion);
    const raw = openRawStatement(databaseUrl);
    stops.push(raw.close);
    const callers = start("./load-process.js");
    const broadcaster = start("./broadcast-process.js");
    return {
      ...places,
      raw,
      postgresVersion: await raw.serverVersion(),
      brokerCpu: async () =>
        (await broker.ask<{ microseconds: number }>({ cpu: true } satisfies BrokerQuestion)).microseconds,
      load: (question) => callers.ask(question),
      broadcast: async (question) => (await broadcaster.ask<{ socketUrl: string }>(question)).socketUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

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
