import { clearHoldReason, clearMetadataReason, lockSession, type StoredMessage } from "@merkle/db";
import type { SystemEvent } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { SessionContext } from "../../sessions/context.js";
import type { SealServices } from "../seal/feature.js";

/**
 * Removes a redacted event's text from other tables that also store it (REDACT-7), and a message's files.
 *
 * @throws conflict for the current value of a state key, while the key can still be changed
 */
export async function forgetElsewhere(
  ctx: SessionContext<SealServices>,
  write: Write,
  { id, type, sequence, content }: StoredMessage,
): Promise<void> {
  if (type === "chat") {
    for (const hook of ctx.services.hooks.onRemoveText)
      await hook.forgetMessage?.(write.tx, { sessionId: ctx.session.sessionId, messageId: id });
    return;
  }
  const event: SystemEvent = JSON.parse(content);
  await forgetReason(ctx, write, event);
  for (const hook of ctx.services.hooks.onRemoveText)
    await hook.forgetEvent?.(ctx, write, { sequence, event });
}

async function forgetReason(
  { session: { sessionId } }: SessionContext<SealServices>,
  { tx }: Write,
  event: SystemEvent,
): Promise<void> {
  switch (event.event) {
    case "session_metadata_updated":
      await lockSession(tx, sessionId);
      return clearMetadataReason(tx, sessionId, new Date(event.at));
    case "session_held":
      await lockSession(tx, sessionId);
      return clearHoldReason(tx, sessionId, new Date(event.at));
    default:
  }
}
