import { and, desc, eq, gt, inArray, lte, notInArray, type SQL, sql } from "drizzle-orm";
import { furtherSecrets, personReads, persons, teams, verificationCodes } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface PersonRow {
  readonly personId: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  /** The member who this person is; null for one who was made in open mode. */
  readonly memberId: string | null;
  readonly createdAt: Date;
  /** When it proved to be who runs the broker; a member's person is proved by its member. */
  readonly verifiedAt: Date | null;
}

/** The secrets that prove somebody, by the uuid of the credential. */
export interface LiveSecret {
  readonly id: string;
  readonly secretHash: Uint8Array;
}

export async function findPerson(db: Queryable, meshId: string, personId: string): Promise<PersonRow | null> {
  return findOne(db, and(eq(persons.meshId, meshId), eq(persons.personId, personId)));
}

/** The person that a member is, if it has become one. */
export async function findPersonOfMember(
  db: Queryable,
  meshId: string,
  memberId: string,
): Promise<PersonRow | null> {
  return findOne(db, and(eq(persons.meshId, meshId), eq(persons.memberId, memberId)));
}

async function findOne(db: Queryable, which: SQL | undefined): Promise<PersonRow | null> {
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
    .where(which);
  return row ?? null;
}

/** Stores a person; false when its member is one already. */
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

/** Makes a person verified, and with it every team that it is; to be called with the person held. */
export async function setPersonVerified(tx: Transaction, meshId: string, personId: string): Promise<void> {
  await tx
    .update(persons)
    .set({ verifiedAt: sql`now()` })
    .where(and(eq(persons.meshId, meshId), eq(persons.personId, personId)));
  await tx.update(teams).set({ kind: "human" }).where(eq(teams.personId, personId));
}

/** Keeps a code that verifies a person once, and drops those that have expired. */
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

/** Uses a code up; false for one that was used, has expired, or never was. Of any number who bring one, one has it. */
export async function takeVerificationCode(tx: Transaction, secretHash: Uint8Array): Promise<boolean> {
  const taken = await tx
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.secretHash, secretHash), gt(verificationCodes.expiresAt, sql`now()`)))
    .returning({ expiresAt: verificationCodes.expiresAt });
  return taken.length > 0;
}

/** Whether a code would still verify somebody. */
export async function hasVerificationCode(db: Queryable, secretHash: Uint8Array): Promise<boolean> {
  const rows = await db
    .select({ expiresAt: verificationCodes.expiresAt })
    .from(verificationCodes)
    .where(and(eq(verificationCodes.secretHash, secretHash), gt(verificationCodes.expiresAt, sql`now()`)));
  return rows.length > 0;
}

/** Whether a name, in any case, is that of a verified person or of a member who was not revoked. */
export async function isNameOfVerified(db: Queryable, meshId: string, name: string): Promise<boolean> {
  const [row] =
    await db.execute(sql`SELECT 1 FROM ${persons} WHERE mesh_id = ${meshId} AND lower(name) = lower(${name})
      AND (verified_at IS NOT NULL OR member_id IS NOT NULL)
    UNION ALL SELECT 1 FROM members WHERE mesh_id = ${meshId} AND lower(name) = lower(${name}) AND revoked_at IS NULL LIMIT 1`);
  return row !== undefined;
}

/** Holds a person's row until the transaction ends, so that what a person does at once is done one after the other. */
export async function lockPerson(tx: Transaction, meshId: string, personId: string): Promise<void> {
  await tx.execute(
    sql`SELECT FROM ${persons} WHERE ${persons.meshId} = ${meshId} AND ${persons.personId} = ${personId} FOR NO KEY UPDATE`,
  );
}

/** The secret hashes of those of these ids that are persons'. */
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

/** A person's reading of one session. */
export interface Reading {
  readonly meshId: string;
  readonly personId: string;
  readonly sessionId: string;
}

/** Notes that a person has read up to a sequence, and returns how far that is now: it never goes back. */
export async function saveLastRead(db: Queryable, reading: Reading, lastRead: number): Promise<number> {
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

/** How far a person has read in some sessions; one that is missing has not been read in. */
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

/** The owner of secrets: a team in its session, or a person in its mesh. */
export interface SecretHolder {
  readonly scopeId: string;
  readonly id: string;
}

/** Gives a team or person one more secret. Of more than `max` the oldest is good no more. */
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

/** Those of these ids, whether teams' or persons': to tell whether a text quotes a live one. */
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
