import { declareStatus, type PeerFacts, updatePeerFacts } from "@merkle/db";
import { type GroupMembership, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { withMembership } from "../peers/membership.js";
import { announceRoster } from "./announce-roster.js";
import { filterPresentPeers, readKnownPeers } from "./known-peers.js";

/** Returns the facts about a peer in a join request (PEER-5). Omitted facts keep their values. */
export function toPeerFacts(input: ParsedInputOf<"join_session">): PeerFacts {
  const {
    role,
    groups,
    summary,
    wake,
    capabilities,
    cwd,
    machine,
    session_key: sessionKey,
    key_card: keyCard,
    own_words: ownWords,
  } = input;
  return {
    role,
    groups: groups?.reduce<GroupMembership[]>(withMembership, []),
    ...(summary !== undefined && toSummary(summary, new Date())),
    wake,
    capabilities,
    cwd,
    machine,
    sessionKey,
    keyCard,
    ownWords,
  };
}

/** Converts a summary. An empty summary removes the previous one. */
function toSummary(summary: string, at: Date): Pick<PeerFacts, "summary" | "summaryAt"> {
  return summary === "" ? { summary: null, summaryAt: null } : { summary, summaryAt: at };
}

/**
 * Saves the status of the caller's peer, either declared by the peer or observed by its client. Returns the
 * effective status (PEER-16).
 */
export async function setStatus(
  { services, session: { sessionId }, team: { teamId, peer }, write }: TeamContext<SessionServices>,
  { status, reason, automatic }: ParsedInputOf<"set_status">,
): Promise<OutputOf<"set_status">> {
  return write(async ({ tx, afterCommit }) => {
    const declaration = { status, reason: reason ?? null, at: new Date(), automatic };
    const declared = await declareStatus(tx, { sessionId, teamId, peerId: peer.peerId }, declaration);
    afterCommit(() => {
      announceRoster(services, sessionId);
      // An observed status never ends a `blocked` status, so it affects `attention` only if it is itself
      // `blocked`.
      if (!automatic || status === "blocked") services.mesh.announce("attention", sessionId);
    });
    return { declared: { ...declared, at: declared.at.toISOString() } };
  });
}

/** Saves the summary of the caller's peer (PEER-15). */
export async function setSummary(
  { services, session: { sessionId }, team, write }: TeamContext<SessionServices>,
  { summary }: ParsedInputOf<"set_summary">,
): Promise<OutputOf<"set_summary">> {
  return write(async ({ tx, afterCommit }) => {
    const at = new Date();
    await updatePeerFacts(tx, sessionId, team.peer.peerId, toSummary(summary, at));
    afterCommit(() => announceRoster(services, sessionId));
    return { summary, at: at.toISOString() };
  });
}

/** Saves what nudges a peer while it is idle: the caller's own or, for a verified person, one of its agents (WAKE-20). */
export async function setWake(
  ctx: TeamContext<SessionServices>,
  { wake, peer_id }: ParsedInputOf<"set_wake">,
): Promise<OutputOf<"set_wake">> {
  const { services, session, team } = ctx;
  const { sessionId } = session;
  const peerId = peer_id ?? team.peer.peerId;
  if (peerId !== team.peer.peerId) await requireOwnAgent(ctx, peerId);
  return ctx.write(async ({ tx, afterCommit }) => {
    await updatePeerFacts(tx, sessionId, peerId, { wake });
    afterCommit(() => announceRoster(services, sessionId));
    return { wake };
  });
}

/**
 * Requires that the peer belongs to an agent of the calling person. Without members, any verified person decides
 * about any agent.
 *
 * @throws not_found or forbidden
 */
async function requireOwnAgent(
  { services, session, person }: TeamContext<SessionServices>,
  peerId: string,
): Promise<void> {
  const present = filterPresentPeers(await readKnownPeers(services, session.sessionId));
  const peer = present.find((each) => each.peerId === peerId && each.kind === "agent");
  if (!peer) throw new MerkleError("not_found", `There is no agent ${peerId} in this session.`);
  const isOwn = peer.memberId === null || peer.memberId === person?.memberId;
  if (person?.verified && isOwn) return;
  throw new MerkleError(
    "forbidden",
    "Only an agent itself and its own verified person can choose what nudges it.",
    { ...(person && !person.verified && { needs: "verification" }) },
  );
}
