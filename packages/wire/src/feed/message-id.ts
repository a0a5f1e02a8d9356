/** The parts from which a message's id is derived, if its sender gave a key. */
export interface MessageKey {
  readonly sessionId: string;
  readonly peerId: string;
  /** The operation that the key belongs to. The same key in another operation is a different key (IDEM-3). */
  readonly operation: "post_message" | "send_message";
  readonly idempotencyKey: string;
}

/**
 * Derives a message's id from its key. The same key of the same peer in the same session gives the same id. A
 * retry therefore finds the first message (FEED-5), and a sender knows the id before sending.
 *
 * @param sha256 - returns the digest of a text in hexadecimal; browsers and Node have different
 * implementations
 */
export function messageIdFrom(
  { sessionId, peerId, operation, idempotencyKey }: MessageKey,
  sha256: (text: string) => string,
): string {
  // Leaves the ids of post_message unchanged, which existed before other operations had keys.
  const further = operation === "post_message" ? "" : `,"${operation}"`;
  const digest = sha256(`["${sessionId}","${peerId}",${JSON.stringify(idempotencyKey)}${further}]`);
  return uuidFromDigest(digest, beginsWithInstant.test(idempotencyKey) ? idempotencyKey : digest);
}

const beginsWithInstant = /^[0-9a-f]{12}-[0-9a-f-]{36}$/;

/**
 * Returns a key for a call without one. It begins with the current time, and so do the ids derived from it.
 * Ids in order of time are adjacent in the database's index, whereas each random id would write to a
 * different page.
 *
 * @param uuid - random
 */
export function idempotencyKeyOf(uuid: string): string {
  return `${instantOf(Date.now())}-${uuid}`;
}

/** Returns a version 7 UUID (RFC 9562, section 5.7): a random version 4 UUID with the time in front. */
export function timeOrdered(uuid: string): string {
  const instant = instantOf(Date.now());
  return `${instant.slice(0, 8)}-${instant.slice(8)}-7${uuid.slice(15)}`;
}

function instantOf(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

/**
 * Returns a version 8 UUID (RFC 9562, section 5.8) from at least 32 random hexadecimal digits.
 *
 * @param first - the first 12 digits, if they should not be random
 */
export function uuidFromDigest(hex: string, first = hex): string {
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
