import { type Database, deleteNode, listNodes, measureClock, type NodeRow, saveNode } from "@merkle/db";
import type { Bus } from "./bus/bus.js";
import type { RepeatedTasks } from "./repeated-tasks.js";
import { createSettle } from "./settle.js";
import { StartError } from "./start-error.js";
import { withTimeout } from "./with-timeout.js";

/** This broker as one of the nodes on its database (NODE-4). */
export interface Nodes {
  /** The id of this node. */
  readonly id: string;
  /** True if no other node can exist, so this node can ignore the possibility of changes by other nodes. */
  readonly isAlone: boolean;
  /** The ids of the other nodes that were running at the last heartbeat. */
  readonly others: ReadonlySet<string>;
  /** Whether hints from at least one other node are not arriving. If so, this node must rely on sweeps. */
  readonly hasSilentNodes: boolean;
  /**
   * Whether this node does the work that only one node should do. Each node considers the node that started
   * first to be the leader. There may briefly be two leaders or none, so this work must be safe to do twice
   * or late.
   */
  readonly isLeader: boolean;
  /** Returns all registered nodes. `live` is true for nodes whose lease is valid. */
  list(): Promise<(NodeRow & { readonly isLive: boolean })[]>;
  /**
   * Resolves once the other nodes have handled this node's hints, or after a timeout (NODE-14). Resolves
   * immediately if there are no other nodes.
   */
  settle(): Promise<void>;
  /** Calls a listener when other nodes have stopped. */
  onNodesStopped(listener: () => void): void;
  /** Publishes this node's address and announces that the node is running. */
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

const heartbeatMs = 5_000;
/**
 * A node counts as dead if its last heartbeat is older than this. The margin allows for one late and one lost
 * heartbeat.
 */
export const nodeLeaseMs = 15_000;
/**
 * Maximum difference between the clocks of nodes. With a larger difference, people would see contradictory
 * times.
 */
const clockMsMax = 5_000;

interface NodeOptions {
  /** The node's id, generated at each start. */
  readonly id: string;
  readonly database: Pick<Database, "orm" | "epoch">;
  readonly bus: Bus;
  readonly version: string;
  /** The id of the audit key that the node signs with. */
  readonly auditKey: string;
  readonly tasks: Pick<RepeatedTasks, "repeat">;
}

/**
 * Registers a node and renews its lease every few seconds.
 *
 * @throws StartError `not_alone` when a running node is incompatible with this one (NODE-5)
 */
export async function startNode(options: NodeOptions): Promise<Nodes> {
  const { id, database, bus, version, auditKey, tasks } = options;
  const stopListeners = new Set<() => void>();
  let address = "";
  let others: ReadonlySet<string> = new Set();
  let isLeader = false;
  let leaseRenewedAt = 0;
  let isStopped = false;
  let lastHeartbeat: Promise<void> = Promise.resolve();

  async function measureFacts() {
    const clockMs = await measureClock(database.orm);
    return { nodeId: id, version, address, bus: bus.kind, epoch: database.epoch, auditKey, clockMs };
  }

  function sendHeartbeat(): Promise<void> {
    const renewal = renewLease();
    lastHeartbeat = renewal.catch(() => undefined);
    return renewal;
  }

  async function renewLease(): Promise<void> {
    const startedAt = performance.now();
    await saveNode(database.orm, await measureFacts());
    leaseRenewedAt = startedAt;
    if (bus.kind === "local") return;
    await refreshNodes();
    bus.sendHeartbeat(hasUnheardNodes());
  }

  function hasUnheardNodes(): boolean {
    return [...others].some((node) => !bus.isReceivingFrom(node));
  }

  async function refreshNodes(): Promise<void> {
    const live = (await listNodes(database.orm)).filter(isLive);
    const before = others;
    others = new Set(live.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== id));
    isLeader = live[0]?.nodeId === id;
    if ([...before].some((nodeId) => !others.has(nodeId))) for (const listener of stopListeners) listener();
  }

