import { declareStatus, type GroupMembership, type PeerFacts, updatePeerFacts } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { withMembership } from "../peers/membership.js";
import { announceRoster } from "./announce-roster.js";

/** Returns the facts that a joiner gives of its peer (PEER-5); those that it leaves out stay as they are. */
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

/** An empty summary takes the last one away. */
function toSummary(summary: string, at: Date): Pick<PeerFacts, "summary" | "summaryAt"> {
  return summary === "" ? { summary: null, summaryAt: null } : { summary, summaryAt: at };
}

/** Notes the status that the caller's peer declares, or that was observed of it, and returns the one that counts (PEER-16). */
export async function setStatus(
  { services, session: { sessionId }, team: { teamId, peer }, write }: TeamContext<SessionServices>,
  { status, reason, automatic }: ParsedInputOf<"set_status">,
): Promise<OutputOf<"set_status">> {
  return write(async ({ tx, afterCommit }) => {
    const declaration = { status, reason: reason ?? null, at: new Date(), automatic };
    const declared = await declareStatus(tx, { sessionId, teamId, peerId: peer.peerId }, declaration);
    afterCommit(() => {
      announceRoster(services, sessionId);
      // An observed status lifts no block, so that it is no news for `attention` unless it is one.
      if (!automatic || status === "blocked") services.mesh.announce("attention", sessionId);
    });
    return { declared: { ...declared, at: declared.at.toISOString() } };
  });
}

/** Notes what the caller's peer says that it is doing (PEER-15). */
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
