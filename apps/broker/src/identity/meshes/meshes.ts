import { type Database, findMesh, findMeshOfSession, inMesh, listMeshRows } from "@merkle/db";
import { isUuid } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityServices } from "../context.js";

/** The name of the mesh that every broker has. No other mesh can have this name. */
export const mainMeshName = "main";

/**
 * The broker's meshes. Each mesh has its own services, which cannot find sessions, people or memories in
 * another mesh (ISOLATION-1). Isolation thus depends only on the mesh chosen at authentication, and handlers
 * need no checks.
 */
export interface Meshes<Services extends IdentityServices> {
  /** The services of the main mesh, which every broker has. */
  readonly main: Services;
  /** Finds the services of a mesh by id or name. Returns null if there is no such mesh. */
  find(ref: string): Promise<Services | null>;
  /** Returns the services of all meshes, for the broker's own background work. */
  all(): Promise<Services[]>;
  /** Drops a cached credential in the session's mesh. */
  forgetCredential(sessionId: string, id: string): void;
  /** Drops a cached session in its mesh. */
  forgetSession(sessionId: string): void;
  /** Drops all cached data that other nodes may have changed while their hints did not arrive. */
  forgetUnheard(): void;
}

/** @param view - creates the services of a mesh from its database and its name */
export function createMeshes<Services extends IdentityServices>(
  database: Database,
  view: (ofMesh: Database, name: string) => Services,
): Meshes<Services> {
  const open = new Map<string, Services>();

  function openMesh(meshId: string, name: string): Services {
    const known = open.get(meshId);
    if (known) return known;
    const services = view(meshId === database.meshId ? database : inMesh(database, meshId), name);
    open.set(meshId, services);
    return services;
  }

  // A mesh is never renamed or removed, so its services stay valid.
  return {
    main: openMesh(database.meshId, mainMeshName),
    async find(ref) {
      if (ref === database.meshId || ref.toLowerCase() === mainMeshName)
        return openMesh(database.meshId, mainMeshName);
      const known = open.get(ref);
      if (known) return known;
      if (ref.length > limits.meshNameCharsMax) return null;
      const row = await findMesh(database.orm, isUuid(ref) ? { id: ref } : { name: ref });
      return row && openMesh(row.meshId, row.name);
    },
    async all() {
      const rows = await listMeshRows(database.orm);
      return rows.map((row) => openMesh(row.meshId, row.name));
    },
    forgetCredential(sessionId, id) {
      for (const { credentials } of open.values()) credentials.forget(sessionId, id);
    },
    forgetSession(sessionId) {
      for (const { sessions } of open.values()) sessions.forget(sessionId);
    },
    forgetUnheard() {
      for (const { sessions, credentials } of open.values()) {
        sessions.forgetAll();
        credentials.forgetAll();
      }
    },
  };
}

/** Returns a function that finds the mesh of a session and caches recent results. */
export function createMeshOfSession(
  database: Pick<Database, "orm">,
  rememberedMax: number = limits.cachedSessionsMax,
): (sessionId: string) => Promise<string | null> {
  const remembered = new Map<string, string>();

  return async (sessionId) => {
    const known = remembered.get(sessionId);
    if (known !== undefined) return known;
    const meshId = await findMeshOfSession(database.orm, sessionId);
    if (meshId === null) return null;
    remembered.set(sessionId, meshId);
    if (remembered.size > rememberedMax) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    return meshId;
  };
}
