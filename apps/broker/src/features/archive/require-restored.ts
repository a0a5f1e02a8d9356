import { type DataSubject, listArchivedOf } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { CoreServices } from "../../core/services.js";

/** So many are named; the others are, when these are back. */
const archivedNamedMax = 20;

/**
 * No removal reaches the archive, and leaving something there must not look like the end of an erasure (ARCHIVE-8).
 *
 * @throws conflict, with the person's archived sessions
 */
export async function requireRestored(
  { database }: Pick<CoreServices, "database">,
  person: DataSubject,
): Promise<void> {
  const slugs = await listArchivedOf(database.orm, person, archivedNamedMax);
  if (slugs.length === 0) return;
  throw new MerkleError(
    "conflict",
    `${JSON.stringify(person.name)} took part in sessions that are archived, so nothing was erased: ${slugs.join(", ")}. Restore them first (merkle unarchive), then erase the person and archive them again.`,
    { archived: slugs },
  );
}
