import type { Database } from "@merkle/db";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { readFeed } from "./feed-lines.js";
import type { Recorded } from "./recorded.js";
import { toRecordedMessage } from "./recorded-message.js";

/** The messages of a session, one to a line, for programs that ask for nothing else (EXPORT-5). */
export async function* ndjsonOf(
  database: Pick<Database, "orm">,
  { session, recorded }: { readonly session: SessionIdentity; readonly recorded: Recorded },
): AsyncGenerator<string> {
  for await (const rows of readFeed(database, session.sessionId, recorded.size)) {
    yield rows.map((row) => `${JSON.stringify(toRecordedMessage(row, recorded.recordId))}\n`).join("");
  }
}
