import { join } from "node:path";
import * as z from "zod";
import { homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { sha256 } from "../../core/sha256.js";
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

/** The owner of a key. Names come from the broker, and this machine stores a key for each name. */
interface PinnedPeer {
  readonly sessionId: string;
  readonly address: string;
}

/**
 * Returns the trusted key of a peer: the first key that was seen, or one that a person accepted. If there is
 * no trusted key, the next key that is seen becomes trusted.
 */
export function findPin(home: string, peer: PinnedPeer): Pin | undefined {
  const content = readPrivateJson(toPinPath(home, peer));
  // Parsing throws if the file is invalid. Ignoring an invalid file would mean trusting any key.
  return content === undefined ? undefined : Pin.parse(content);
}

export function savePin(home: string, peer: PinnedPeer, card: CheckedCard, isAccepted: boolean): void {
  writePrivateJson(toPinPath(home, peer), {
    session_id: peer.sessionId,
    address: peer.address,
    session_key: card.sessionKey,
    member_key: card.memberKey,
    pinned_at: new Date().toISOString(),
    accepted: isAccepted,
  } satisfies Pin);
}

/**
 * Returns whether this key card can be trusted for a peer (SEALED-6): its key is unchanged, certified by the
 * same member key, or the first key seen for the peer. Saves a newly trusted key.
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

/** Returns the path of the file with a peer's trusted key. The case of names is ignored. */
function toPinPath(home: string, { sessionId, address }: PinnedPeer): string {
  const name = sha256(JSON.stringify([sessionId, address.toLowerCase()]));
  return join(homeFiles.pins(home), `${name}.json`);
}
