import { declareStatus } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { announceRoster } from "./announce-roster.js";

/** Notes the status that the caller's peer declares, or that was observed of it, and returns the one that counts (PEER-16). */
export async function setStatus(
  { services, session: { sessionId }, team: { peer }, write }: TeamContext<SessionServices>,
  { status, reason, automatic }: ParsedInputOf<"set_status">,
): Promise<OutputOf<"set_status">> {
  return write(async ({ tx, afterCommit }) => {
    const declaration = { status, reason: reason ?? null, at: new Date(), automatic };
    const declared = await declareStatus(tx, sessionId, peer.peerId, declaration);
    afterCommit(() => {
      announceRoster(services, sessionId);
      // What was observed lifts no block.
      if (!automatic || status === "blocked") services.mesh.announce("attention", sessionId);
    });
    return { declared: { ...declared, at: declared.at.toISOString() } };
  });
}
