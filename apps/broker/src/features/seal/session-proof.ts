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
  computeConsistencyPath,
  computeInclusionPath,
  computeLogRoot,
  type DocumentEntry,
  type FeedEntry,
  hashEntry,
  type ReadSubtrees,
  toCanonicalJson,
  toHex,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import { toAuditKey } from "../../identity/audit-key/audit-key.js";
import type { SessionContext } from "../../sessions/context.js";
import { toEntries } from "./hash-entries.js";
import { waitForHashing } from "./records.js";
import type { SealServices } from "./services.js";
import { toSignedHead } from "./sign-head.js";
import { createSubtreeReader, type LogReader, missingEntry, type NamedLog } from "./tiles.js";

type SessionProofInput = ParsedInputOf<"session_proof">;
type SessionProofOutput = OutputOf<"session_proof">;

/**
 * Proves that an entry is in a session's record, or that an earlier root covers the beginning of a later
 * record (SEAL-4, SEAL-5). The path uses hashes stored earlier, but the entry is read from its current row.
 * If someone changed that row, the proof fails and reveals the damage.
 */
export async function getSessionProof(
  ctx: SessionContext<SealServices>,
  input: SessionProofInput,
): Promise<SessionProofOutput> {
  const { database, workers } = ctx.services;
  const { sessionId } = ctx.session;
  const { head: currentHead, extent } = await getCurrentHead(ctx);
  const request = parseProofRequest(input, extent);
  const { log, size, number, fromSize } = request;
  const reader = { db: database.orm, workers };
  const namedLog: NamedLog = { sessionId, recordId: extent.recordId, log };
  const subtrees = createSubtreeReader(reader, namedLog);

  const [root, head, inclusion, consistency] = await Promise.all([
    computeLogRoot(size, subtrees, sha256),
    input.size === undefined ? currentHead : findHead(ctx, log, size),
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
      readProvenEntry(reader, namedLog, of),
      computeInclusionPath({ index: of - 1, size: within }, subtrees, sha256),
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
    computeLogRoot(from, subtrees, sha256),
    computeConsistencyPath({ from, size }, subtrees, sha256),
  ]);
  return { from_size: from, from_root: toHex(root), path: path.map(toHex) };
}

async function getCurrentHead({ services, session }: SessionContext<SealServices>) {
  const now = await waitForHashing(services.records.findCurrentHead(session.sessionId));
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
function parseProofRequest(input: SessionProofInput, extent: RecordExtent): ProofRequest {
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
  const requireAtMost = (field: string, value: number | undefined, most: number) => {
    if (value === undefined || value <= most) return;
    const what = log === "feed" ? "messages" : "versions of the document";
    throw new MerkleError("bad_request", `${field} is ${value}, but there are only ${most} ${what}.`, {
      field,
    });
  };
  requireAtMost("size", size, all);
  requireAtMost(sequence === undefined ? "document_version" : "sequence", number, size);
  requireAtMost("from_size", fromSize, size);
  return { log, size, number, fromSize };
}

/** Returns the current signed head of a session's record, and the heads of its conclusions (SEAL-3). */
export async function getSessionSeal({
  services,
  session,
}: SessionContext<SealServices>): Promise<OutputOf<"session_seal">> {
  const { database, records, signer } = services;
  const { sessionId, slug } = session;
  const now = await waitForHashing(records.findCurrentHead(sessionId));
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

type InclusionProof = NonNullable<OutputOf<"session_proof">["inclusion"]>;

/** Reads an entry from its current row, including the text that its content hash covers. */
async function readProvenEntry(
  { db }: LogReader,
  log: NamedLog,
  number: number,
): Promise<Pick<InclusionProof, "entry" | "content" | "salt" | "leaf">> {
  const [[facts], hashed] = await Promise.all([
    readEntryFacts(db, log, { first: number, last: number }),
    findHashedContent(db, log, number),
  ]);
  const [numberedEntry] = facts === undefined ? [] : toEntries({ ...log, facts });
  if (!numberedEntry || !hashed) throw missingEntry(log.log, number);
  const leaf = toHex(hashEntry(numberedEntry.entry, sha256));
  return { entry: { ...numberedEntry.entry }, ...toShownContent(numberedEntry.entry, hashed), leaf };
}

/**
 * Reduces a private message to its public stub. The salt is left out, because it would only help to confirm a
 * guess (SEALED-3).
 */
function toShownContent(
  entry: FeedEntry | DocumentEntry,
  { content, salt }: HashedContent,
): Pick<InclusionProof, "content" | "salt"> {
  if ("private" in entry && salt !== null) {
    return { content: toCanonicalJson({ private: true, ...entry.private }), salt: null };
  }
  return { content, salt: salt && toHex(salt) };
}
