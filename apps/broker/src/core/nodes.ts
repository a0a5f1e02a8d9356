import { type Database, deleteNode, listNodes, measureClock, type NodeRow, noteNode } from "@merkle/db";
import type { Bus } from "./bus/bus.js";
import type { RepeatedTasks } from "./repeated-tasks.js";
import { createSettle } from "./settle.js";
import { StartError } from "./start-error.js";
import { withTimeout } from "./with-timeout.js";

/** This broker among those on its database (NODE-4). */
export interface Nodes {
  /** The id of this one. */
  readonly id: string;
  /** Whether no other may be there: what could be done elsewhere meanwhile need not be looked for. */
  readonly alone: boolean;
  /** The ids of the others that were there at the last beat. */
  readonly others: ReadonlySet<string>;
  /** Whether hints of one of the others do not arrive, so that sweeps stand in for them. */
  readonly hasUnheard: boolean;
  /**
   * Whether this node does what one of them is to do. It is the one that started first, as far as each can see: for a moment there
   * may be two or none, so that whatever it does is right when it is done twice, or late.
   */
  readonly leads: boolean;
  /** All that were not forgotten yet; `live` are those within their lease. */
  list(): Promise<(NodeRow & { readonly live: boolean })[]>;
  /** Resolves when the others have followed what this node told them, or are too slow (NODE-14); at once without others. */
  settle(): Promise<void>;
  /** Calls a listener when others have gone. */
  onGone(listener: () => void): void;
  /** Says where it is reached, and that it is there from now on. */
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

const beatMs = 5_000;
/** A node that was not seen for so long counts as dead; a beat may be late, and one may be lost. */
export const nodeLeaseMs = 15_000;
/** Nodes whose clocks differ by more tell people times that contradict each other. */
const clockMsMax = 5_000;

interface NodeOptions {
  /** Drawn at this start. */
  readonly id: string;
  readonly database: Pick<Database, "orm" | "epoch">;
  readonly bus: Bus;
  readonly version: string;
  /** The id of the key that it signs with. */
  readonly auditKey: string;
  readonly tasks: Pick<RepeatedTasks, "repeat">;
}

/**
 * Registers a node, and says every few seconds that it is there.
 *
 * @throws StartError `not_alone` where a node that is there cannot have this one beside it (NODE-5)
 */
export async function startNode(options: NodeOptions): Promise<Nodes> {
  const { id, database, bus, version, auditKey, tasks } = options;
  const gone = new Set<() => void>();
  let address = "";
  let others: ReadonlySet<string> = new Set();
  let leads = false;
  let seenAt = 0;
  let stopped = false;
  let beating: Promise<void> = Promise.resolve();

  async function toFacts() {
    const clockMs = await measureClock(database.orm);
    return { nodeId: id, version, address, bus: bus.kind, epoch: database.epoch, auditKey, clockMs };
  }

  function beat(): Promise<void> {
    const noted = noteThis();
    beating = noted.catch(() => undefined);
    return noted;
  }

  async function noteThis(): Promise<void> {
    const began = performance.now();
    await noteNode(database.orm, await toFacts());
    seenAt = began;
    if (bus.kind === "local") return;
    await look();
    bus.beat(hasUnheard());
  }

  function hasUnheard(): boolean {
    return [...others].some((node) => !bus.hears(node));
  }

  async function look(): Promise<void> {
    const live = (await listNodes(database.orm)).filter(isLive);
    const before = others;
    others = new Set(live.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== id));
    leads = live[0]?.nodeId === id;
    if ([...before].some((nodeId) => !others.has(nodeId))) for (const listener of gone) listener();
  }

  /** Who could not say for a lease that it is there counts as dead elsewhere, and leads no more. */
  function isInTime(): boolean {
    return performance.now() - seenAt < nodeLeaseMs;
  }

  const settle = createSettle(bus, { id, others: () => others });
  await refuseMisfits(options, await toFacts());
  await beat();
  const stopBeating = tasks.repeat("node heartbeat", beatMs, beat);
  bus.on("nodes", async () => {
    await look();
    // The one that has come hears at once who is there.
    bus.beat(false);
  });
  bus.on("lost", look);

  return {
    id,
    alone: bus.kind === "local",
    get others() {
      return others;
    },
    get hasUnheard() {
      return hasUnheard();
    },
    get leads() {
      return bus.kind === "local" || (leads && isInTime());
    },
    async list() {
      const rows = await listNodes(database.orm);
      return rows.map((row) => ({ ...row, live: isLive(row) }));
    },
    settle,
    onGone: (listener) => void gone.add(listener),
    async announce(where) {
      address = where;
      await beat();
      bus.publish("nodes", {});
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      stopBeating();
      // A beat that is on its way would note it again. A database that gives no answer is not waited for: a node that is not
      // seen any more counts as dead (NODE-4).
      const forgotten = beating.then(() => deleteNode(database.orm, id));
      await withTimeout(forgotten, beatMs, "none").catch(() => undefined);
      bus.publish("nodes", {});
    },
  };
}

function isLive({ unseenMs }: NodeRow): boolean {
  return unseenMs < nodeLeaseMs;
}

async function refuseMisfits(
  { database }: NodeOptions,
  own: { readonly bus: string; readonly epoch: string; readonly auditKey: string; readonly clockMs: number },
): Promise<void> {
  if (Math.abs(own.clockMs) > clockMsMax) {
    throw new StartError(
      "not_alone",
      `This machine's clock differs from the database's by ${inSeconds(own.clockMs)}. Synchronise it with NTP, because all nodes must agree on the time.`,
    );
  }
  // One that is alone holds the lock that keeps others away: what is registered beside it has died.
  if (own.bus === "local") return;
  for (const other of (await listNodes(database.orm)).filter(isLive)) {
    const problem = describeMisfit(own, other);
    if (problem)
      throw new StartError("not_alone", `${problem} The other node is ${other.address || other.nodeId}.`);
  }
}

function describeMisfit(
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
  const apart = own.clockMs - other.clockMs;
  if (Math.abs(apart) <= clockMsMax) return null;
  return `The clocks of this machine and of another node are ${inSeconds(apart)} apart. Set both by NTP.`;
}

function inSeconds(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} s`;
}
