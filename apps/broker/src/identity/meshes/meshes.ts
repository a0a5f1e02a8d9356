import { type Database, findMesh, findMeshOfSession, inMesh, listMeshRows } from "@merkle/db";
import { isUuid, limits } from "@merkle/wire";
import type { Services } from "../../context.js";
import { createCredentials } from "../../sessions/access/credentials.js";
import { createSessionDirectory } from "../../sessions/access/directory.js";
import { noSources, type Sources } from "../../work/sources/sources.js";

/** What the broker's parts share in whatever mesh. */
export type SharedServices = Omit<
  Services,
  "database" | "meshName" | "mesh" | "credentials" | "sessions" | "sources"
>;

/**
 * The broker's meshes, each seen through services of its own: whoever is given those of one mesh finds no session, person
 * or memory of another (ISOLATION-1). So isolation is decided once, where somebody is let in, and not again in every verb.
 */
export interface Meshes {
  /** The one that every broker has. */
  readonly main: Services;
  /** The mesh of that id or name, or null. */
  find(ref: string): Promise<Services | null>;
  /** All of them, for what the broker does by itself. */
  all(): Promise<Services[]>;
  /** Forgets what is remembered of a credential, in whichever mesh its session is. */
  forgetCredential(sessionId: string, id: string): void;
}

export function createMeshes({
  database,
  shared,
  sources,
}: {
  readonly database: Database;
  readonly shared: SharedServices;
  /** Of the main mesh: whoever configures the broker's roots has that one in mind, and anybody may have made another. */
  readonly sources: Sources;
}): Meshes {
  const open = new Map<string, Services>();

  function view(meshId: string, name: string): Services {
    const known = open.get(meshId);
    if (known) return known;
    const ofMesh = meshId === database.meshId ? database : inMesh(database, meshId);
    const services: Services = {
      ...shared,
      database: ofMesh,
      meshName: name,
      mesh: shared.meshChannels.in(meshId),
      credentials: createCredentials({ database: ofMesh, presence: shared.presence }),
      sessions: createSessionDirectory(ofMesh),
      sources: meshId === database.meshId ? sources : noSources,
    };
    open.set(meshId, services);
    return services;
  }

  // A mesh is never renamed nor removed, so its view stays right.
  return {
    main: view(database.meshId, "main"),
    async find(ref) {
      if (ref === database.meshId || ref.toLowerCase() === "main") return view(database.meshId, "main");
      const known = open.get(ref);
      if (known) return known;
      if (ref.length > limits.meshNameCharsMax) return null;
      const row = await findMesh(database.orm, isUuid(ref) ? { id: ref } : { name: ref });
      return row && view(row.meshId, row.name);
    },
    async all() {
      const rows = await listMeshRows(database.orm);
      return rows.map((row) => view(row.meshId, row.name));
    },
    forgetCredential(sessionId, id) {
      for (const { credentials } of open.values()) credentials.forget(sessionId, id);
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
