import { and, desc, eq, gt, inArray, lte, notInArray, type SQL, sql } from "drizzle-orm";
import { furtherSecrets, personReads, persons, teams, verificationCodes } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface PersonRow {
  readonly personId: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  /** Id of the member who is this person. Null if the person was created in open mode. */
  readonly memberId: string | null;
  readonly createdAt: Date;
  /**
   * When the person proved to be the broker's operator. For a member, the membership is the proof, so this is
   * not needed.
   */
  readonly verifiedAt: Date | null;
}

/** A valid secret, with the id of the team, peer or person that the secret belongs to. */
export interface LiveSecret {
  readonly id: string;
  readonly secretHash: Uint8Array;
}

export async function findPerson(db: Queryable, meshId: string, personId: string): Promise<PersonRow | null> {
  return findOne(db, and(eq(persons.meshId, meshId), eq(persons.personId, personId)));
}

/** Finds a member's person. Returns null if the member has none yet. */
export async function findPersonOfMember(
  db: Queryable,
  meshId: string,
  memberId: string,
): Promise<PersonRow | null> {
  return findOne(db, and(eq(persons.meshId, meshId), eq(persons.memberId, memberId)));
}

async function findOne(db: Queryable, condition: SQL | undefined): Promise<PersonRow | null> {
  const [row] = await db
    .select({
      personId: persons.personId,
      name: persons.name,
      secretHash: persons.secretHash,
      memberId: persons.memberId,
      createdAt: persons.createdAt,
      verifiedAt: persons.verifiedAt,
    })
    .from(persons)
    .where(condition);
  return row ?? null;
}

/** Inserts a person. Returns false if the member already has a person. */
export async function insertPerson(
  tx: Transaction,
  person: PersonRow & { readonly meshId: string },
): Promise<boolean> {
  const rows = await tx
    .insert(persons)
    .values(person)
    .onConflictDoNothing()
    .returning({ personId: persons.personId });
  return rows.length > 0;
}

export async function renamePersonRow(
  tx: Transaction,
  meshId: string,
  personId: string,
  name: string,
): Promise<void> {
  await tx
    .update(persons)
    .set({ name })
    .where(and(eq(persons.meshId, meshId), eq(persons.personId, personId)));
}

/** Marks a person and all of the person's teams as verified. The caller must hold the lock on the person. */
export async function setPersonVerified(tx: Transaction, meshId: string, personId: string): Promise<void> {
  await tx
    .update(persons)
    .set({ verifiedAt: sql`now()` })
    .where(and(eq(persons.meshId, meshId), eq(persons.personId, personId)));
  await tx.update(teams).set({ kind: "human" }).where(eq(teams.personId, personId));
}

/** Stores a one-time code for verifying a person, and deletes expired codes. */
export async function insertVerificationCode(
  tx: Transaction,
  { secretHash, seconds }: { readonly secretHash: Uint8Array; readonly seconds: number },
): Promise<Date> {
  await tx.delete(verificationCodes).where(lte(verificationCodes.expiresAt, sql`now()`));
  const [row] = await tx
    .insert(verificationCodes)
    .values({ secretHash, expiresAt: sql`now() + make_interval(secs => ${seconds})` })
    .returning({ expiresAt: verificationCodes.expiresAt });
  if (!row) throw new TypeError("A code was not stored.");
  return row.expiresAt;
}

/**
 * Redeems a verification code. Returns false if the code was already used, has expired or never existed. If
 * several callers race, exactly one succeeds.
 */
export async function takeVerificationCode(tx: Transaction, secretHash: Uint8Array): Promise<boolean> {
  const taken = await tx
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.secretHash, secretHash), gt(verificationCodes.expiresAt, sql`now()`)))
    .returning({ expiresAt: verificationCodes.expiresAt });
  return taken.length > 0;
}

/** Returns true if a verification code is still valid. */
export async function hasVerificationCode(db: Queryable, secretHash: Uint8Array): Promise<boolean> {
  const rows = await db
    .select({ expiresAt: verificationCodes.expiresAt })
    .from(verificationCodes)
    .where(and(eq(verificationCodes.secretHash, secretHash), gt(verificationCodes.expiresAt, sql`now()`)));
  return rows.length > 0;
}

