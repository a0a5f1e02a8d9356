import { deleteDismissal, saveDismissal } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

/** Puts an item away for the person who asks, or brings it back; everybody else still sees it (ATT-7). */
export async function dismissAttention(
  ctx: PersonContext<ViewServices>,
  { id, until, undo }: ParsedInputOf<"dismiss_attention">,
): Promise<OutputOf<"dismiss_attention">> {
  const { database, mesh } = ctx.services;
  const { personId } = ctx.person;
  const key = { meshId: database.meshId, personId, item: id };
  const snoozedUntil = until === undefined ? null : new Date(until);
  if (snoozedUntil && snoozedUntil.getTime() <= Date.now()) throw alreadyOver(until);
  return ctx.write(async ({ tx, afterCommit }) => {
    if (undo) await deleteDismissal(tx, key);
    else await saveDismissal(tx, key, snoozedUntil);
    afterCommit(() => mesh.announceToPerson(personId, null));
    return { id, dismissed: !undo, snoozed_until: snoozedUntil?.toISOString() ?? null };
  });
}

function alreadyOver(until: string | undefined): MerkleError {
  return new MerkleError(
    "bad_request",
    `until is ${until}, which is over. Name a time that is still to come.`,
    {
      fields: [{ field: "until", problem: "is over" }],
    },
  );
}
