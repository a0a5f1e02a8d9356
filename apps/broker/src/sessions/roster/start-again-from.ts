import { placeCursor } from "@merkle/db";
import type { Write } from "../../core/write.js";
import type { SessionContext, SessionServices } from "../context.js";

/** Puts a peer's cursor where it wants to read on, back as well as forward (JOIN-3). */
export async function startAgainFrom(
  { services, session }: SessionContext<SessionServices>,
  write: Write,
  peerId: string,
  cursor: number,
): Promise<void> {
  await placeCursor(write.tx, session.sessionId, peerId, cursor);
  write.afterCommit(() => {
    const peer = services.presence.find(peerId);
    if (!peer) return;
    const cursors = { acked: cursor, acknowledged: cursor, ackedOnDisk: cursor };
    Object.assign(peer, { ...cursors, offered: cursor, returned: cursor, arrived: cursor, repeated: cursor });
    peer.returnedOver = new WeakMap();
  });
}