/** Returns true if a verified person or an active member has this name, ignoring case. */
export async function isNameOfVerified(db: Queryable, meshId: string, name: string): Promise<boolean> {
  const [row] =
    await db.execute(sql`SELECT 1 FROM ${persons} WHERE mesh_id = ${meshId} AND lower(name) = lower(${name})
      AND (verified_at IS NOT NULL OR member_id IS NOT NULL)
    UNION ALL SELECT 1 FROM members WHERE mesh_id = ${meshId} AND lower(name) = lower(${name}) AND revoked_at IS NULL LIMIT 1`);
  return row !== undefined;
}

/**
 * Locks a person's row until the transaction ends, so that the person's concurrent actions happen one after
 * another.
 */
export async function lockPerson(tx: Transaction, meshId: string, personId: string): Promise<void> {
  await tx.execute(
    sql`SELECT FROM ${persons} WHERE ${persons.meshId} = ${meshId} AND ${persons.personId} = ${personId} FOR NO KEY UPDATE`,
  );
}

/** Returns the secret hashes of the people that these ids belong to. Other ids are ignored. */
export async function findPersonSecrets(
  db: Queryable,
  meshId: string,
  ids: readonly string[],
): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: persons.personId, secretHash: persons.secretHash })
    .from(persons)
    .where(and(eq(persons.meshId, meshId), inArray(persons.personId, [...ids])));
}

/** Identifies how far one person has read one session. */
export interface ReadPositionKey {
  readonly meshId: string;
  readonly personId: string;
  readonly sessionId: string;
}

/**
 * Records that a person has read up to a sequence. Returns the resulting position, which never moves
 * backwards.
 */
export async function saveLastRead(
  db: Queryable,
  reading: ReadPositionKey,
  lastRead: number,
): Promise<number> {
  const [row] = await db
    .insert(personReads)
    .values({ ...reading, lastRead })
    .onConflictDoUpdate({
      target: [personReads.meshId, personReads.personId, personReads.sessionId],
      set: { lastRead: sql`greatest(${personReads.lastRead}, excluded.last_read)` },
    })
    .returning({ lastRead: personReads.lastRead });
  return row?.lastRead ?? lastRead;
}

/**
 * Returns a person's reading position in each session. Sessions that the person has never read are omitted.
 */
export async function readLastReads(
  db: Queryable,
  meshId: string,
  personId: string,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db
    .select({ sessionId: personReads.sessionId, lastRead: personReads.lastRead })
    .from(personReads)
    .where(
      and(
        eq(personReads.meshId, meshId),
        eq(personReads.personId, personId),
        inArray(personReads.sessionId, [...sessionIds]),
      ),
    );
  return new Map(rows.map((row) => [row.sessionId, row.lastRead]));
}

/** The owner of further secrets: a team within its session, or a person within its mesh. */
export interface SecretHolder {
  readonly scopeId: string;
  readonly id: string;
}

/**
 * Adds a secret to a team or person. If the owner then has more than `max` further secrets, the oldest
 * becomes invalid.
 */
export async function insertFurtherSecret(
  tx: Transaction,
  holder: SecretHolder,
  { secretHash, max }: { readonly secretHash: Uint8Array; readonly max: number },
): Promise<void> {
  await tx.insert(furtherSecrets).values({ scopeId: holder.scopeId, id: holder.id, secretHash });
  const newest = tx
    .select({ secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(isOf(holder))
    .orderBy(desc(furtherSecrets.createdAt))
    .limit(max);
  await tx.delete(furtherSecrets).where(and(isOf(holder), notInArray(furtherSecrets.secretHash, newest)));
}

export async function listFurtherSecrets(db: Queryable, holder: SecretHolder): Promise<Uint8Array[]> {
  const rows = await db
    .select({ secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(isOf(holder));
  return rows.map((row) => row.secretHash);
}

export async function deleteFurtherSecrets(tx: Transaction, holder: SecretHolder): Promise<void> {
  await tx.delete(furtherSecrets).where(isOf(holder));
}

/** Returns the further secrets of these teams and people, to detect text that quotes a secret. */
export async function findFurtherSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: furtherSecrets.id, secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(inArray(furtherSecrets.id, [...ids]));
}

function isOf({ scopeId, id }: SecretHolder) {
  return and(eq(furtherSecrets.scopeId, scopeId), eq(furtherSecrets.id, id));
}
