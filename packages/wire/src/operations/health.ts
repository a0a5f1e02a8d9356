import * as z from "zod";
import { limits } from "../core/limits.js";
import { asTeam, Epoch, retryable, StorableText, Timestamp, Uuid } from "../core/values.js";
import { formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

const Milliseconds = z.number().min(0);

export const getHealth = operation("get_health", {
  summary: "Read the broker's status: connections, event loop, database, version.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    node: z.string(),
    started_at: Timestamp,
    connections: z.int().meta({ description: "Open WebSocket connections." }),
    subscriptions: z.int(),
    parked_waits: z.int(),
    open_sessions: z.int(),
    memory_bytes: z.int().meta({ description: "Resident memory of the broker." }),
    event_loop: z.object({ p50_ms: Milliseconds, p99_ms: Milliseconds, max_ms: Milliseconds }).meta({
      description: "Event loop delay over the last one to two minutes.",
    }),
    append: z.object({ p50_ms: Milliseconds, p99_ms: Milliseconds, queued_bytes: z.int() }).meta({
      description: "Recent duration of a flush of posts.",
    }),
    bus: z.object({ kind: z.enum(["local", "postgres", "nats"]), up: z.boolean() }).meta({
      description: "How the nodes on this database notify each other.",
    }),
    nodes: z
      .array(
        z.object({
          node_id: Uuid,
          own: z.boolean().meta({ description: "Whether it is the one that answers." }),
          live: z.boolean().meta({ description: "Whether it was seen within its lease." }),
          version: z.string(),
          address: z.string(),
          started_at: Timestamp,
          last_seen_at: Timestamp,
        }),
      )
      .meta({ description: "The brokers on this database, in order of start." }),
    database: z.object({
      kind: z.enum(["embedded", "external"]),
      version: z.string(),
      bytes: z.int(),
      round_trip_ms: Milliseconds,
      migration: z.string().meta({ description: "The newest migration that was applied." }),
      epoch: Epoch,
    }),
  }),
  errors: [],
  compact: (health) =>
    joinLines(
      `merkle ${health.version} since ${health.started_at}, ${health.connections} connections, ${health.parked_waits} waits`,
      `database ${health.database.kind} ${health.database.version}, ${health.database.round_trip_ms} ms`,
      ...health.nodes.map(
        ({ address, live, last_seen_at }) => `node ${address}${live ? "" : `, unseen since ${last_seen_at}`}`,
      ),
    ),
});

export const testConnection = operation("test_connection", {
  summary: "Check from the broker's machine whether an address is this broker's.",
  unlisted: true,
  input: z.strictObject({
    url: StorableText.trim()
      .min(1)
      .max(limits.urlCharsMax)
      .meta({ description: "A base address or an endpoint." }),
    ...asTeam,
  }),
  output: z.object({
    base_url: z.string(),
    mcp_url: z.string(),
    reached: z.boolean().meta({ description: "Whether a broker answered there." }),
    same_broker: z.boolean().meta({ description: "Whether it was this one." }),
    took_ms: Milliseconds.nullable().meta({ description: "Null if no broker answered." }),
    problem: z.string().nullable().meta({
      description: "Why agents cannot use the address. The same for every server that is not a broker.",
    }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ base_url, same_broker, problem }) =>
    same_broker
      ? `address ${base_url} is this broker's${problem === null ? "" : `. ${problem}`}`
      : `address ${base_url}: ${problem ?? "another broker answers there"}`,
});

export const collectGarbage = operation("collect_garbage", {
  summary: "Delete data past its retention now, or report what would be deleted.",
  unlisted: true,
  input: z.strictObject({
    dry_run: z.boolean().default(false).meta({ description: "Only report what would be deleted." }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    dry_run: z.boolean(),
    removed: z
      .record(z.string(), z.int())
      .meta({ description: "Number deleted of each kind, or that would be; never the feed or the record." }),
    database_bytes: z.int(),
    tables: z
      .array(
        z.object({
          name: z.string(),
          bytes: z.int().meta({ description: "With its indexes." }),
          index_bytes: z.int(),
          rows: z.int().meta({ description: "As PostgreSQL estimates." }),
          dead_rows: z.int().meta({ description: "Not yet freed by its autovacuum." }),
          vacuumed_at: Timestamp.nullable(),
        }),
      )
      .meta({ description: "The largest, the largest first." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ removed, dry_run }) =>
    joinLines(
      ...Object.entries(removed).map(([kind, rows]) => `- ${formatInlineName(kind)} ${rows}`),
      dry_run && "nothing was deleted",
    ),
});
