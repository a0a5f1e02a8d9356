import { type Database, findSession, findSessionBySlug, listNewestSlugs } from "@merkle/db";
import { isUuid, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findNearest } from "@merkle/wire/text";
import { isConfined, type Principal } from "./principal.js";

/** The facts about a session that never change, and whether the session is closed, imported or archived. */
export interface SessionIdentity {
  readonly sessionId: string;
  readonly slug: string;
  readonly createdByTeamId: string;
  /** True only if the session is known to be closed. Otherwise the feed itself refuses late writes. */
  readonly isClosed: boolean;
  /** Whether the session is a read-only copy from another broker. */
  readonly isImported: boolean;
  /** Whether the session's messages have been moved to an archive (ARCHIVE-5). */
  readonly isArchived: boolean;
}

/** Finds sessions by id or slug, and caches recent results. */
export interface SessionDirectory {
  find(ref: string): SessionIdentity | null | Promise<SessionIdentity | null>;
  /**
   * Returns the most similar slug among the newest sessions, to suggest in an error. Undefined if no slug is
   * similar.
   */
  findNear(ref: string): Promise<string | undefined>;
  markClosed(sessionId: string): void;
  /** Drops a session from the cache, because it has changed. */
  invalidate(sessionId: string): void;
  /** Clears the cache, because hints about sessions concluded or archived on other nodes may have been lost. */
  clear(): void;
}

type CachedSession = { -readonly [Key in keyof SessionIdentity]: SessionIdentity[Key] };

export function createSessionDirectory(
  database: Pick<Database, "orm" | "meshId">,
  cachedMax: number = limits.cachedSessionsMax,
): SessionDirectory {
  // The cached sessions, ordered by when they were read from the database. Reordering on each use would cost
  // more than reading again.
  const cached = new Map<string, CachedSession>();
  const idsBySlug = new Map<string, string>();
  // Reads in progress, shared between callers: a thousand clients may reconnect at the same time and request
  // the same session.
  const reading = new Map<string, Promise<SessionIdentity | null>>();
  let isFindingNear = false;
  /**
   * Number of changes reported so far. If it changes while a row is being read, the row may be outdated and
   * is not cached.
   */
  let changeCount = 0;

  function cacheSession(identity: SessionIdentity): SessionIdentity {
    if (cached.size >= cachedMax) dropOldest();
    cached.set(identity.sessionId, { ...identity });
    idsBySlug.set(identity.slug, identity.sessionId);
    return cached.get(identity.sessionId) ?? identity;
  }

  function dropOldest(): void {
    const [oldest] = cached.values();
    if (!oldest) return;
    cached.delete(oldest.sessionId);
    idsBySlug.delete(oldest.slug);
  }

  async function read(name: string): Promise<SessionIdentity | null> {
    const before = changeCount;
    const sessionId = isUuid(name) ? name : await findSessionBySlug(database.orm, database.meshId, name);
    const row = sessionId && (await findSession(database.orm, database.meshId, sessionId));
    if (!row) return null;
    const { slug, createdByTeamId, closedAt } = row;
    const identity = {
      sessionId: row.sessionId,
      slug,
      createdByTeamId,
      isClosed: closedAt !== null,
      isImported: row.originId !== null,
      isArchived: row.archivedAt !== null,
    };
    return changeCount === before ? cacheSession(identity) : identity;
  }

  function readShared(name: string): Promise<SessionIdentity | null> {
    const promise = reading.get(name) ?? read(name).finally(() => reading.delete(name));
    reading.set(name, promise);
    return promise;
  }

  return {
    find(ref) {
      const name = ref.toLowerCase();
      const known = cached.get(idsBySlug.get(name) ?? name);
      if (known) return known;
      return canBeName(name) ? readShared(name) : null;
    },
    async findNear(ref) {
      const name = ref.toLowerCase();
      // Only one search runs at a time, because a suggestion is not worth waiting for.
      if (isFindingNear || name.length > limits.slugCharsMax) return undefined;
      isFindingNear = true;
      try {
        const slugs = await listNewestSlugs(database.orm, database.meshId, nearSlugsMax);
        return findNearest(
          name,
          slugs.filter((slug) => Math.abs(slug.length - name.length) <= slug.length * 0.4),
        );
      } finally {
        isFindingNear = false;
      }
    },
    markClosed(sessionId) {
      changeCount += 1;
      const known = cached.get(sessionId);
      if (known) known.isClosed = true;
    },
    invalidate(sessionId) {
      changeCount += 1;
      const known = cached.get(sessionId);
      if (!known) return;
      cached.delete(sessionId);
      idsBySlug.delete(known.slug);
    },
    clear() {
      changeCount += 1;
      cached.clear();
      idsBySlug.clear();
    },
  };
}

const nearSlugsMax = 100;

/** Returns whether a string can be a session's id or slug. If not, no database query is needed. */
function canBeName(name: string): boolean {
  return /^[a-z0-9-]{1,100}$/.test(name);
}

/**
 * Returns the session that a filter names by id or slug. A principal confined to one session cannot find any
 * other session.
 */
export async function requireSession(
  { sessions }: { readonly sessions: SessionDirectory },
  ref: string,
  principal: Principal | null = null,
): Promise<SessionIdentity> {
  const session = await sessions.find(ref);
  const isHidden = isConfined(principal) && principal.sessionId !== session?.sessionId;
  if (session && !isHidden) return session;
  throw await noSuchSession(sessions, ref, principal);
}

/** Builds the error for an unknown session. Suggests a similar slug to callers who may see other sessions. */
export async function noSuchSession(
  sessions: SessionDirectory,
  ref: string,
  principal: Principal | null,
): Promise<MerkleError> {
  const near = isConfined(principal) ? undefined : await sessions.findNear(ref);
  return new MerkleError(
    "not_found",
    `There is no session "${ref.slice(0, 100)}".${near === undefined ? "" : ` Did you mean ${near}?`}`,
    { ...(near !== undefined && { near }), next: "list_sessions" },
  );
}
