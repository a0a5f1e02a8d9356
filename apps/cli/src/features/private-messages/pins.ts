import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import type { CheckedCard } from "./check-card.js";

const Pin = z.object({
  session_id: z.string(),
  address: z.string(),
  session_key: z.string(),
  member_key: z.string().nullable(),
  pinned_at: z.string(),
  /** Whether a person has confirmed that the safety numbers match. */
  accepted: z.boolean(),
});
type Pin = z.output<typeof Pin>;

/** The owner of a key. The broker provides names, and this machine stores the key of each name. */
interface PinnedPeer {
  readonly sessionId: string;
  readonly address: string;
}

/**
 * Returns the key that was first seen for a peer, or that a person accepted. Without a pin, the next key is
 * trusted.
 */
export function findPin(home: string, peer: PinnedPeer): Pin | undefined {
  const found = readPrivateJson(pathOf(home, peer));
  // An unreadable file must not lead to trusting any key, so this throws.
  return found === undefined ? undefined : Pin.parse(found);
}

export function savePin(home: string, peer: PinnedPeer, card: CheckedCard, accepted: boolean): void {
  writePrivateJson(pathOf(home, peer), {
    session_id: peer.sessionId,
    address: peer.address,
    session_key: card.sessionKey,
    member_key: card.memberKey,
    pinned_at: new Date().toISOString(),
    accepted,
  } satisfies Pin);
}

/**
 * Returns whether this card can be trusted for a peer (SEALED-6). A key is trusted if it is unchanged,
 * certified by the same member key, or the first one seen. A newly trusted key is saved.
 */
export function isTrusted(home: string, peer: PinnedPeer, card: CheckedCard): boolean {
  const pin = findPin(home, peer);
  if (pin?.session_key === card.sessionKey && (card.memberKey ?? pin.member_key) === pin.member_key)
    return true;
  const isSameMember = pin !== undefined && pin.member_key !== null && pin.member_key === card.memberKey;
  if (pin !== undefined && !isSameMember) return false;
  savePin(home, peer, card, pin?.accepted ?? false);
  return true;
}

/** Names are compared without case, as everywhere. */
function pathOf(home: string, { sessionId, address }: PinnedPeer): string {
  const name = createHash("sha256")
    .update(JSON.stringify([sessionId, address.toLowerCase()]))
    .digest("hex");
  return join(homeFiles.pins(home), `${name}.json`);
}
