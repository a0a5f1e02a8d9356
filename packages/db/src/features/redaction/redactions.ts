import { and, between, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import {
  documentVersions,
  documentWords,
  feeds,
  messages,
  messageWords,
  peers,
  perspectives,
  sessions,
  stateEntries,
  stateVersions,
} from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/**
 * Takes a message's text away, with its words in the index of searches; false when it was done before. What is put in its
 * place, the database says: it lets no other change through.
 */
export async function redactMessageRow(
  tx: Transaction,
  sessionId: string,
  sequence: number,
): Promise<boolean> {
  const redacted = await tx
    .update(messages)
    .set({
      content: sql`redacted_content(type, kind, content)`,
      contentHash: sql`sha256(salt || convert_to(content, 'UTF8'))`,
      salt: null,
    })
    .where(and(eq(messages.sessionId, sessionId), eq(messages.sequence, sequence), isNotNull(messages.salt)))
    .returning({ sequence: messages.sequence });
  await tx
    .delete(messageWords)
    .where(and(eq(messageWords.sessionId, sessionId), eq(messageWords.sequence, sequence)));
  return redacted.length > 0;
}

export interface VersionRange {
  readonly from: number;
  readonly to: number;
}

/** The same of versions of a document; returns how many had a text until now. */
export async function redactDocumentVersions(
  tx: Transaction,
  sessionId: string,
  range: VersionRange,
): Promise<number> {
  const redacted = await tx
    .update(documentVersions)
    .set({
      content: null,
      contentHash: sql`sha256(salt || convert_to(content, 'UTF8'))`,
      salt: null,
    })
    .where(and(isIn(sessionId, range), isNotNull(documentVersions.salt)))
    .returning({ version: documentVersions.version });
  // Where the index is behind, it holds a version that is no longer the newest.
  await tx
    .delete(documentWords)
    .where(and(eq(documentWords.sessionId, sessionId), between(documentWords.version, range.from, range.to)));
  // A perspective of a removed text may quote it.
  await tx
    .delete(perspectives)
    .where(
      and(
        eq(perspectives.sessionId, sessionId),
        isNull(perspectives.path),
        between(perspectives.sourceVersion, range.from, range.to),
      ),
    );
  return redacted.length;
}

function isIn(sessionId: string, { from, to }: VersionRange): SQL | undefined {
  return and(eq(documentVersions.sessionId, sessionId), between(documentVersions.version, from, to));
}

/** The teams that wrote some versions of a document. */
export async function listVersionAuthors(
  db: Queryable,
  sessionId: string,
  range: VersionRange,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ teamId: documentVersions.writtenByTeamId })
    .from(documentVersions)
    .where(isIn(sessionId, range));
  return rows.map(({ teamId }) => teamId);
}

/** The teams of some peers of a session. */
export async function listTeamsOfPeers(
  db: Queryable,
  sessionId: string,
  peerIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ teamId: peers.teamId })
    .from(peers)
    .where(
      and(eq(peers.sessionId, sessionId), sql`${peers.peerId} = ANY (${`{${peerIds.join(",")}}`}::uuid[])`),
    );
  return rows.map(({ teamId }) => teamId);
}

/** The version of a key that its event before a message told of; 0 when none did. */
export async function findToldVersionBefore(
  db: Queryable,
  sessionId: string,
  key: string,
  sequence: number,
): Promise<number> {
  const content = sql`${messages.content}::json`;
  const [row] = await db
    .select({ version: sql<number>`(${content} ->> 'version')::int` })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        eq(messages.kind, "state_changed"),
        lt(messages.sequence, sequence),
        sql`${content} ->> 'key' = ${key}`,
      ),
    )
    .orderBy(sql`${messages.sequence} DESC`)
    .limit(1);
  return row?.version ?? 0;
}

/** Takes values of a key out of its history. The caller holds the key. */
export async function redactStateVersions(
  tx: Transaction,
  sessionId: string,
  key: string,
  { from, to }: VersionRange,
): Promise<void> {
  await tx
    .update(stateVersions)
    .set({ value: null, redacted: true })
    .where(
      and(
        eq(stateVersions.scopeId, sessionId),
        eq(stateVersions.key, key),
        between(stateVersions.version, from, to),
        isNotNull(stateVersions.value),
      ),
    );
}

/** Takes away what a key of a closed session holds, which nobody can change any more. The caller holds the key. */
export async function clearStateEntry(tx: Transaction, sessionId: string, key: string): Promise<void> {
  await tx
    .update(stateEntries)
    .set({ value: null })
    .where(and(eq(stateEntries.scopeId, sessionId), eq(stateEntries.key, key)));
}

/** Takes away why a session was last renamed or described anew, if that was at this time. */
export async function clearMetadataReason(tx: Transaction, sessionId: string, at: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ metadataChangeReason: null })
    .where(and(eq(sessions.sessionId, sessionId), eq(sessions.metadataChangedAt, at)));
}

/** Takes away why a session is held, if it is since this time. */
export async function clearHoldReason(tx: Transaction, sessionId: string, at: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ holdReason: null })
    .where(
      and(
        eq(sessions.sessionId, sessionId),
        sql`EXISTS (SELECT FROM ${feeds} f WHERE f.session_id = ${sessionId} AND f.held_at = ${at.toISOString()}::timestamptz)`,
      ),
    );
}

/** Whether a session came from another broker, whose record it is. */
export async function isImported(db: Queryable, sessionId: string): Promise<boolean> {
  const [row] = await db
    .select({ importedAt: sessions.importedAt })
    .from(sessions)
    .where(eq(sessions.sessionId, sessionId));
  return row?.importedAt != null;
}
