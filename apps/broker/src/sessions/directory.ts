import { type Database, findSession, findSessionBySlug } from "@merkle/db";
import { isUuid, limits } from "@merkle/wire";

/** What never changes about a session, and whether it has been concluded, which changes once. */
export interface SessionIdentity {
  readonly sessionId: string;
  readonly slug: string;
  readonly createdByTeamId: string;
  /** True only when it is certain; the feed itself refuses what comes too late. */
  readonly closed: boolean;
}

/** Finds sessions by id or slug, and remembers those in use. */
export interface SessionDirectory {
  find(ref: string): Promise<SessionIdentity | null>;
  markClosed(sessionId: string): void;
}

export function createSessionDirectory(database: Pick<Database, "orm" | "meshId">): SessionDirectory {
  const remembered = new Map<string, { -readonly [Key in keyof SessionIdentity]: SessionIdentity[Key] }>();
  const idsBySlug = new Map<string, string>();

  function remember(identity: SessionIdentity): SessionIdentity {
    if (remembered.size >= limits.cachedSessionsMax) forgetOldest();
    remembered.set(identity.sessionId, { ...identity });
    idsBySlug.set(identity.slug, identity.sessionId);
    return remembered.get(identity.sessionId) ?? identity;
  }

  function forgetOldest(): void {
    const [oldest] = remembered.values();
    if (!oldest) return;
    remembered.delete(oldest.sessionId);
    idsBySlug.delete(oldest.slug);
  }

  return {
    async find(ref) {
      const name = ref.toLowerCase();
      const known = remembered.get(idsBySlug.get(name) ?? name);
      if (known) return known;
      const sessionId = isUuid(name) ? name : await findSessionBySlug(database.orm, database.meshId, name);
      const row = sessionId && (await findSession(database.orm, database.meshId, sessionId));
      if (!row) return null;
      const { slug, createdByTeamId, closedAt } = row;
      return remember({ sessionId: row.sessionId, slug, createdByTeamId, closed: closedAt !== null });
    },
    markClosed(sessionId) {
      const known = remembered.get(sessionId);
      if (known) known.closed = true;
    },
  };
}
