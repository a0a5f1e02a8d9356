import { declareStatus, type PeerFacts, updatePeerFacts } from "@merkle/db";
import type { GroupMembership, OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { withMembership } from "../peers/membership.js";
import { announceRoster } from "./announce-roster.js";

/** Returns the facts about a peer in a join request (PEER-5). Omitted facts keep their values. */
export function toPeerFacts(input: ParsedInputOf<"join_session">): PeerFacts {
  const {
    role,
    groups,
    summary,
    capabilities,
    cwd,
    machine,
    session_key: sessionKey,
    key_card: keyCard,
  } = input;
  return {
    role,
    groups: groups?.reduce<GroupMembership[]>(withMembership, []),
    ...(summary !== undefined && toSummary(summary, new Date())),
    capabilities,
    cwd,
    machine,
    sessionKey,
    keyCard,
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
