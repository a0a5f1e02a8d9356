import { type Database, findSession, findSessionBySlug, listNewestSlugs } from "@merkle/db";
import { isUuid, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { nearest } from "@merkle/wire/text";
import { isConfined, type Principal } from "./principal.js";

/** The facts of a session that never change, whether it has been concluded, which changes once, and whether it is archived. */
export interface SessionIdentity {
  readonly sessionId: string;
  readonly slug: string;
  readonly createdByTeamId: string;
  /** True only when it is certain; the feed itself refuses what comes too late. */
  readonly closed: boolean;
  /** Whether it is a copy of another broker's, which is here to be read. */
  readonly imported: boolean;
  /** Whether its messages are elsewhere (ARCHIVE-5). */
  readonly archived: boolean;
}

/** Finds sessions by id or slug, and remembers those that it found lately. */
export interface SessionDirectory {
  find(ref: string): SessionIdentity | null | Promise<SessionIdentity | null>;
  /** The slug of a session whose name was probably meant, among the newest; undefined where none is near. */
  findNear(ref: string): Promise<string | undefined>;
  markClosed(sessionId: string): void;
  /** Forgets a session, of which something has changed. */
  forget(sessionId: string): void;
  /** Forgets all: that one was concluded or archived at another node may not have been heard. */
  forgetAll(): void;
}

type Remembered = { -readonly [Key in keyof SessionIdentity]: SessionIdentity[Key] };

export function createSessionDirectory(
  database: Pick<Database, "orm" | "meshId">,
  cachedMax: number = limits.cachedSessionsMax,
): SessionDirectory {
  // The one that was read from the database longest ago stands first: to move each that is used would cost more than to read it again.
  const remembered = new Map<string, Remembered>();
  const idsBySlug = new Map<string, string>();
  // A thousand clients may come back at once and ask for one session.
  const reading = new Map<string, Promise<SessionIdentity | null>>();
  let findingNear = false;
  /** How often it heard that one was concluded, or changed: who was read meanwhile may have been read before that. */
  let heard = 0;

  function remember(identity: SessionIdentity): SessionIdentity {
    if (remembered.size >= cachedMax) forgetOldest();
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

  async function read(name: string): Promise<SessionIdentity | null> {
    const before = heard;
    const sessionId = isUuid(name) ? name : await findSessionBySlug(database.orm, database.meshId, name);
    const row = sessionId && (await findSession(database.orm, database.meshId, sessionId));
    if (!row) return null;
    const { slug, createdByTeamId, closedAt } = row;
    const identity = {
      sessionId: row.sessionId,
      slug,
      createdByTeamId,
      closed: closedAt !== null,
      imported: row.originId !== null,
      archived: row.archivedAt !== null,
    };
    return heard === before ? remember(identity) : identity;
  }

  function readShared(name: string): Promise<SessionIdentity | null> {
    const promise = reading.get(name) ?? read(name).finally(() => reading.delete(name));
    reading.set(name, promise);
    return promise;
  }

  return {
    find(ref) {
      const name = ref.toLowerCase();
      const known = remembered.get(idsBySlug.get(name) ?? name);
      if (known) return known;
      return canBeName(name) ? readShared(name) : null;
    },
    async findNear(ref) {
      const name = ref.toLowerCase();
      // One at a time: what is only a kindness is not worth a queue.
      if (findingNear || name.length > limits.slugCharsMax) return undefined;
      findingNear = true;
      try {
        const slugs = await listNewestSlugs(database.orm, database.meshId, nearAmong);
        return nearest(
          name,
          slugs.filter((slug) => Math.abs(slug.length - name.length) <= slug.length * 0.4),
        );
      } finally {
        findingNear = false;
      }
    },
    markClosed(sessionId) {
      heard += 1;
      const known = remembered.get(sessionId);
      if (known) known.closed = true;
    },
    forget(sessionId) {
      heard += 1;
      const known = remembered.get(sessionId);
      if (!known) return;
      remembered.delete(sessionId);
      idsBySlug.delete(known.slug);
    },
    forgetAll() {
      heard += 1;
      remembered.clear();
      idsBySlug.clear();
    },
  };
}

const nearAmong = 100;

/** Whether a session can have this id or slug; for anything else the database need not be asked. */
function canBeName(name: string): boolean {
  return /^[a-z0-9-]{1,100}$/.test(name);
}

/** The session that a filter names by id or slug; to whom only one is shown, there is no other. */
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

/** Whoever may see the others is told which was probably meant. */
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
