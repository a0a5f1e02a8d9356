import type { ProposalRow } from "@merkle/db";
import type { Write } from "../../core/write.js";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/services.js";

/** Tells the proposal's session, if it has one, who decided what about it (PROP-16). */
export async function announceDecided(
  { person }: Pick<PersonContext<JobServices>, "person">,
  write: Write,
  { sessionId, number }: Pick<ProposalRow, "sessionId" | "number">,
  decision: "reject" | "return" | "rebase",
): Promise<void> {
  if (sessionId === null) return;
  const told = { proposal_id: number, decision, by: person.name, at: new Date().toISOString() };
  await write.announce(
    sessionId,
    { event: "proposal_decided", ...told },
    { causedBy: null, afterClosing: true },
  );
}
