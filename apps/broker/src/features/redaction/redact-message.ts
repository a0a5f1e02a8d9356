import { findMessage, isImported, listTeamsOfPeers, redactMessageRow, type StoredMessage } from "@merkle/db";
import {
  findEventKind,
  findRedactedVersions,
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
} from "@merkle/wire";
import { parseContent } from "../../core/message.js";
import type { SessionContext } from "../../sessions/context.js";
import { holdForTexts } from "../../views/hooks.js";
import type { SealServices } from "../seal/feature.js";
import { forgetElsewhere } from "./forget-elsewhere.js";
import { redactVersions } from "./redact-versions.js";
import { type Remover, refuseOthersText, requireRemover } from "./remover.js";

type RedactMessageInput = ParsedInputOf<"redact_message">;
type RedactMessageOutput = OutputOf<"redact_message">;

/**
 * Permanently removes the text of a message, or of document versions, and announces the removal (REDACT-1).
 * The hashes of the text stay, so every proof stays valid. A repeated call changes nothing and returns the
 * event that announced the removal.
 *
 * @throws forbidden if the text belongs to another team, unless the caller is a human or an admin; conflict
 *   if the text is still current
 */
export async function redactMessage(
  ctx: SessionContext<SealServices>,
  input: RedactMessageInput,
): Promise<RedactMessageOutput> {
  const remover = requireRemover(ctx);
  const reason = input.reason ?? null;
  if (await isImported(ctx.services.database.orm, ctx.session.sessionId)) throw notOurs(ctx.session.slug);
  if (input.document_versions) {
    return redactVersions(ctx, remover, { range: input.document_versions, reason });
  }
  // The schema guarantees that the input has `sequence` here, because `document_versions` is missing.
  return redactOne(ctx, remover, { sequence: input.sequence ?? 0, reason });
}

/**
 * Returns the error for an attempt to redact an imported session. A redaction event on this broker would make
 * the copy differ from the record that the broker of origin signs under the same id.
 */
function notOurs(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" was imported from another broker, so nothing was removed. Remove the text at that broker and import a new export, which removes it here too.`,
  );
}

/** Removes the text of one message. */
export async function redactOne(
  ctx: SessionContext<SealServices>,
  remover: Remover,
  { sequence, reason }: { readonly sequence: number; readonly reason: string | null },
): Promise<OutputOf<"redact_message">> {
  const { sessionId } = ctx.session;
  return ctx.write(async (write) => {
    const { tx, announce } = write;
    // Waits for any indexer that has already read the text; later indexers will no longer find it. Also
    // makes concurrent removals in this session wait for each other.
    await holdForTexts(tx, ctx.services, sessionId);
    const message = await findMessage(tx, sessionId, sequence);
    if (!message) throw noMessage(sequence);
    refuseOthersText(remover, await listOwnerTeams(ctx, message), `Message ${sequence}`);
    if (message.redaction) return { redacted: 0, sequence: message.redaction.sequence };
    refuseWithoutText(message);

    const versions = findRedactedVersions({
      event: "message_redacted",
      content: message.type === "system" ? parseContent(message.content) : {},
    });
    await forgetElsewhere(ctx, write, message);
    await redactMessageRow(tx, sessionId, sequence);
    const announcement = await announce(
      sessionId,
      {
        event: "message_redacted",
        by: remover.name,
        redacted_sequence: sequence,
        ...(versions && { document_versions: versions }),
        reason,
        at: new Date().toISOString(),
      },
      { causedBy: remover.peerId, afterClosing: true, replyTo: sequence },
    );
    write.afterCommit(() =>
      ctx.services.channels.announceChange(sessionId, "session", announcement.sequence),
    );
    return { redacted: 1, sequence: announcement.sequence };
  });
}

/**
 * Returns the teams that may redact a message: the team of its author, or of the peer that caused the event.
 * A private message can also be redacted by its recipients' teams.
 */
async function listOwnerTeams(
  ctx: SessionContext<SealServices>,
  message: StoredMessage,
): Promise<(string | null)[]> {
  const { posted_by_team_id: teamId, posted_by_peer_id: peerId, reaches, type, content } = message;
  const isPrivate = type === "chat" && JSON.parse(content).private === true;
  const peerIds = [
    ...(type === "system" && peerId !== null ? [peerId] : []),
    ...(isPrivate ? (reaches ?? []) : []),
  ];
  const teams = await listTeamsOfPeers(ctx.services.database.orm, ctx.session.sessionId, peerIds);
  return [teamId, ...teams];
}

function refuseWithoutText({ type, content, sequence }: StoredMessage): void {
  if (type === "chat") return;
  const { event }: { event: string } = JSON.parse(content);
  if (findEventKind(event)?.hasText) return;
  throw new MerkleError(
    "bad_request",
    `Message ${sequence} is the event ${event}, which contains no written text, so it cannot be removed.`,
    { field: "sequence" },
  );
}

function noMessage(sequence: number): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no message ${sequence} in this session, so nothing was removed. Use the number in front of the message.`,
    { field: "sequence" },
  );
}
