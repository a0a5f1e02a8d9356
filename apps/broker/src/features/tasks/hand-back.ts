import {
  appendInTransaction,
  type Database,
  deleteTaskClaims,
  handBackClaim,
  handBackTask,
  type LapsedKey,
  listHolders,
  listLapsed,
  type MessageRow,
  renewHolders,
  type StoredMessage,
  type Transaction,
} from "@merkle/db";
import { toStoredMessage, toSystemRow } from "../../core/message.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { Channels } from "../../feed/delivery/channels.js";
import { isPresent } from "../../sessions/peers/peer.js";
import type { Presence } from "../../sessions/peers/presence.js";
import { toClaimEvent } from "./claim.js";
import { listConcernedPeers, toTaskEvent } from "./task.js";

interface HandBackOptions {
  readonly database: Pick<Database, "orm" | "transaction">;
  readonly presence: Pick<Presence, "find">;
  readonly channels: Pick<Channels, "deliver" | "announceChange">;
  /** When this broker started. The broker does not know about peers seen before then. */
  readonly startedAt: Date;
}

/** Maximum number of tasks and claims handed back at a time. The next run continues. */
const lapsedMax = 500;

/**
 * Returns a function that must be called regularly. It renews the tasks and claims of present peers. If a peer
 * has left, or was away longer than its session allows, its tasks and claims are handed back, each with an
 * event that names the peer (TASK-5, CLAIM-4).
 */
export function createHandBack(options: HandBackOptions): () => Promise<void> {
  const { database, channels, startedAt } = options;
  return async function handBack() {
    await renew(options);
    for (const key of await listLapsed(database.orm, startedAt, lapsedMax)) {
      const messages = await retryWhileLost(() =>
        database.transaction(async (tx) => {
          const rows = await (key.kind === "task" ? endTask : endClaim)(tx, key, startedAt);
          const stored: StoredMessage[] = [];
          for (const row of rows) stored.push(await append(tx, row));
          return stored;
        }),
      );
      const last = messages.at(-1);
      if (!last) continue;
      channels.deliver(key.sessionId, messages);
      channels.announceChange(key.sessionId, "tasks", last.sequence);
    }
  };
}

/**
 * Renews the tasks and claims of peers that were seen recently. An open connection counts as presence, even
 * if the agent sends nothing.
 */
async function renew({ database, presence }: HandBackOptions): Promise<void> {
  const now = new Date();
  const renewals = (await listHolders(database.orm)).flatMap(({ peerId, renewedAt }) => {
    const peer = presence.find(peerId);
    const seenAt = peer && (isPresent(peer) ? now : peer.lastSeenAt);
    return seenAt && seenAt > renewedAt ? [{ peerId, seenAt }] : [];
  });
  await renewHolders(database.orm, renewals);
}

const absenceReason = "was away for too long, or has left";

/** Hands a task back with its files, and returns the events. */
async function endTask(tx: Transaction, key: LapsedKey, since: Date): Promise<MessageRow[]> {
  const row = await handBackTask(tx, key, since);
  if (!row) return [];
  const claims = await deleteTaskClaims(tx, row);
  const holder = row.holder ?? "";
  const event = toTaskEvent(row, "Merkle", {
    change: "handed_back",
    holder,
    reason: `${holder} ${absenceReason}`,
  });
  const reaches = await listConcernedPeers(tx, row, ["holder", "creator", "assignee"]);
  return [
    toSystemRow(key.sessionId, event, { causedBy: null, reaches }),
    ...claims.map((claim) => {
      const change = toClaimEvent(claim, "Merkle", { change: "handed_back", holder });
      return toSystemRow(key.sessionId, change, { causedBy: null, reaches: [] });
    }),
  ];
}

async function endClaim(tx: Transaction, key: LapsedKey, since: Date): Promise<MessageRow[]> {
  const ended = await handBackClaim(tx, key, since);
  if (!ended) return [];
  const { claim, isExpired: expired } = ended;
  const event = toClaimEvent(claim, "Merkle", {
    change: expired ? "expired" : "handed_back",
    holder: claim.holder,
    ...(!expired && { reason: `${claim.holder} ${absenceReason}` }),
  });
  return [toSystemRow(key.sessionId, event, { causedBy: null, reaches: [claim.peerId] })];
}

async function append(tx: Transaction, row: MessageRow): Promise<StoredMessage> {
  const outcome = await appendInTransaction(tx, row);
  if (outcome.outcome === "posted") return toStoredMessage(row, outcome);
  throw new TypeError(`Appending the event of a returned task or claim returned ${outcome.outcome}.`);
}
