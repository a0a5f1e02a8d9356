import {
  findHashedContent,
  findHeadOver,
  type HashedContent,
  listOriginKeys,
  listSeals,
  type RecordExtent,
  readEntryFacts,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import {
  canonicalJson,
  consistencyPath,
  type DocumentEntry,
  entryLeaf,
  type FeedEntry,
  inclusionPath,
  type ReadSubtrees,
  rootOfLog,
  toHex,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import { toAuditKey } from "../../identity/audit-key/audit-key.js";
import type { SessionContext } from "../../sessions/context.js";
import { toEntries } from "./hash-entries.js";
import { whileHashing } from "./records.js";
import type { SealServices } from "./services.js";
import { toSignedHead } from "./sign-head.js";
import { type LogReader, missingEntry, type NamedLog, subtreesOf } from "./tiles.js";

type SessionProofInput = ParsedInputOf<"session_proof">;
type SessionProofOutput = OutputOf<"session_proof">;

/**
 * Proves that an entry is in a session's record, or that an earlier root covers the beginning of a later
 * record (SEAL-4, SEAL-5). The path uses hashes stored earlier, but the entry is read from its current row.
 * If someone changed that row, the proof fails and reveals the damage.
 */
export async function sessionProof(
  ctx: SessionContext<SealServices>,
  input: SessionProofInput,
): Promise<SessionProofOutput> {
  const { database, workers } = ctx.services;
  const { sessionId } = ctx.session;
  const { head: headNow, extent } = await readNow(ctx);
  const wanted = readWanted(input, extent);
  const { log, size, number, fromSize } = wanted;
  const reader = { db: database.orm, workers };
  const named: NamedLog = { sessionId, recordId: extent.recordId, log };
  const subtrees = subtreesOf(reader, named);

  const [root, head, inclusion, consistency] = await Promise.all([
    rootOfLog(size, subtrees, sha256),
    input.size === undefined ? headNow : findHead(ctx, log, size),
    number === undefined ? null : proveInclusion(number, size),
    fromSize === undefined ? null : proveConsistency(subtrees, fromSize, size),
  ]);
  return {
    session_id: sessionId,
    record_id: extent.recordId,
    log,
    size,
    root: toHex(root),
    head,
    inclusion,
    consistency,
  };

  async function proveInclusion(of: number, within: number): Promise<SessionProofOutput["inclusion"]> {
    const [entry, path] = await Promise.all([
      readProvenEntry(reader, named, of),
      inclusionPath({ index: of - 1, size: within }, subtrees, sha256),
    ]);
    return { log, number: of, ...entry, path: path.map(toHex) };
  }
}

async function proveConsistency(
  subtrees: ReadSubtrees,
  from: number,
  size: number,
): Promise<SessionProofOutput["consistency"]> {
  const [root, path] = await Promise.all([
    rootOfLog(from, subtrees, sha256),
    consistencyPath({ from, size }, subtrees, sha256),
  ]);
  return { from_size: from, from_root: toHex(root), path: path.map(toHex) };
}

async function readNow({ services, session }: SessionContext<SealServices>) {
  const now = await whileHashing(services.records.headNow(session.sessionId));
  if (!now) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  return now;
}

async function findHead(
  { services, session }: SessionContext<SealServices>,
  log: NamedLog["log"],
  size: number,
): Promise<SessionProofOutput["head"]> {
  const over = log === "feed" ? { size } : { documentVersion: size };
  const row = await findHeadOver(services.database.orm, session.sessionId, over);
  return row && toSignedHead(row);
}

interface ProofRequest {
  readonly log: NamedLog["log"];
  readonly size: number;
  readonly number: number | undefined;
  readonly fromSize: number | undefined;
}

/** @throws bad_request if the input names two entries, or an entry or size beyond the end of the log */
function readWanted(input: SessionProofInput, extent: RecordExtent): ProofRequest {
  const { sequence, document_version: version, from_size: fromSize } = input;
  if (sequence !== undefined && version !== undefined) {
    throw new MerkleError(
      "bad_request",
      "Pass the number of a message or a version of the document, not both.",
      {
        field: "document_version",
      },
    );
  }
  const number = sequence ?? version;
  const logOfNumber = number === undefined ? undefined : version === undefined ? "feed" : "document";
  const log = logOfNumber ?? input.log ?? "feed";
  if (input.log !== undefined && input.log !== log) {
    throw new MerkleError("bad_request", `The requested entry is in the log "${log}", not "${input.log}".`, {
      field: "log",
    });
  }
  const all = log === "feed" ? extent.size : extent.documentVersion;
  const size = input.size ?? all;
  const within = (field: string, value: number | undefined, most: number) => {
    if (value === undefined || value <= most) return;
    const what = log === "feed" ? "messages" : "versions of the document";
    throw new MerkleError("bad_request", `${field} is ${value}, but there are only ${most} ${what}.`, {
      field,
    });
  };
  within("size", size, all);
  within(sequence === undefined ? "document_version" : "sequence", number, size);
  within("from_size", fromSize, size);
  return { log, size, number, fromSize };
}

/** Returns the current signed head of a session's record, and the heads of its conclusions (SEAL-3). */
export async function sessionSeal({
  services,
  session,
}: SessionContext<SealServices>): Promise<OutputOf<"session_seal">> {
  const { database, records, signer } = services;
  const { sessionId, slug } = session;
  const now = await whileHashing(records.headNow(sessionId));
  if (!now) throw new MerkleError("not_found", `There is no session "${slug}".`);
  const [seals, originKeys] = await Promise.all([
    listSeals(database.orm, sessionId, limits.sealsListedMax),
    listOriginKeys(database.orm, sessionId),
  ]);
  const own = new Set(signer.keys.map(({ key_id }) => key_id));
  return {
    session_id: sessionId,
    concluded: now.extent.closed,
    head: now.head,
    seals: seals.map(toSignedHead),
    keys: [...originKeys.map(toAuditKey).filter(({ key_id }) => !own.has(key_id)), ...signer.keys],
  };
}

type Inclusion = NonNullable<OutputOf<"session_proof">["inclusion"]>;

/** Reads an entry from its current row, including the text that its content hash covers. */
async function readProvenEntry(
  { db }: LogReader,
  log: NamedLog,
  number: number,
): Promise<Pick<Inclusion, "entry" | "content" | "salt" | "leaf">> {
  const [[facts], hashed] = await Promise.all([
    readEntryFacts(db, log, { first: number, last: number }),
    findHashedContent(db, log, number),
  ]);
  const [found] = facts === undefined ? [] : toEntries({ ...log, facts });
  if (!found || !hashed) throw missingEntry(log.log, number);
  const leaf = toHex(entryLeaf(found.entry, sha256));
  return { entry: { ...found.entry }, ...toShown(found.entry, hashed), leaf };
}

/**
 * Reduces a private message to its public stub. The salt is left out, because it would only help to confirm a
 * guess (SEALED-3).
 */
function toShown(
  entry: FeedEntry | DocumentEntry,
  { content, salt }: HashedContent,
): Pick<Inclusion, "content" | "salt"> {
  if ("private" in entry && salt !== null) {
    return { content: canonicalJson({ private: true, ...entry.private }), salt: null };
  }
  return { content, salt: salt && toHex(salt) };
}
