import type { AttentionItem, Session } from "@merkle/wire";
import { inParallel } from "../in-parallel.js";
import type { Actor } from "../person/acting.js";
import { type Need, toNeed } from "./needs.js";

const sessionsAtOnce = 4;

/** What waits for a human in each of the sessions, in their order: one call, where not more waits in the mesh than a reply holds. */
export async function readNeeds(
  reader: Actor,
  sessions: readonly Pick<Session, "session_id">[],
): Promise<Need[][]> {
  const { items, total } = await reader.call("list_attention", {});
  if (total <= items.length) return sessions.map(({ session_id }) => needsOf(items, session_id));
  return inParallel(sessions, sessionsAtOnce, async ({ session_id }) =>
    needsOf((await reader.call("list_attention", { session: session_id })).items, session_id),
  );
}

function needsOf(items: readonly AttentionItem[], sessionId: string): Need[] {
  return items.filter((item) => item.session_id === sessionId).map(toNeed);
}
