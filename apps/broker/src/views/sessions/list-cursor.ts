import type { SessionPlace, SessionSort } from "@merkle/db";
import { isStorable, isUuid, MerkleError } from "@merkle/wire";

/** A place in an order of sessions, as `next_cursor` tells it: nothing that a caller has to understand. */
export function writePlace({ key, sessionId }: SessionPlace, sort: SessionSort): string {
  return Buffer.from(JSON.stringify([sort, key, sessionId])).toString("base64url");
}

/** @throws bad_request for anything that is not a cursor of this order */
export function parsePlace(text: string, sort: SessionSort): SessionPlace {
  const [of, key, sessionId, ...more] = parts(text);
  if (of !== sort || more.length > 0 || !isUuid(String(sessionId)) || !isKey(key, sort)) {
    throw new MerkleError(
      "bad_request",
      "list_sessions: before must be the next_cursor of the page before, unchanged, with the same sort.",
      { field: "before" },
    );
  }
  return { key, sessionId: String(sessionId) };
}

function parts(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function isKey(key: unknown, sort: SessionSort): key is string {
  if (typeof key !== "string" || !isStorable(key)) return false;
  // Years that need a sign are dates to JavaScript, and none to the database.
  return sort === "title" || (/^\d{4}-/.test(key) && new Date(key).getTime() >= 0);
}
