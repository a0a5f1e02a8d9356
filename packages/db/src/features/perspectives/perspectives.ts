import { and, desc, eq, sql } from "drizzle-orm";
import { documents, documentVersions, meshes, personas, perspectives } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** Identifies a reading by its text and its persona. A reading is what a persona has written about a text. */
export interface ReadingKey {
  readonly meshId: string;
  /** The text's source, in the format of `perspectives.source`. */
  readonly source: string;
  readonly sourceHash: string;
  readonly personaKey: string;
  readonly personaHash: string;
}

export interface NewPerspective extends Omit<ReadingKey, "source"> {
  readonly sessionId: string | null;
  readonly root: string | null;
  readonly path: string | null;
  readonly sourceVersion: number | null;
  readonly content: string;
  readonly job: number;
}

export interface PerspectiveRow extends Omit<ReadingKey, "meshId" | "source"> {
  readonly number: number;
  readonly personaName: string;
  readonly sourceVersion: number | null;
  readonly job: number;
  readonly madeAt: Date;
  /** Hash of the persona's current version. */
  readonly currentPersonaHash: string;
}

const columns = {
  number: perspectives.number,
  personaKey: perspectives.personaKey,
  personaName: personas.name,
  personaHash: perspectives.personaHash,
  currentPersonaHash: personas.hash,
  sourceVersion: perspectives.sourceVersion,
  sourceHash: perspectives.sourceHash,
  job: perspectives.job,
  madeAt: perspectives.madeAt,
};

/**
 * Stores a reading and returns its number. Replaces an earlier reading of the same text by the same persona.
 */
export async function upsertPerspective(tx: Transaction, made: NewPerspective): Promise<number> {
  const { content, job, sourceVersion } = made;
  const [counter] = await tx
    .update(meshes)
    .set({ lastPerspective: sql`${meshes.lastPerspective} + 1` })
    .where(eq(meshes.meshId, made.meshId))
    .returning({ number: meshes.lastPerspective });
  if (!counter) throw new TypeError("The mesh of the perspective was not found.");
  const [row] = await tx
    .insert(perspectives)
    .values({ ...made, number: counter.number, madeAt: sql`now()` })
    .onConflictDoUpdate({
      target: [perspectives.meshId, perspectives.source, perspectives.sourceHash, perspectives.personaHash],
      set: { content, job, sourceVersion, madeAt: sql`now()` },
    })
    .returning({ number: perspectives.number });
  if (!row) throw new TypeError("A perspective was not stored.");
  return row.number;
}

/** A source, with the hash of its current text. */
export interface CurrentSource {
  readonly meshId: string;
  readonly source: string;
  readonly hash: string;
}

/**
 * Sorts readings of the current text first. Among those, readings by the persona's current version come
 * first, then the newest.
 */
const orderBestFirst = ({ hash }: CurrentSource) => [
  desc(sql`(${perspectives.sourceHash} = ${hash})`),
  desc(sql`(${perspectives.personaHash} = ${personas.hash})`),
  desc(perspectives.madeAt),
  desc(perspectives.number),
];

/** Lists each persona's best reading of a source, ordered by the persona's name. */
export async function listBestPerspectives(db: Queryable, source: CurrentSource): Promise<PerspectiveRow[]> {
  return db
    .selectDistinctOn([perspectives.personaKey], columns)
    .from(perspectives)
    .innerJoin(personas, ofPersona)
    .where(isOf(source))
    .orderBy(perspectives.personaKey, ...orderBestFirst(source));
}

/** Returns the best reading of a source by a persona, with its content. Returns null if there is none. */
export async function findBestPerspective(
  db: Queryable,
  source: CurrentSource,
  personaKey: string,
): Promise<(PerspectiveRow & { readonly content: string }) | null> {
  const [row] = await db
    .select({ ...columns, content: perspectives.content })
    .from(perspectives)
    .innerJoin(personas, ofPersona)
    .where(and(isOf(source), eq(perspectives.personaKey, personaKey)))
    .orderBy(...orderBestFirst(source))
    .limit(1);
  return row ?? null;
}

const ofPersona = and(
  eq(personas.meshId, perspectives.meshId),
  eq(personas.nameKey, perspectives.personaKey),
);

function isOf({ meshId, source }: CurrentSource) {
  return and(eq(perspectives.meshId, meshId), eq(perspectives.source, source));
}

const hashOf = (content: unknown) => sql<string>`encode(sha256(convert_to(${content}, 'UTF8')), 'hex')`;

/**
 * Returns the current version of a document and the SHA-256 of its text. Returns null if the session does not
 * exist.
 */
export async function readDocumentHash(
  db: Queryable,
  sessionId: string,
): Promise<{ version: number; hash: string } | null> {
  const [row] = await db
    .select({ version: documents.version, hash: hashOf(documents.content) })
    .from(documents)
    .where(eq(documents.sessionId, sessionId));
  return row ?? null;
}

/**
 * Returns the SHA-256 of the text of a document version. Returns null if the version does not exist or its
 * text was removed.
 */
export async function findDocumentVersionHash(
  db: Queryable,
  sessionId: string,
  version: number,
): Promise<string | null> {
  if (version === 0) return hashOfNothing;
  const [row] = await db
    .select({ hash: sql<string | null>`${hashOf(documentVersions.content)}` })
    .from(documentVersions)
    .where(and(eq(documentVersions.sessionId, sessionId), eq(documentVersions.version, version)));
  return row?.hash ?? null;
}

/** SHA-256 of the empty text, which is version 0 of every document. That version is not stored. */
const hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
