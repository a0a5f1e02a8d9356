import { readLastReads } from "@merkle/db";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

/** How far the caller has read in some sessions; what is missing is not known (PERSON-7). */
export async function readOwnLastReads(
  { services, person, team }: Pick<Context<ViewServices>, "services" | "person" | "team">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { orm, meshId } = services.database;
  if (person) {
    const reads = await readLastReads(orm, meshId, person.personId, sessionIds);
    return new Map(sessionIds.map((sessionId) => [sessionId, reads.get(sessionId) ?? 0]));
  }
  return new Map(team ? [[team.peer.sessionId, team.peer.acked]] : []);
}
