import {
  countChangingBytes,
  countHeldInMesh,
  countBytes as countSessionBytes,
  type Database,
  type HeldInMesh,
  listMeshQuotas,
  listUncounted,
  type MeshQuotas,
  type Queryable,
} from "@merkle/db";
import { MerkleError, type Quota, type QuotaKind } from "@merkle/wire";

/**
 * Limits how much a mesh may contain (QUOTA-1). Posting needs no query: each node counts the mesh's data
 * regularly, adds its own writes until the next count, and counts again before it refuses a write. Several
 * nodes together can therefore exceed a limit by the amount that they write between two counts. Each node
 * counts its own connections.
 */
export interface Quotas {
  /**
   * Returns the first of these kinds whose quota in the mesh is used up according to this node's count, or
   * null.
   */
  findSpent(meshId: string, kinds: readonly QuotaKind[]): QuotaKind | null;
  /**
   * Checks that the quotas are not used up. Counts again before refusing.
   *
   * @param amounts - amount that the caller is about to add (default: 1 of each kind)
   * @throws forbidden with the quota in its details
   */
  requireRoom(
    meshId: string,
    kinds: readonly QuotaKind[],
    amounts?: Readonly<Partial<Record<QuotaKind, number>>>,
  ): Promise<void>;
  isBounded(meshId: string, kind: QuotaKind): boolean;
  add(meshId: string, kind: keyof HeldInMesh, amount: number): void;
  /** Counts a connection for the mesh until the returned function is called. */
  connect(meshId: string): () => void;
  /** Returns the limits of a mesh and their current usage. */
  list(meshId: string): Quota[];
  /**
   * Returns the limits that the caller has just stored, with their usage as seen by the caller's transaction.
   */
  count(tx: Queryable, meshId: string, bounds: MeshQuotas["quotas"]): Promise<Quota[]>;
  /**
   * Returns the quotas that are at least 80 % used, each with the time when the broker first noticed (ATT-14).
   */
  listNear(meshId: string): NearQuota[];
  /** Counts the bytes of a limited number of the mesh's sessions, continuing where the last call stopped. */
  countBytes(meshId: string): Promise<void>;
  /**
   * Reads all limits, and counts the data of every mesh that has limits. Takes all limits into account that
   * were stored before the call.
   */
  measure(): Promise<void>;
}

export interface NearQuota extends Quota {
  readonly since: Date;
}

interface LimitedMesh {
  readonly bounds: MeshQuotas["quotas"];
  readonly held: { -readonly [Kind in keyof HeldInMesh]: number };
  readonly nearSince: Map<QuotaKind, Date>;
}

const nearShare = 0.8;
/**
 * Number of sessions whose bytes are counted in one measurement. The next measurement continues with the
 * rest.
 */
const sessionsAtOnce = 200;
const roundsMax = 20;

