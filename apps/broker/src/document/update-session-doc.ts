import { findDocumentVersion, type LockedDocument } from "@merkle/db";
import { limits, MerkleError, type OutputOf, type ParsedInputOf, utf8Bytes } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { diffDocuments } from "./document-diff.js";
import type { DocumentServices } from "./services.js";
import { writeDocument } from "./write-document.js";

/**
 * Replaces the document. Of two callers who pass the same `expected_version`, exactly one succeeds (DOC-3).
 *
 * @throws conflict, with the current version and what changed, so that a retry needs no second call
 */
export async function updateSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"update_session_doc">,
): Promise<OutputOf<"update_session_doc">> {
  let found: LockedDocument | undefined;
  try {
    return await writeDocument(ctx, (current) => {
      if (current.version === input.expected_version) return input.content;
      found = current;
      throw new MerkleError("conflict", "The document has moved on.");
    });
  } catch (error) {
    // What changed is worked out after the document is let go: others need not wait for a diff.
    if (found) throw await describeConflict(ctx, input, found);
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
      // A diff as long as a document helps nobody to merge; read_session_doc gives it to who asks.
      if (utf8Bytes(diff) <= limits.conflictDiffBytesMax) details["diff"] = diff;
    }
  }
  if (include_content || utf8Bytes(current.content) <= limits.conflictContentBytesMax)
    details["content"] = current.content;
  return new MerkleError(
    "conflict",
    `The document is at version ${current.version}, not ${expected_version}. Merge your change into it and send it again with expected_version ${current.version}; details hold what changed.`,
    details,
  );
}
