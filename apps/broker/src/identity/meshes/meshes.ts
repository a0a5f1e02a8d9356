import { type Database, findMesh, findMeshOfSession, listMeshRows, scopeToMesh } from "@merkle/db";
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
  list(): Promise<Services[]>;
  /** Drops a cached credential in the session's mesh. */
  invalidateCredential(sessionId: string, id: string): void;
  /** Drops a cached session in its mesh. */
  invalidateSession(sessionId: string): void;
  /** Drops all cached data that other nodes may have changed while their hints did not arrive. */
  clearCaches(): void;
}

/** @param createServices - creates the services of a mesh from its database and its name */
export function createMeshes<Services extends IdentityServices>(
  database: Database,
  createServices: (ofMesh: Database, name: string) => Services,
): Meshes<Services> {
  const servicesByMesh = new Map<string, Services>();

  function openMesh(meshId: string, name: string): Services {
    const known = servicesByMesh.get(meshId);
    if (known) return known;
    const services = createServices(
      meshId === database.meshId ? database : scopeToMesh(database, meshId),
      name,
    );
    servicesByMesh.set(meshId, services);
    return services;
  }

  // A mesh is never renamed or removed, so its services stay valid.
  return {
    main: openMesh(database.meshId, mainMeshName),
    async find(ref) {
      if (ref === database.meshId || ref.toLowerCase() === mainMeshName)
        return openMesh(database.meshId, mainMeshName);
      const known = servicesByMesh.get(ref);
      if (known) return known;
      if (ref.length > limits.meshNameCharsMax) return null;
      const row = await findMesh(database.orm, isUuid(ref) ? { id: ref } : { name: ref });
      return row && openMesh(row.meshId, row.name);
    },
    async list() {
      const rows = await listMeshRows(database.orm);
      return rows.map((row) => openMesh(row.meshId, row.name));
    },
    invalidateCredential(sessionId, id) {
      for (const { credentials } of servicesByMesh.values()) credentials.invalidate(sessionId, id);
    },
    invalidateSession(sessionId) {
      for (const { sessions } of servicesByMesh.values()) sessions.invalidate(sessionId);
    },
    clearCaches() {
      for (const { sessions, credentials } of servicesByMesh.values()) {
        sessions.clear();
        credentials.clear();
      }
    },
  };
}

/** Returns a function that finds the mesh of a session and caches recent results. */
export function createMeshLookup(
  database: Pick<Database, "orm">,
  cachedMax: number = limits.cachedSessionsMax,
): (sessionId: string) => Promise<string | null> {
  const cached = new Map<string, string>();

  return async (sessionId) => {
    const known = cached.get(sessionId);
    if (known !== undefined) return known;
    const meshId = await findMeshOfSession(database.orm, sessionId);
    if (meshId === null) return null;
    cached.set(sessionId, meshId);
    if (cached.size > cachedMax) {
      const [oldest] = cached.keys();
      if (oldest !== undefined) cached.delete(oldest);
    }
    return meshId;
  };
}
