import { MerkleError } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { CliError, exitCodes } from "../core/cli-error.js";
import { type BrokerClient, createBrokerClient } from "./broker-client.js";
import type { Reach } from "./reach.js";

/** The answer of `/health`. */
export interface Health {
  readonly ready: boolean;
  readonly durable: boolean;
  /** The problem that keeps it from writing; a broker of before it was told says nothing. */
  readonly problem?: unknown;
  /** Whether its bus is down, or repeated tasks keep failing. */
  readonly degraded?: unknown;
  /** The names of those tasks; a broker from before this field sends none. */
  readonly failing_tasks?: unknown;
  /** Whether its read replica is used, or why not; null without one. */
  readonly replica?: unknown;
  readonly version: string;
  /** Missing before builds had numbers. */
  readonly build?: unknown;
  readonly uptime_s: number;
  /** What the broker's clock showed; a broker from before this field sends none. */
  readonly time?: unknown;
}

/** Why a broker that is ready cannot write, for the end of "the broker runs, but …". */
export function describeWriteProblem({ problem }: Health): string {
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

/** What a broker that can write does without at the moment, and whom to ask for it; null where nothing is amiss. */
export function describeLack({
  degraded,
  failing_tasks: failing,
  replica,
}: Health): { problem: string; fix: string } | null {
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

/** @throws MerkleError with the broker's refusal; CliError when what answers there is no Merkle broker */
export async function readHealth(broker: Pick<BrokerClient, "base" | "get">): Promise<Health> {
  const response = await broker.get("/health");
  const body = response.json();
  if (isHealth(body)) return body;
  // A broker that does not answer to this name, or over this protocol, says so itself.
  if (isRefusal(body)) throw MerkleError.fromBody(body);
  throw new CliError(
    "not_merkle",
    `The server at ${broker.base} is not a Merkle broker (status ${response.status}).`,
    { exitCode: exitCodes.unreachable, next: ["merkle up --port 7500", "merkle doctor"] },
  );
}

/** How many clients a broker holds at this moment: waits that block, and open sockets. */
export async function readClients(
  broker: Pick<BrokerClient, "get">,
): Promise<{ waits: number; sockets: number }> {
  const { text } = await broker.get("/metrics");
  return { waits: gauge(text, "merkle_parked_waits"), sockets: gauge(text, "merkle_sockets") };
}

function gauge(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? 0);
}

function isRefusal(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return code === "forbidden" || code === "bad_request";
}

function isHealth(value: unknown): value is Health {
  if (typeof value !== "object" || value === null) return false;
  if (!("ready" in value && "durable" in value && "version" in value && "uptime_s" in value)) return false;
  return (
    typeof value.ready === "boolean" &&
    typeof value.durable === "boolean" &&
    typeof value.version === "string" &&
    typeof value.uptime_s === "number"
  );
}

const answerWithinMs = 1_000;

/** How many waits and sockets will come back when the broker at `url` does. Stopping it matters more than the number. */
export async function countClients(url: string, reach: Reach): Promise<number> {
  const address = { base: url, source: "default" as const, reach };
  const broker = createBrokerClient(address, AbortSignal.timeout(answerWithinMs));
  const { waits, sockets } = await readClients(broker).catch(() => ({ waits: 0, sockets: 0 }));
  return waits + sockets;
}

/** The sentence about a broker that was stopped. */
export function stoppedText(clients: number): string {
  if (clients === 0) return "stopped";
  return `stopped, ${clients} ${clients === 1 ? "peer" : "peers"} will reconnect`;
}
