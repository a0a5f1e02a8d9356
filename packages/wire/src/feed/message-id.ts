/** The parts that the id of a message comes from, when its sender gave a key. */
export interface MessageKey {
  readonly sessionId: string;
  readonly peerId: string;
  /** The operation that the key belongs to: the same key of another one is another key (IDEM-3). */
  readonly operation: "post_message" | "send_message";
  readonly idempotencyKey: string;
}

/**
 * The id of the message that a key stands for: the same key of the same peer in the same session gives the same id, so that
 * sending it again finds the first message (FEED-5), and so that a sender knows the id before it sends.
 *
 * @param sha256 - gives the digest of a text in hexadecimal; a browser and Node have different ones
 */
export function messageIdFrom(
  { sessionId, peerId, operation, idempotencyKey }: MessageKey,
  sha256: (text: string) => string,
): string {
  // The ids that post_message gave before there was another operation stay what they are.
  const further = operation === "post_message" ? "" : `,"${operation}"`;
  const digest = sha256(`["${sessionId}","${peerId}",${JSON.stringify(idempotencyKey)}${further}]`);
  return uuidFromDigest(digest, beginsWithInstant.test(idempotencyKey) ? idempotencyKey : digest);
}

const beginsWithInstant = /^[0-9a-f]{12}-[0-9a-f-]{36}$/;

/**
 * A key for a call that has none. It begins with the instant, and so do the ids of the messages that it is for: ids that grow
 * with time stand side by side in the database's index, where random ones write to a page of it each.
 *
 * @param uuid - random
 */
export function idempotencyKeyOf(uuid: string): string {
  return `${instantOf(Date.now())}-${uuid}`;
}

/** The same uuid with the instant in front, as version 7 has it (RFC 9562, section 5.7), from a random one of version 4. */
export function timeOrdered(uuid: string): string {
  const instant = instantOf(Date.now());
  return `${instant.slice(0, 8)}-${instant.slice(8)}-7${uuid.slice(15)}`;
}

function instantOf(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

/**
 * A uuid of version 8, the one for ids of a maker's own (RFC 9562, section 5.8), from at least 32 random digits.
 *
 * @param first - gives the first 12 digits, where these are not random
 */
export function uuidFromDigest(hex: string, first = hex): string {
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
