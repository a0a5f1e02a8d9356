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
  /** Whether a person compared the safety number, or at least said so. */
  accepted: z.boolean(),
});
type Pin = z.output<typeof Pin>;

/** The key's owner: the broker gives names, and this machine remembers the key that each had. */
interface PinnedPeer {
  readonly sessionId: string;
  readonly address: string;
}

/** The key that a peer was seen with first, or that a person accepted. Without it the next one that comes is taken. */
export function findPin(home: string, peer: PinnedPeer): Pin | undefined {
  const found = readPrivateJson(pathOf(home, peer));
  // A file that cannot be understood is no reason to trust whatever comes.
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
 * Whether a peer may be trusted with this card (SEALED-6): it has the key that it had, or another one that the same member's
 * key certified, or nobody has seen it before; then its key is noted from now on.
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
