import { listVersionAuthors, lockDocument, redactDocumentVersions } from "@merkle/db";
import { MerkleError, type OutputOf, type VersionRange } from "@merkle/wire";
import { readVersionRedactions } from "../../document/read-session-doc.js";
import type { SessionContext } from "../../sessions/context.js";
import { holdForTexts } from "../../views/hooks.js";
import type { SealServices } from "../seal/feature.js";
import { type Remover, refuseOthersText } from "./remover.js";

/** Removes the text of older document versions. The newest version cannot be removed. */
export async function redactVersions(
  ctx: SessionContext<SealServices>,
  remover: Remover,
  { range, reason }: { readonly range: VersionRange; readonly reason: string | null },
): Promise<OutputOf<"redact_message">> {
  const { sessionId, slug } = ctx.session;
  return ctx.write(async ({ tx, announce }) => {
    await holdForTexts(tx, ctx.services, sessionId);
    const current = await lockDocument(tx, sessionId);
    if (!current) throw new MerkleError("not_found", `There is no session "${slug}".`);
    if (range.to > current.version) throw noVersion(range.to, current.version);
    for (const teamId of await listVersionAuthors(tx, sessionId, range)) {
      refuseOthersText(
        remover,
        [teamId],
        `At least one of versions ${range.from} to ${range.to} of the document`,
      );
    }
    if (range.to === current.version) throw currentVersionError(current.version, current.closedAt !== null);

    const redacted = await redactDocumentVersions(tx, sessionId, range);
    const scope = { meshId: ctx.services.database.meshId, sessionId };
    for (const hook of ctx.services.hooks.onRemoveText) await hook.forgetVersions?.(tx, scope, range);
    const existing =
      redacted === 0 ? (await readVersionRedactions(tx, sessionId)).find(range.from) : undefined;
    // If the event that announced the removal was itself redacted, it no longer names the versions. A new event
    // is needed, because a record must state which of its text is missing.
    if (existing) return { redacted, sequence: existing.sequence };
    const { sequence } = await announce(
      sessionId,
      {
        event: "message_redacted",
        by: remover.name,
        document_versions: { ...range },
        reason,
        at: new Date().toISOString(),
      },
      { causedBy: remover.peerId, afterClosing: true },
    );
    return { redacted, sequence };
  });
}

function noVersion(version: number, newest: number): MerkleError {
  return new MerkleError(
    "not_found",
    `The document has no version ${version}, so nothing was removed. Its newest version is ${newest}.`,
    { current_version: newest },
  );
}

function currentVersionError(version: number, isClosed: boolean): MerkleError {
  const how = isClosed
    ? "The session is concluded: rewrite its conclusion first"
    : "First save a new version without that text";
  return new MerkleError(
    "conflict",
    `Version ${version} is the current text of the document, so nothing was removed. ${how}, then remove version ${version}.`,
    { current_version: version, next: isClosed ? "conclude_session" : "edit_session_doc" },
  );
}
