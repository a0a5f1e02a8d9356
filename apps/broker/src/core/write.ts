import { randomUUID } from "node:crypto";
import {
  appendInTransaction,
  claimRequest,
  type Database,
  findRequest,
  type MessageRow,
  type StoredMessage,
  storeRequestResult,
  type Transaction,
} from "@merkle/db";
import { MerkleError, type SystemEvent } from "@merkle/wire";
import { toCanonicalJson } from "@merkle/wire/record";
import { decrypt, encrypt } from "./encrypt.js";
import { type EventOptions, toStoredMessage, toSystemRow } from "./message.js";
import { retryWhileLost } from "./retry-while-lost.js";
import { sha256 } from "./sha256.js";
import type { Turns } from "./turns.js";

/** A handler's write: its transaction, and the callbacks to run after the commit. */
export interface Write {
  readonly tx: Transaction;
  /**
   * Posts an event to the session's feed. Call last in a write, because this call locks the feed until the
   * commit.
   *
   * @throws session_closed, unless the event may be posted after closing
   */
  announce(
    sessionId: string,
    event: SystemEvent,
    options: AnnounceOptions,
  ): Promise<{ sequence: number; postedAt: Date }>;
  /** Posts a message of any type. Otherwise like `announce`. */
  post(row: MessageRow): Promise<{ sequence: number; postedAt: Date }>;
  /** Runs a callback after the commit. Skipped if the write fails or is an idempotent retry. */
  afterCommit(run: () => void): void;
}

export type AnnounceOptions = Omit<EventOptions, "id">;

/** Identifies a request. A retry has the same identity. */
export interface RequestIdentity {
  readonly operation: string;
  /** Id of the calling team, person, member or job. Null for a caller without an identity. */
  readonly caller: string | null;
  readonly idempotencyKey: string | undefined;
  /**
   * The validated input, with the session's id in place of its slug, and without the credential and the
   * idempotency key.
   */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface WriteServices {
  readonly database: Database;
  /**
   * Queues that run writes to the same session one at a time. Writes without a session are queued by caller
   * instead. Null on a single node.
   */
  readonly turns: Turns | null;
  readonly onAnnounced: (message: StoredMessage) => void;
}

/**
 * Runs a write once per idempotency key (IDEM-1). The result is stored in the same transaction, under the
 * caller's key or a random key. The transaction can therefore be run again safely if its commit was not
 * confirmed.
 */
export async function writeOnce<Result>(
  services: WriteServices,
  request: RequestIdentity,
  work: (write: Write) => Promise<Result>,
): Promise<Result> {
  const key = request.idempotencyKey ?? randomUUID();
  const { purpose, requestKey, inputHash } = toRequestAddress(services.database, request, key);

  const queueKey = String(request.input["session_id"] ?? request.caller);
  const runInTurn: Turns = services.turns ?? ((_rows, write) => write());

  return retryWhileLost(async () => {
    const announced: StoredMessage[] = [];
    const callbacks: (() => void)[] = [];
    const runTransaction = () =>
      services.database.transaction(async (tx): Promise<Result> => {
        const earlier = await claimRequest(tx, requestKey, inputHash);
        if (earlier) {
          if (!inputHash.equals(earlier.inputHash)) throw otherInput(request.operation);
          return JSON.parse(decrypt(key, purpose, earlier.sealedResult));
        }
        const result = await work({
          tx,
          announce: (sessionId, event, options) =>
            post(tx, announced, toSystemRow(sessionId, event, options)),
          post: (row) => post(tx, announced, row),
          afterCommit: (run) => callbacks.push(run),
        });
        await storeRequestResult(tx, requestKey, encrypt(key, purpose, JSON.stringify(result)));
        return result;
      });
    const result = await runInTurn(queueKey, runTransaction);
    for (const run of callbacks) run();
    for (const message of announced) services.onAnnounced(message);
    return result;
  });
}

/**
 * Returns the result from the first use of a request's idempotency key, or undefined. Used when the caller may
 * no longer make the request.
 */
export async function readEarlierResult(database: Database, request: RequestIdentity): Promise<unknown> {
  if (request.idempotencyKey === undefined) return undefined;
  const { purpose, requestKey, inputHash } = toRequestAddress(database, request, request.idempotencyKey);
  const earlier = await findRequest(database.orm, requestKey);
  if (!earlier) return undefined;
  if (!inputHash.equals(earlier.inputHash)) throw otherInput(request.operation);
  return JSON.parse(decrypt(request.idempotencyKey, purpose, earlier.sealedResult));
}

function toRequestAddress(database: Database, request: RequestIdentity, key: string) {
  const purpose = toCanonicalJson([request.operation, request.caller, key]);
  return {
    purpose,
    requestKey: { meshId: database.meshId, requestHash: sha256(purpose) },
    inputHash: sha256(toCanonicalJson(request.input)),
  };
}

async function post(
  tx: Transaction,
  announced: StoredMessage[],
  row: MessageRow,
): Promise<{ sequence: number; postedAt: Date }> {
  const outcome = await appendInTransaction(tx, row);
  switch (outcome.outcome) {
    case "posted":
      announced.push(toStoredMessage(row, outcome));
      return outcome;
    case "closed":
      throw new MerkleError(
        "session_closed",
        "The session was concluded or archived in the meantime, so nothing was changed.",
      );
    case "missing":
    case "busy":
    case "held":
    case "over_budget":
    case "duplicate":
      throw new TypeError(`Appending in a transaction returned ${outcome.outcome}.`);
  }
}

function otherInput(operation: string): MerkleError {
  return new MerkleError(
    "conflict",
    `This idempotency key was used before with different input, so nothing was done. Use a new key for a new request, and an old key only to repeat a request.`,
    { operation },
  );
}
