import type { Holder, Peer } from "../peers/peer.js";

/** An inbox's hold of its peer. */
export interface Hold {
  /** Ends it. A client that said goodbye, and holds it nowhere else, is gone at once (PEER-12). */
  release(how: "goodbye" | "lost"): void;
}

/**
 * Notes that a connection holds a peer. A named peer is one agent's: whatever other connection holds it is ended as
 * replaced (PEER-11), and from now on writes nothing more.
 */
export function holdPeer(peer: Peer, holder: Holder): Hold {
  if (peer.name !== null) {
    for (const older of [...peer.holders]) {
      if (older.connection === holder.connection) continue;
      peer.holders.delete(older);
      older.replace();
    }
  }
  peer.holders.add(holder);
  peer.gone = false;
  return {
    release(how) {
      if (!peer.holders.delete(holder)) return;
      // An open inbox asks for its messages all the time.
      peer.lastPolledAt = new Date();
      if (how === "goodbye" && peer.holders.size === 0) peer.gone = true;
    },
  };
}
