import {
  findMessage,
  holdSearchHeads,
  listTeamsOfPeers,
  redactMessageRow,
  type StoredMessage,
} from "@merkle/db";
import { findEventKind, MerkleError, type OutputOf, redactedVersions } from "@merkle/wire";
import { contentOf } from "../../core/message.js";
import { unauthorized } from "../../identity/refusals.js";
import { adminsOnly, verifiedOnly } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { authorName, personName } from "../../sessions/roster/author.js";
import type { RecordServices } from "../services.js";
import { forgetElsewhere } from "./forget-elsewhere.js";

/** Removes the text of one message. */
export async function redactOne(
  ctx: SessionContext<RecordServices>,
  remover: Remover,
  { sequence, reason }: { readonly sequence: number; readonly reason: string | null },
): Promise<OutputOf<"redact_message">> {
  const { sessionId } = ctx.session;
  return ctx.write(async (write) => {
    const { tx, announce } = write;
    // An indexer that has read the text is waited for, and one that comes later reads none. Whoever removes something else
    // of this session waits here, too.
    await holdSearchHeads(tx, [sessionId]);
    const message = await findMessage(tx, sessionId, sequence);
    if (!message) throw noMessage(sequence);
    refuseOthersText(remover, await ownersOf(ctx, message), `Message ${sequence}`);
    if (message.redaction) return { redacted: 0, sequence: message.redaction.sequence };
    refuseWithoutText(message);

    const versions = redactedVersions({
      event: "message_redacted",
      content: message.type === "system" ? contentOf(message.content) : {},
    });
    await forgetElsewhere(ctx, write, message);
    await redactMessageRow(tx, sessionId, sequence);
    const told = await announce(
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
    write.afterCommit(() => ctx.services.channels.announceChange(sessionId, "session", told.sequence));
    return { redacted: 1, sequence: told.sequence };
  });
}

/** The teams that may remove it: the author's, or whose peer caused the event; of a private one also the recipient's. */
async function ownersOf(
  ctx: SessionContext<RecordServices>,
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
  if (findEventKind(event)?.holdsText) return;
  throw new MerkleError(
    "bad_request",
    `Message ${sequence} is a ${event} event, which holds nothing that somebody wrote; it stays.`,
    { field: "sequence" },
  );
}

function noMessage(sequence: number): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no message ${sequence} in this session; nothing was removed. sequence is the number that stands before a message.`,
    { field: "sequence" },
  );
}

/** Who removes a text. */
export interface Remover {
  readonly name: string;
  /** The peer whose own wait leaves the event out. */
  readonly peerId: string | null;
  /** The team whose texts alone it may remove; null for a verified human, who may remove anybody's (REDACT-2). */
  readonly onlyOf: string | null;
}

/** @throws unauthorized for somebody who is neither team nor person, unless it is an admin */
export function requireRemover({ principal, person, team }: SessionContext<RecordServices>): Remover {
  const peerId = team?.peer.peerId ?? null;
  if (person) {
    const { verified } = person;
    if (!verified && !team) throw verifiedOnly("redact_message of what others wrote");
    return {
      name: team ? authorName(team) : personName(person),
      peerId,
      onlyOf: verified ? null : (team?.teamId ?? null),
    };
  }
  if (team) return { name: authorName(team), peerId, onlyOf: team.teamId };
  if (principal?.kind !== "member")
    throw unauthorized("redact_message needs the credential of a team or of a person");
  if (principal.role !== "admin")
    throw adminsOnly("redact_message without a team's or a person's credential");
  return { name: principal.name, peerId, onlyOf: null };
}

/** @throws forbidden when none of the teams whose text it is may be the remover's */
export function refuseOthersText(
  { onlyOf }: Remover,
  teamIds: readonly (string | null)[],
  what: string,
): void {
  if (onlyOf === null || teamIds.includes(onlyOf)) return;
  throw new MerkleError(
    "forbidden",
    `${what} is another team's, and agents and guests remove what they wrote themselves alone. Ask that team, or a verified human.`,
  );
}