  /**
   * Returns whether this node's lease is valid. If the lease was not renewed in time, the other nodes
   * consider this node dead, and it must not lead.
   */
  function isLeaseValid(): boolean {
    return performance.now() - leaseRenewedAt < nodeLeaseMs;
  }

  const settle = createSettle(bus, { id, others: () => others });
  await refuseIncompatibleNodes(options, await measureFacts());
  await sendHeartbeat();
  const stopHeartbeats = tasks.repeat("node heartbeat", heartbeatMs, sendHeartbeat);
  bus.on("nodes", async () => {
    await refreshNodes();
    // Lets the new node know immediately that this one is running.
    bus.sendHeartbeat(false);
  });
  bus.on("lost", refreshNodes);

  return {
    id,
    isAlone: bus.kind === "local",
    get others() {
      return others;
    },
    get hasSilentNodes() {
      return hasUnheardNodes();
    },
    get isLeader() {
      return bus.kind === "local" || (isLeader && isLeaseValid());
    },
    async list() {
      const rows = await listNodes(database.orm);
      return rows.map((row) => ({ ...row, isLive: isLive(row) }));
    },
    settle,
    onNodesStopped: (listener) => void stopListeners.add(listener),
    async announce(url) {
      address = url;
      await sendHeartbeat();
      bus.publish("nodes", {});
    },
    async stop() {
      if (isStopped) return;
      isStopped = true;
      stopHeartbeats();
      // A heartbeat in flight would register the node again, so the deletion waits for it. If the database does
      // not respond, the shutdown does not wait for the deletion, because the node's lease expires anyway
      // (NODE-4).
      const deletion = lastHeartbeat.then(() => deleteNode(database.orm, id));
      await withTimeout(deletion, heartbeatMs, "none").catch(() => undefined);
      bus.publish("nodes", {});
    },
  };
}

function isLive({ unseenMs }: NodeRow): boolean {
  return unseenMs < nodeLeaseMs;
}

async function refuseIncompatibleNodes(
  { database }: NodeOptions,
  own: { readonly bus: string; readonly epoch: string; readonly auditKey: string; readonly clockMs: number },
): Promise<void> {
  if (Math.abs(own.clockMs) > clockMsMax) {
    throw new StartError(
      "not_alone",
      `This machine's clock differs from the database's by ${formatSeconds(own.clockMs)}. Synchronise it with NTP, because all nodes must agree on the time.`,
    );
  }
  // With a local bus, this node holds a lock that excludes other nodes, so every other registered node is dead.
  if (own.bus === "local") return;
  for (const other of (await listNodes(database.orm)).filter(isLive)) {
    const problem = describeIncompatibility(own, other);
    if (problem)
      throw new StartError("not_alone", `${problem} The other node is ${other.address || other.nodeId}.`);
  }
}

function describeIncompatibility(
  own: { readonly bus: string; readonly epoch: string; readonly auditKey: string; readonly clockMs: number },
  other: NodeRow,
): string | null {
  if (other.bus === "local") return null;
  if (other.bus !== own.bus) {
    return `MERKLE_BUS is ${own.bus} here and ${other.bus} at another node: so they would not notify each other.`;
  }
  if (other.epoch !== own.epoch) {
    return "The database was restored while another node ran on it. Stop that node first: it still uses message numbers from before the restore.";
  }
  if (other.auditKey !== own.auditKey) {
    return "Another node signs records with a different audit key. Give this node the same key (MERKLE_AUDIT_KEY_FILE).";
  }
  const differenceMs = own.clockMs - other.clockMs;
  if (Math.abs(differenceMs) <= clockMsMax) return null;
  return `The clocks of this machine and of another node are ${formatSeconds(differenceMs)} apart. Set both by NTP.`;
}

function formatSeconds(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} s`;
}
