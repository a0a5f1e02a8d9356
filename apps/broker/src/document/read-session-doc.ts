import {
  type DocumentRow,
  type DocumentVersionRow,
  findDocumentVersion,
  findDocumentVersionAt,
  listDocumentVersions,
  listVersionRedactions,
  type Queryable,
  readDocument,
} from "@merkle/db";
import {
  findRedactedVersions,
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type Redaction,
} from "@merkle/wire";
import { parseContent, toRedaction } from "../core/message.js";
import type { WorkerPool } from "../core/workers/workers.js";
import { requireTeamId } from "../feed/feed-filter.js";
import { sessionArchived } from "../sessions/access/authorize.js";
import type { SessionContext } from "../sessions/context.js";
import { findSectionTask, unifiedDiffTask } from "../text/tasks.js";
import type { DocumentServices } from "./services.js";

/** Reads a version of the document: all of it, one section, or the changes since a version (DOC-2, DOC-7, DOC-8). */
export async function readSessionDoc(
  ctx: SessionContext<DocumentServices>,
  input: ParsedInputOf<"read_session_doc">,
): Promise<OutputOf<"read_session_doc">> {
  const current = await readDocument(ctx.services.database.orm, ctx.session.sessionId);
  if (!current) throw new MerkleError("not_found", `There is no session "${ctx.session.slug}".`);
  const requested = await readVersion(ctx, current, await chooseVersion(ctx, current, input));
  const since =
    input.since_version === undefined ? null : await readVersion(ctx, current, input.since_version);
  const versionFields = {
    version: requested.version,
    current_version: current.version,
    updated_at: requested.updatedAt.toISOString(),
  };

  if (requested.content === null) return { ...versionFields, ...(await toRedacted(ctx, requested.version)) };
  if (since) {
    if (since.content === null) return { ...versionFields, ...(await toRedacted(ctx, since.version)) };
    const diff = await diffDocuments(ctx.services.workers, {
      from: since.content,
      fromVersion: since.version,
      to: requested.content,
      toVersion: requested.version,
    });
    return { diff, ...versionFields };
  }
  if (input.section !== undefined) {
    const section = await ctx.services.workers.run(findSectionTask, {
      content: requested.content,
      heading: input.section,
    });
    if ("headings" in section) throw noSuchSection(input.section, requested.version, section.headings);
    return { content: section.text, ...versionFields };
  }
  return { content: requested.content, ...versionFields };
}

/** Returns the requested version, by number or by time (default: the newest). */
async function chooseVersion(
  { services, session }: SessionContext<DocumentServices>,
  current: DocumentRow,
  { version, at, since_version }: ParsedInputOf<"read_session_doc">,
): Promise<number> {
  if (at === undefined) return version ?? current.version;
  if (session.isArchived) throw sessionArchived(session);
  const versionThen = await findDocumentVersionAt(services.database.orm, session.sessionId, new Date(at));
  if (since_version === undefined || since_version <= versionThen) return versionThen;
  throw new MerkleError(
    "bad_request",
    `At that time the document was at version ${versionThen}, so there are no changes since version ${since_version}. Choose version ${versionThen} or an earlier one.`,
    { field: "since_version" },
  );
}

/** Returns the output for a document version whose text was redacted (REDACT-6). */
async function toRedacted({ services, session }: SessionContext<DocumentServices>, version: number) {
  const redactions = await readVersionRedactions(services.database.orm, session.sessionId);
  return { redacted_version: version, redaction: redactions.get(version) };
}

/** A document version. The content is null if the version was redacted. */
type StoredVersion = Pick<DocumentRow, "version" | "updatedAt"> & { readonly content: string | null };

async function readVersion(
  { services, session }: SessionContext<DocumentServices>,
  current: DocumentRow,
  version: number,
): Promise<StoredVersion> {
  if (version === current.version) return current;
  if (version === 0) return { version, content: "", updatedAt: current.updatedAt };
  if (session.isArchived) throw sessionArchived(session);
  const stored = await findDocumentVersion(services.database.orm, session.sessionId, version);
  if (stored) return { version, content: stored.content, updatedAt: stored.writtenAt };
  throw new MerkleError(
    "not_found",
    `The document has no version ${version}. Its newest version is ${current.version}.`,
    {
      current_version: current.version,
    },
  );
}

function noSuchSection(section: string, version: number, headings: readonly string[]): MerkleError {
  const available = headings.length === 0 ? "It has no headings" : `Its headings are: ${headings.join(", ")}`;
  return new MerkleError(
    "not_found",
    `The document (version ${version}) has no section "${section}". ${available}.`,
    { headings },
  );
}

export async function listDocVersions(
  { services, session }: SessionContext<DocumentServices>,
  input: ParsedInputOf<"list_doc_versions">,
): Promise<OutputOf<"list_doc_versions">> {
  const { sessionId } = session;
  const { rows, redactions } = await services.database.read(async (db) => {
    const { team, before_version: before } = input;
    const teamId = team === undefined ? undefined : await requireTeamId(session, db, team);
    const page = { before, teamId, limit: input.limit + 1 };
    const rows = await listDocumentVersions(db, sessionId, page);
    return { rows, redactions: rows.some(isRedacted) ? await readVersionRedactions(db, sessionId) : null };
  });
  const versions = rows.slice(0, input.limit).map((row) => ({
    version: row.version,
    written_by_team_id: row.writtenByTeamId,
    written_by: row.writtenBy,
    written_at: row.writtenAt.toISOString(),
    bytes: row.bytes,
    after_sequence: row.afterSequence,
    ...(redactions && isRedacted(row) && { redaction: redactions.get(row.version) }),
  }));
  return { versions, has_more: rows.length > versions.length };
}

const isRedacted = ({ redacted }: DocumentVersionRow) => redacted;

/** The redactions of a document's versions, with their authors. */
interface VersionRedactions {
  /**
   * Returns the redaction of a version. Its details are null if the event that recorded the redaction was
   * itself redacted.
   */
  get(version: number): Redaction;
  find(version: number): Redaction | undefined;
}

const unknownRedaction: Redaction = { by: null, at: null, reason: null, sequence: null };

export async function readVersionRedactions(db: Queryable, sessionId: string): Promise<VersionRedactions> {
  const redactedRanges = (await listVersionRedactions(db, sessionId)).flatMap((event) => {
    const range = findRedactedVersions({ event: "message_redacted", content: parseContent(event.content) });
    return range ? [{ ...range, redaction: toRedaction(event) }] : [];
  });
  const find = (version: number) =>
    redactedRanges.find(({ from, to }) => from <= version && version <= to)?.redaction;
  return { find, get: (version) => find(version) ?? unknownRedaction };
}

const CONTEXT_LINES = 3;

/** Returns the unified diff between two versions of a document, or "" if their content is the same (DOC-8). */
export async function diffDocuments(
  workers: WorkerPool,
  { from, fromVersion, to, toVersion }: { from: string; fromVersion: number; to: string; toVersion: number },
): Promise<string> {
  if (from === to) return "";
  return workers.run(unifiedDiffTask, {
    from,
    to,
    fromLabel: `v${fromVersion}`,
    toLabel: `v${toVersion}`,
    contextLines: CONTEXT_LINES,
  });
}
