import {
  clearHoldReason,
  clearMetadataReason,
  clearStateEntry,
  findToldVersionBefore,
  forgetClaimReason,
  forgetTaskTexts,
  lockSession,
  lockStateEntry,
  redactStateVersions,
  type StoredMessage,
} from "@merkle/db";
import { MerkleError, type SystemEvent } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { SessionContext } from "../../sessions/context.js";
import type { SealServices } from "../seal/feature.js";

/**
 * Removes what an event says from where it is kept beside the feed (REDACT-7).
 *
 * @throws conflict for a value that a key still holds, while it can be changed
 */
export async function forgetElsewhere(
  ctx: SessionContext<SealServices>,
  write: Write,
  { type, sequence, content }: StoredMessage,
): Promise<void> {
  if (type === "chat") return;
  const { sessionId } = ctx.session;
  const event: SystemEvent = JSON.parse(content);
  switch (event.event) {
    case "state_changed":
      return forgetValues(ctx, write, sequence, event);
    case "task_changed":
      return forgetTaskTexts(write.tx, { sessionId, number: event.task }, event);
    case "claim_changed":
      return forgetClaimReason(write.tx, { sessionId, number: event.claim }, event.reason);
    case "session_metadata_updated":
      await lockSession(write.tx, sessionId);
      return clearMetadataReason(write.tx, sessionId, new Date(event.at));
    case "session_held":
      await lockSession(write.tx, sessionId);
      return clearHoldReason(write.tx, sessionId, new Date(event.at));
    default:
  }
}

/** An event tells of the last of several quick changes; the values before it, of which none told, go with it. */
async function forgetValues(
  ctx: SessionContext<SealServices>,
  { tx }: Write,
  sequence: number,
  { key, version }: Extract<SystemEvent, { event: "state_changed" }>,
): Promise<void> {
  const { sessionId } = ctx.session;
  const entry = await lockStateEntry(tx, sessionId, key);
  if (!entry) return;
  if (entry.version === version && entry.value !== null) {
    const channel = await ctx.services.channels.open(sessionId);
    if (!channel.closed) throw stillHeld(key);
    await clearStateEntry(tx, sessionId, key);
  }
  const before = await findToldVersionBefore(tx, sessionId, key, sequence);
  await redactStateVersions(tx, sessionId, key, { from: before + 1, to: version });
}

function stillHeld(key: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The state key "${key}" still has this value, so nothing was removed. Change or delete the key first, then remove this message.`,
    { key, next: "set_state" },
  );
}
