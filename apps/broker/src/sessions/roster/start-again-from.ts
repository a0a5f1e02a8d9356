import { placeCursor } from "@merkle/db";
import type { SessionContext } from "../../context.js";
import type { Write } from "../../core/write.js";

/** Puts a peer's cursor where it wants to read on, back as well as forward (JOIN-3). */
export async function startAgainFrom(
  { services, session }: SessionContext,
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
