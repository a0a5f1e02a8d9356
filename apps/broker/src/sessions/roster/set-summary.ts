import { updatePeerFacts } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { announceRoster } from "./announce-roster.js";
import { toSummary } from "./peer-facts.js";

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
