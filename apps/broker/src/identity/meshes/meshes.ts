import { type Database, findMesh, findMeshOfSession, inMesh, listMeshRows } from "@merkle/db";
import { isUuid } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityServices } from "../context.js";

/** The name of the mesh that every broker has; no other can be called so. */
export const mainMeshName = "main";

/**
 * The broker's meshes, each seen through services of its own: whoever is given those of one mesh finds no session, person
 * or memory of another (ISOLATION-1). So isolation is decided once, where somebody is let in, and not again in every verb.
 */
export interface Meshes<Services extends IdentityServices> {
  /** The one that every broker has. */
  readonly main: Services;
  /** The mesh of that id or name, or null. */
  find(ref: string): Promise<Services | null>;
  /** All of them, for what the broker does by itself. */
  all(): Promise<Services[]>;
  /** Forgets what is remembered of a credential, in whichever mesh its session is. */
  forgetCredential(sessionId: string, id: string): void;
  /** Forgets what is remembered of a session, in whichever mesh it is. */
  forgetSession(sessionId: string): void;
  /** Forgets what may have changed at other nodes unheard of. */
  forgetUnheard(): void;
}

/** @param view - makes the services of a mesh from its database and its name */
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

  // A mesh is never renamed nor removed, so its view stays right.
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

/** Says to which mesh a session belongs, and remembers those asked for lately. */
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
