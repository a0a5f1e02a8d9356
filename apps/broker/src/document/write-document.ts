import { findDocumentVersion, type LockedDocument, lockDocument, saveDocumentVersion } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";
import type { Write } from "../core/write.js";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import { appendText, editText } from "../text/edit-text.js";
import { diffDocuments } from "./read-session-doc.js";
import type { DocumentServices } from "./services.js";

/**
 * Replaces the document. If two callers pass the same `expected_version`, exactly one succeeds (DOC-3).
 *
 * @throws conflict, with the current version and the changes since `expected_version`, so that the caller can
 * retry without reading the document
 */
export async function updateSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"update_session_doc">,
): Promise<OutputOf<"update_session_doc">> {
  let conflicting: LockedDocument | undefined;
  try {
    return await writeDocument(ctx, (current) => {
      if (current.version === input.expected_version) return input.content;
      conflicting = current;
      throw new MerkleError("conflict", "The document was changed in the meantime.");
    });
  } catch (error) {
    // The diff is made after the document's lock is released, so that other writers need not wait for it.
    if (conflicting) throw await describeConflict(ctx, input, conflicting);
    throw error;
  }
}

async function describeConflict(
  { services, session }: TeamContext<DocumentServices>,
  { expected_version, include_content }: ParsedInputOf<"update_session_doc">,
  current: LockedDocument,
): Promise<MerkleError> {
  const details: Record<string, unknown> = { expected_version, current_version: current.version };
  if (expected_version < current.version) {
    const expected =
      expected_version === 0
        ? { content: "" }
        : await findDocumentVersion(services.database.orm, session.sessionId, expected_version);
    if (expected && expected.content !== null) {
      const diff = await diffDocuments(services.workers, {
        from: expected.content,
        fromVersion: expected_version,
        to: current.content,
        toVersion: current.version,
      });
      // A very large diff does not help with merging. Callers can get it with read_session_doc.
      if (countUtf8Bytes(diff) <= limits.conflictDiffBytesMax) details["diff"] = diff;
    }
  }
  if (include_content || countUtf8Bytes(current.content) <= limits.conflictContentBytesMax)
    details["content"] = current.content;
  return new MerkleError(
    "conflict",
    `The document is at version ${current.version}, not ${expected_version}. Merge your change into the current text and save it again, based on version ${current.version}.`,
    details,
  );
}

/** Appends text to the document, regardless of concurrent writes (DOC-5). */
export async function appendToSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"append_to_session_doc">,
): Promise<OutputOf<"append_to_session_doc">> {
  return writeDocument(ctx, (current) => appendText(current.content, input.text));
}

/**
 * Replaces `old_text`, which must occur exactly once in the document (DOC-6).
 *
 * @throws conflict if the text does not occur, or occurs more than once
 */
export async function editSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"edit_session_doc">,
): Promise<OutputOf<"edit_session_doc">> {
  return writeDocument(ctx, ({ content, version }) => {
    const edited = editText(content, input.old_text, input.new_text);
    if ("content" in edited) return edited.content;
    const { matches } = edited;
    throw new MerkleError(
      "conflict",
      matches === 0
        ? `The text to replace does not occur in the document (version ${version}). Read it again: someone may have changed that passage.`
        : `The text to replace occurs ${matches} times in the document (version ${version}). Add surrounding lines to make it unique.`,
      { matches, current_version: version },
    );
  });
}

/**
 * Writes the next version of a document, based on the version that is current once the document is locked
 * (DOC-1). Writes to one document run one at a time, and fail once the session is concluded.
 *
 * @param change - returns the next content, or throws to leave the document unchanged
 */
async function writeDocument(
  ctx: TeamContext<DocumentServices>,
  change: DocumentChange,
): Promise<{ version: number }> {
  return ctx.write((write) => writeVersion(ctx, write, change, ctx.team.name));
}

/** Returns the next content, or throws to leave the document unchanged. */
type DocumentChange = (current: LockedDocument) => string | Promise<string>;

/**
 * Writes the next version of a document as part of a larger write.
 *
 * @param writtenBy - author of the version; the version still belongs to the caller's team
 */
export async function writeVersion(
  { services, session, team }: Pick<TeamContext<DocumentServices>, "services" | "session" | "team">,
  { tx, afterCommit }: Pick<Write, "tx" | "afterCommit">,
  change: DocumentChange,
  writtenBy: string,
): Promise<{ version: number }> {
  const { sessionId, slug } = session;
  const { teamId: writtenByTeamId, peer } = team;
  const current = await lockDocument(tx, sessionId);
  if (!current) throw new MerkleError("not_found", `There is no session "${slug}".`);
  if (current.closedAt) throw sessionClosed({ slug });

  const content = await change(current);
  if (countUtf8Bytes(content) > limits.documentBytesMax) throw documentTooLarge(countUtf8Bytes(content));
  const version = current.version + 1;
  await saveDocumentVersion(tx, {
    sessionId,
    version,
    content,
    conclusion: current.conclusion,
    writtenByTeamId,
    writtenBy,
    at: new Date(),
    afterSequence: current.lastSequence,
  });
  afterCommit(() => {
    // The writer knows its own version, so its next wait need not report it. Versions that others wrote in between are still
    // reported.
    if (peer.documentVersion === current.version) {
      peer.documentVersion = version;
      services.presence.noteActivity(peer);
    }
    services.quotas.add(services.database.meshId, "bytes", countUtf8Bytes(content));
    services.channels.announceChange(sessionId, "document", version);
    for (const hook of services.hooks.onDocumentWritten)
      hook.onWritten(services, { meshId: services.database.meshId, sessionId });
  });
  return { version };
}

export function documentTooLarge(bytes: number): MerkleError {
  return new MerkleError(
    "payload_too_large",
    `The document would have ${bytes} bytes, and the limit is ${limits.documentBytesMax}. Shorten it first.`,
    { bytes, bytes_max: limits.documentBytesMax },
  );
}