export function createQuotas(database: Pick<Database, "orm">): Quotas {
  const meshes = new Map<string, LimitedMesh>();
  const connections = new Map<string, number>();
  let measuring: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  /**
   * Measures all quotas. A measurement in progress may have read the limits before they changed, so callers
   * share the next measurement.
   */
  function measure(): Promise<void> {
    if (measuring === null) return startMeasuring();
    next ??= measuring
      .catch(() => undefined)
      .then(() => {
        next = null;
        return startMeasuring();
      });
    return next;
  }

  function startMeasuring(): Promise<void> {
    measuring = measureEach().finally(() => {
      measuring = null;
    });
    return measuring;
  }

  async function measureEach(): Promise<void> {
    const bounded = await listMeshQuotas(database.orm);
    for (const { meshId, quotas } of bounded) {
      if (quotas.bytes !== undefined) await countBytes(meshId);
      const held = await countHeld(database.orm, meshId, quotas);
      meshes.set(meshId, { bounds: quotas, held, nearSince: meshes.get(meshId)?.nearSince ?? new Map() });
    }
    const ids = new Set(bounded.map(({ meshId }) => meshId));
    for (const meshId of meshes.keys()) if (!ids.has(meshId)) meshes.delete(meshId);
  }

  async function countBytes(meshId: string): Promise<void> {
    for (let round = 0; round < roundsMax; round += 1) {
      const sessionIds = await listUncounted(database.orm, meshId, sessionsAtOnce);
      if (sessionIds.length === 0) return;
      // One statement per session, so that each statement touches only one partition.
      for (const sessionId of sessionIds) await countSessionBytes(database.orm, sessionId);
    }
  }

  function list(meshId: string): Quota[] {
    const mesh = meshes.get(meshId);
    return mesh ? describe(meshId, mesh.bounds, mesh.held) : [];
  }

  function describe(meshId: string, bounds: MeshQuotas["quotas"], held: HeldInMesh): Quota[] {
    const used = { ...held, connections: connections.get(meshId) ?? 0 };
    return quotaKinds.flatMap((kind) => {
      const max = bounds[kind];
      return max === undefined ? [] : { kind, max, used: used[kind] };
    });
  }

  function findSpent(
    meshId: string,
    kinds: readonly QuotaKind[],
    amounts: Readonly<Partial<Record<QuotaKind, number>>> = {},
  ): Quota | null {
    if (!meshes.has(meshId)) return null;
    const isSpent = ({ kind, max, used }: Quota) => {
      const more = amounts[kind] ?? 1;
      return more > 0 && used + more > max;
    };
    return list(meshId).find((quota) => kinds.includes(quota.kind) && isSpent(quota)) ?? null;
  }

  return {
    findSpent: (meshId, kinds) => findSpent(meshId, kinds)?.kind ?? null,
    async requireRoom(meshId, kinds, amounts) {
      if (findSpent(meshId, kinds, amounts) === null) return;
      await measure();
      const spent = findSpent(meshId, kinds, amounts);
      if (spent) throw noRoom(spent);
    },
    isBounded: (meshId, kind) => meshes.get(meshId)?.bounds[kind] !== undefined,
    add(meshId, kind, amount) {
      const mesh = meshes.get(meshId);
      if (mesh) mesh.held[kind] += amount;
    },
    connect(meshId) {
      const change = (by: number) => connections.set(meshId, (connections.get(meshId) ?? 0) + by);
      change(1);
      return () => change(-1);
    },
    countBytes,
    list,
    count: async (tx, meshId, bounds) => describe(meshId, bounds, await countHeld(tx, meshId, bounds)),
    listNear(meshId) {
      const nearSince = meshes.get(meshId)?.nearSince ?? new Map<QuotaKind, Date>();
      return list(meshId).flatMap((quota) => {
        if (quota.used < quota.max * nearShare) nearSince.delete(quota.kind);
        else if (!nearSince.has(quota.kind)) nearSince.set(quota.kind, new Date());
        const since = nearSince.get(quota.kind);
        return since ? { ...quota, since } : [];
      });
    },
    measure,
  };
}

async function countHeld(
  db: Queryable,
  meshId: string,
  bounds: MeshQuotas["quotas"],
): Promise<LimitedMesh["held"]> {
  const held = { ...(await countHeldInMesh(db, meshId)) };
  if (bounds.bytes !== undefined) held.bytes += await countChangingBytes(db, meshId);
  return held;
}

export const quotaKinds = ["sessions", "messages", "bytes", "connections"] as const;

function noRoom({ kind, max, used }: Quota): MerkleError {
  return new MerkleError(
    "forbidden",
    `The mesh has used up its quota of ${max.toLocaleString("en")} ${kind} (${used.toLocaleString("en")} used), so nothing was done. ${advice[kind]} An admin of the broker can raise the quota (merkle mesh quota).`,
    { quota: kind, max, used },
  );
}

const advice: Readonly<Record<QuotaKind, string>> = {
  sessions: "Conclude a session that is done.",
  messages: "You can still read, delete, export and conclude.",
  bytes: "You can still read, delete, export and conclude.",
  connections: "Close one that is not needed.",
};
