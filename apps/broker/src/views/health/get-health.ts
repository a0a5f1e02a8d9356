import { measureRoundTrip, readStorageFacts } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { Gauge } from "prom-client";
import { requireMainMesh } from "../../identity/require-main-mesh.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

/**
 * Returns details about the broker's status, for its operators (HEALTH-1). `/health`, in contrast, returns only
 * whether the broker works.
 *
 * @throws forbidden in any mesh other than the main mesh, if the broker admits only members
 */
export async function getHealth({ services }: Context<ViewServices>): Promise<OutputOf<"get_health">> {
  requireMainMesh(services, "get_health");
  const { appender, bus, nodes, database, eventLoop, metrics, startedAt, version } = services;
  const round_trip_ms = await measureRoundTrip(database.orm);
  const [facts, known, connections, subscriptions, parkedWaits] = await Promise.all([
    readStorageFacts(database.orm, database.meshId),
    nodes.list(),
    readGauge(metrics.sockets),
    readGauge(metrics.subscriptions),
    readGauge(metrics.parkedWaits),
  ]);
  return {
    version,
    node: process.version,
    started_at: startedAt.toISOString(),
    connections,
    subscriptions,
    parked_waits: parkedWaits,
    open_sessions: facts.openSessions,
    memory_bytes: process.memoryUsage.rss(),
    event_loop: eventLoop.readDelay(),
    append: {
      p50_ms: metrics.recentCommits.percentile(0.5),
      p99_ms: metrics.recentCommits.percentile(0.99),
      queued_bytes: appender.queuedBytes,
    },
    bus: { kind: bus.kind, up: bus.isUp },
    nodes: known.map(({ nodeId, isLive: live, version, address, startedAt, lastSeenAt }) => ({
      node_id: nodeId,
      own: nodeId === nodes.id,
      live,
      version,
      address,
      started_at: startedAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
    })),
    database: {
      kind: services.databaseKind,
      version: database.serverVersion,
      bytes: facts.bytes,
      round_trip_ms,
      migration: database.newestMigration,
      epoch: database.epoch,
    },
  };
}

async function readGauge(gauge: Gauge): Promise<number> {
  const { values } = await gauge.get();
  return values[0]?.value ?? 0;
}
