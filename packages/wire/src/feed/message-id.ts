/** The values from which a message's id is derived if its sender provided an idempotency key. */
export interface MessageKey {
  readonly sessionId: string;
  readonly peerId: string;
  /**
   * The operation that the idempotency key was used for. The same key in another operation counts as a
   * different key (IDEM-3).
   */
  readonly operation: "post_message" | "send_message";
  readonly idempotencyKey: string;
}

/**
 * Derives a message's id from its idempotency key. If a peer uses the same key again in the same session, the
 * id is the same. A retry therefore finds the existing message (FEED-5), and a sender knows the id before
 * sending.
 *
 * @param sha256 - returns the digest of a string in hexadecimal; passed in because browsers and Node have
 *   different implementations
 */
export function deriveMessageId(
  { sessionId, peerId, operation, idempotencyKey }: MessageKey,
  sha256: (text: string) => string,
): string {
  // The operation is omitted for post_message, whose ids must not change: they existed before other
  // operations had idempotency keys.
  const suffix = operation === "post_message" ? "" : `,"${operation}"`;
  const digest = sha256(`["${sessionId}","${peerId}",${JSON.stringify(idempotencyKey)}${suffix}]`);
  return deriveUuid(digest, beginsWithInstant.test(idempotencyKey) ? idempotencyKey : digest);
}

const beginsWithInstant = /^[0-9a-f]{12}-[0-9a-f-]{36}$/;

/**
 * Returns an idempotency key for a call that has none. The key and the ids derived from it begin with the
 * current time. The database's index stores such ids next to each other, whereas each random id would go to a
 * different page.
 *
 * @param uuid - a random UUID
 */
export function createIdempotencyKey(uuid: string): string {
  return `${toHexTime(Date.now())}-${uuid}`;
}

/**
 * Returns a version 7 UUID (RFC 9562, section 5.7). It is the given random version 4 UUID with the current
 * time in front.
 */
export function toTimeOrderedUuid(uuid: string): string {
  const instant = toHexTime(Date.now());
  return `${instant.slice(0, 8)}-${instant.slice(8)}-7${uuid.slice(15)}`;
}

function toHexTime(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

/**
 * Returns a version 8 UUID (RFC 9562, section 5.8) from at least 32 random hexadecimal digits.
 *
 * @param first - the first 12 digits, if they should not be random
 */
export function deriveUuid(hex: string, first = hex): string {
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
