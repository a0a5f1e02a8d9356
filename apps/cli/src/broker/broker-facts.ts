import { MerkleError } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { CliError, exitCodes } from "../core/cli-error.js";
import { isObject } from "../core/is-object.js";
import { type BrokerClient, createBrokerClient } from "./broker-client.js";
import type { Reach } from "./reach.js";

/** The broker's reply to `/health`. */
export interface HealthReply {
  readonly ready: boolean;
  readonly durable: boolean;
  /** The problem that prevents writing. Missing in replies from brokers that predate this field. */
  readonly problem?: unknown;
  /** Whether the bus is down or periodic tasks keep failing. */
  readonly degraded?: unknown;
  /** The names of the failing tasks. Missing in replies from brokers that predate this field. */
  readonly failing_tasks?: unknown;
  /** The state of the read replica, such as `used`. Null if there is no replica. */
  readonly replica?: unknown;
  readonly version: string;
  /** The broker's build number. Missing in replies from brokers that predate build numbers. */
  readonly build?: unknown;
  readonly uptime_s: number;
  /** The time on the broker's clock. Missing in replies from brokers that predate this field. */
  readonly time?: unknown;
}

/** Describes why a running broker cannot write. The text completes "the broker runs, but …". */
export function describeWriteProblem({ problem }: HealthReply): string {
  switch (problem) {
    case "disk":
      return "its database's disk is full or read-only: free some space there";
    case "memory":
      return "its database has no memory left";
    case "connections":
      return "it cannot open more connections or files: raise ulimit -n, or the database's max_connections";
    case "lock":
      return "another program has locked the database or its tables: pg_stat_activity lists open queries";
    case "read_only":
      return "its database is read-only: is it a standby?";
    case "settings":
      return "its database does not flush writes to the disk: turn on fsync and synchronous_commit";
    default:
      return "its database does not answer";
  }
}

/**
 * Describes a part of the broker that is degraded, and how to fix it. Returns null if the broker is not
 * degraded.
 */
export function describeDegradation({
  degraded,
  failing_tasks: failing,
  replica,
}: HealthReply): { problem: string; fix: string } | null {
  if (Array.isArray(failing) && failing.length > 0) {
    const names = failing.map((name) => neutralise(String(name))).join(", ");
    return {
      problem: `these periodic tasks keep failing: ${names}`,
      fix: "see logs/ in its Merkle home",
    };
  }
  if (degraded === true) {
    const problem = "its bus is down: nodes see each other's changes only every 5 s";
    return { problem, fix: "check the bus in MERKLE_BUS: its log and the network" };
  }
  if (replica === undefined || replica === null || replica === "used") return null;
  const states: Readonly<Record<string, string>> = {
    behind: "is behind",
    foreign: "is not a replica of this database",
  };
  const problem = `its read replica ${states[String(replica)] ?? "does not answer"}: all reads go to the primary`;
  return { problem, fix: "check the replica in DATABASE_READ_URL: its log and the network" };
}

/**
 * Reads the broker's health. @throws MerkleError with the broker's refusal; CliError if the server is not a
 * Merkle broker
 */
export async function readHealth(broker: Pick<BrokerClient, "base" | "get">): Promise<HealthReply> {
  const response = await broker.get("/health");
  const body = response.json();
  if (isHealth(body)) return body;
  // A broker that refuses a request because of an unknown host name or the wrong protocol explains why in the
  // body.
  if (isRefusal(body)) throw MerkleError.fromBody(body);
  throw new CliError(
    "not_merkle",
    `The server at ${broker.base} is not a Merkle broker (status ${response.status}).`,
    { exitCode: exitCodes.unreachable, next: ["merkle up --port 7500", "merkle doctor"] },
  );
}

/** Counts the broker's current clients: blocked waits and open sockets. */
export async function readClients(
  broker: Pick<BrokerClient, "get">,
): Promise<{ waits: number; sockets: number }> {
  const { text } = await broker.get("/metrics");
  return { waits: parseGauge(text, "merkle_parked_waits"), sockets: parseGauge(text, "merkle_sockets") };
}

function parseGauge(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? 0);
}

function isRefusal(body: unknown): boolean {
  if (!isObject(body)) return false;
  const error = body["error"];
  const code = isObject(error) ? error["code"] : undefined;
  return code === "forbidden" || code === "bad_request";
}

function isHealth(value: unknown): value is HealthReply {
  return (
    isObject(value) &&
    typeof value["ready"] === "boolean" &&
    typeof value["durable"] === "boolean" &&
    typeof value["version"] === "string" &&
    typeof value["uptime_s"] === "number"
  );
}

const answerWithinMs = 1_000;

/**
 * Counts the waits and sockets that will reconnect after the broker at `url` restarts. Returns 0 if the count
 * fails, because stopping the broker must not depend on it.
 */
export async function countClients(url: string, reach: Reach): Promise<number> {
  const address = { base: url, source: "default" as const, reach };
  const broker = createBrokerClient(address, AbortSignal.timeout(answerWithinMs));
  const { waits, sockets } = await readClients(broker).catch(() => ({ waits: 0, sockets: 0 }));
  return waits + sockets;
}

/** Returns the sentence that reports that the broker has stopped. */
export function describeStopped(clients: number): string {
  if (clients === 0) return "stopped";
  return `stopped, ${clients} ${clients === 1 ? "peer" : "peers"} will reconnect`;
}
