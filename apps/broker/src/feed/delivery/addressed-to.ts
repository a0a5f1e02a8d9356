import type { Addressee } from "@merkle/db";
import type { Entry } from "./entry.js";

/**
 * Whether a message is for a peer: it is for everyone or reaches the peer, and the peer did not cause it (DELIVER-1). What
 * is delivered goes by this alone; the feed's queries ask it of what is no longer in memory.
 */
export function isAddressedTo(entry: Entry, peerId: string): boolean {
  return entry.peerId !== peerId && (entry.reaches === null || entry.reaches.has(peerId));
}

/** Whether it belongs to what a reader asked for: its mail, and with `own` what it caused itself. */
export function isMailOf(entry: Entry, { peerId, own }: Addressee): boolean {
  return isAddressedTo(entry, peerId) || (own && entry.peerId === peerId);
}
