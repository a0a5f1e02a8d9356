import { deleteDismissedItems, deleteEndedSnoozes, listDismissedItems } from "@merkle/db";
import { type FactServices, readFacts, sessionOfItem } from "./facts.js";

/** So many put away items are compared with the facts at a time. */
const pageMax = 500;

/** Forgets what people have put away of facts that are gone, and snoozes that are over (ATT-8). */
export async function forgetSettled(services: FactServices): Promise<void> {
  const { orm, meshId } = services.database;
  await deleteEndedSnoozes(orm, meshId);
  for (let after = ""; ; ) {
    const items = await listDismissedItems(orm, meshId, { after, limit: pageMax });
    const last = items.at(-1);
    if (last === undefined) return;
    after = last;
    await forgetGone(services, items);
  }
}

async function forgetGone(services: FactServices, items: readonly string[]): Promise<void> {
  const sessionIds = new Set(items.flatMap((item) => sessionOfItem(item) ?? []));
  const facts = await readFacts(services, { personId: null, sessionIds: [...sessionIds], files: true });
  const there = new Set(facts.map(({ id }) => id));

  const { orm, meshId } = services.database;
  await deleteDismissedItems(
    orm,
    meshId,
    items.filter((item) => !there.has(item)),
  );
}
