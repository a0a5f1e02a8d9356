import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Queryable, Transaction } from "../open-database.js";
import { personReads, persons } from "../schema.js";

export interface PersonRow {
  readonly personId: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  /** The member who this person is; null for one who was made in open mode. */
  readonly memberId: string | null;
  readonly createdAt: Date;
}

/** What proves somebody, by the uuid of the credential. */
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

/** Whose reading, and where. */
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
