import { listVersionRedactions, type Queryable } from "@merkle/db";
import { type Redaction, redactedVersions } from "@merkle/wire";
import { contentOf, toRedaction } from "../core/message.js";

/** Who removed the texts of which versions. */
export interface VersionRedactions {
  /** Of a version whose text is gone; nothing is known of it where the event was itself redacted. */
  of(version: number): Redaction;
  find(version: number): Redaction | undefined;
}

const unknown: Redaction = { by: null, at: null, reason: null, sequence: null };

export async function readVersionRedactions(db: Queryable, sessionId: string): Promise<VersionRedactions> {
  const told = (await listVersionRedactions(db, sessionId)).flatMap((event) => {
    const range = redactedVersions({ event: "message_redacted", content: contentOf(event.content) });
    return range ? [{ ...range, redaction: toRedaction(event) }] : [];
  });
  const find = (version: number) => told.find(({ from, to }) => from <= version && version <= to)?.redaction;
  return { find, of: (version) => find(version) ?? unknown };
}
