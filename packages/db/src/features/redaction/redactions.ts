import type { VersionRange } from "@merkle/wire";
import { and, between, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import {
  documentVersions,
  documentWords,
  feeds,
  messages,
  messageWords,
  peers,
  perspectives,
  sessions,
} from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/**
 * Redacts a message and removes its words from the search index. Returns false if the message was already
 * redacted. The database defines the redacted content and refuses any other change.
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

/** Redacts versions of a document. Returns how many of the versions still had text. */
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
    .where(and(isVersionInRange(sessionId, range), isNotNull(documentVersions.salt)))
    .returning({ version: documentVersions.version });
  // The index contains one version per document. If the index is behind, that version may be a redacted one,
  // even though it is no longer the newest.
  await tx
    .delete(documentWords)
    .where(and(eq(documentWords.sessionId, sessionId), between(documentWords.version, range.from, range.to)));
  // Deletes perspectives on the redacted versions, because they may quote the removed text.
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

function isVersionInRange(sessionId: string, { from, to }: VersionRange): SQL | undefined {
  return and(eq(documentVersions.sessionId, sessionId), between(documentVersions.version, from, to));
}

/** Lists the teams that wrote the given document versions. */
export async function listVersionAuthors(
  db: Queryable,
  sessionId: string,
  range: VersionRange,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ teamId: documentVersions.writtenByTeamId })
    .from(documentVersions)
    .where(isVersionInRange(sessionId, range));
  return rows.map(({ teamId }) => teamId);
}

/** Lists the teams that the given peers belong to. */
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

/**
 * Removes the reason given for the last change to a session's title or description, if that change was made
 * at `at`.
 */
export async function clearMetadataReason(tx: Transaction, sessionId: string, at: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ metadataChangeReason: null })
    .where(and(eq(sessions.sessionId, sessionId), eq(sessions.metadataChangedAt, at)));
}

/** Removes the reason given for holding a session, if the hold began at `at`. */
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

/** Returns true if a session was imported. Another broker then owns its record. */
export async function isImported(db: Queryable, sessionId: string): Promise<boolean> {
  const [row] = await db
    .select({ importedAt: sessions.importedAt })
    .from(sessions)
    .where(eq(sessions.sessionId, sessionId));
  return row?.importedAt != null;
}
