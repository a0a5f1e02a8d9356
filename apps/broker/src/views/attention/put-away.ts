import {
  type Dismissal,
  deleteDismissals,
  deleteDismissedItems,
  deleteEndedSnoozes,
  listDismissals,
  listDismissedItems,
  saveDismissals,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { type FactServices, findSessionOfItem, listFactIds, readFacts } from "./facts.js";

/**
 * Dismisses or snoozes items for the calling person, or undoes either. Everyone else still sees the items
 * (ATT-7).
 */
export async function dismissAttention(
  ctx: PersonContext<ViewServices>,
  { id, others = [], until, undo }: ParsedInputOf<"dismiss_attention">,
): Promise<OutputOf<"dismiss_attention">> {
  const { database, mesh } = ctx.services;
  const { personId } = ctx.person;
  const key = { meshId: database.meshId, personId, items: [...new Set([id, ...others])] };
  const snoozedUntil = until === undefined ? null : new Date(until);
  if (snoozedUntil && snoozedUntil.getTime() <= Date.now()) throw alreadyOver(until);
  return ctx.write(async ({ tx, afterCommit }) => {
    if (undo) await deleteDismissals(tx, key);
    else await saveDismissals(tx, key, snoozedUntil);
    afterCommit(() => mesh.announceToPerson(personId, null));
    return { id, dismissed: !undo, snoozed_until: snoozedUntil?.toISOString() ?? null };
  });
}

function alreadyOver(until: string | undefined): MerkleError {
  return new MerkleError("bad_request", `${until} is in the past. Choose a time in the future.`, {
    fields: [{ field: "until", problem: "is in the past" }],
  });
}

/** Returns the items that a person has dismissed, by id. Empty for callers that are not people. */
export async function readDismissals(
  { database }: Pick<ViewServices, "database">,
  personId: string | null,
): Promise<ReadonlyMap<string, Dismissal>> {
  if (personId === null) return new Map();
  const dismissals = await listDismissals(database.orm, database.meshId, personId);
  return new Map(dismissals.map((dismissal) => [dismissal.item, dismissal]));
}

/** Returns the sessions with an item that only a person can settle and that the reader has not dismissed (SES-18). */
export async function readNeedingSessions(
  services: FactServices,
  personId: string | null,
): Promise<ReadonlySet<string>> {
  const [facts, dismissals] = await Promise.all([
    readFacts(services, { personId, approvals: "own", files: false }),
    readDismissals(services, personId),
  ]);
  const waiting = facts.filter(({ id, needsPerson }) => needsPerson && !dismissals.has(id));
  return new Set(waiting.flatMap(({ sessionId }) => sessionId ?? []));
}

/** Number of dismissed items that are compared with the current facts at a time. */
const pageMax = 500;

/** Deletes expired snoozes, and dismissals of facts that no longer exist (ATT-8). */
export async function deleteSettledDismissals(services: FactServices): Promise<void> {
  const { orm, meshId } = services.database;
  await deleteEndedSnoozes(orm, meshId);
  for (let after = ""; ; ) {
    const items = await listDismissedItems(orm, meshId, { after, limit: pageMax });
    const last = items.at(-1);
    if (last === undefined) return;
    after = last;
    await deleteGoneDismissals(services, items);
  }
}

async function deleteGoneDismissals(services: FactServices, items: readonly string[]): Promise<void> {
  const sessionIds = new Set(items.flatMap((item) => findSessionOfItem(item) ?? []));
  const factsOfEveryone = { personId: null, approvals: "everybody's" } as const;
  const facts = await readFacts(services, { ...factsOfEveryone, sessionIds: [...sessionIds], files: true });
  const currentIds = new Set(listFactIds(facts));

  const { orm, meshId } = services.database;
  await deleteDismissedItems(
    orm,
    meshId,
    items.filter((item) => !currentIds.has(item)),
  );
}
