import { type Dismissal, listDismissals } from "@merkle/db";
import type { ViewServices } from "../services.js";
import { readFacts } from "./facts.js";

/** What a person has put away, by the id of the item; of nobody else anything is kept. */
export async function readPutAway(
  { database }: Pick<ViewServices, "database">,
  personId: string | null,
): Promise<ReadonlyMap<string, Dismissal>> {
  if (personId === null) return new Map();
  const dismissals = await listDismissals(database.orm, database.meshId, personId);
  return new Map(dismissals.map((dismissal) => [dismissal.item, dismissal]));
}

/** The sessions in which something waits that the reader has not put away. */
export async function readNeedingSessions(
  services: Pick<ViewServices, "database" | "presence" | "settings">,
  personId: string | null,
): Promise<ReadonlySet<string>> {
  const [facts, putAway] = await Promise.all([
    readFacts(services, { personId, files: false }),
    readPutAway(services, personId),
  ]);
  return new Set(facts.flatMap(({ id, sessionId }) => (putAway.has(id) ? [] : (sessionId ?? []))));
}
