import { type DocumentVersionRow, listDocumentVersions } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import type { DocumentServices } from "./services.js";
import { readVersionRedactions } from "./version-redactions.js";

export async function listDocVersions(
  { services, session }: SessionContext<DocumentServices>,
  input: ParsedInputOf<"list_doc_versions">,
): Promise<OutputOf<"list_doc_versions">> {
  const rows = await listDocumentVersions(services.database.orm, session.sessionId, {
    before: input.before_version,
    limit: input.limit + 1,
  });
  const redactions = rows.some(isRedacted)
    ? await readVersionRedactions(services.database.orm, session.sessionId)
    : null;
  const versions = rows.slice(0, input.limit).map((row) => ({
    version: row.version,
    written_by_team_id: row.writtenByTeamId,
    written_by: row.writtenBy,
    written_at: row.writtenAt.toISOString(),
    bytes: row.bytes,
    after_sequence: row.afterSequence,
    ...(redactions && isRedacted(row) && { redaction: redactions.of(row.version) }),
  }));
  return { versions, has_more: rows.length > versions.length };
}

const isRedacted = ({ redacted }: DocumentVersionRow) => redacted;
