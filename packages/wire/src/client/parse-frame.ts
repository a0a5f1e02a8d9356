import type { BrokerFrame } from "../transports/frames.js";

/**
 * Reads what the broker sent, or returns null when it is no frame at all. The fields of a known type are taken as the
 * broker wrote them: it is our own, and checking each push against a schema would bring the schemas into the browser.
 */
export function parseFrame(data: unknown): BrokerFrame | null {
  if (typeof data !== "string") return null;
  try {
    const frame: unknown = JSON.parse(data);
    if (typeof frame !== "object" || frame === null || !("type" in frame)) return null;
    return frame as BrokerFrame;
  } catch {
    return null; // Text that is not JSON is no frame either.
  }
}
