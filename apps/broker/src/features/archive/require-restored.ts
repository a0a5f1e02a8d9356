import { type DataSubject, listArchivedSessionsOf } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { CoreServices } from "../../core/services.js";

/**
 * Maximum number of sessions named in one error. After these are restored, the next error names the remaining
 * sessions.
 */
const archivedNamedMax = 20;

/**
 * Refuses to erase a person whose sessions are archived. Redaction does not change archived copies, so some
 * of the person's text would remain although the erasure looked complete (ARCHIVE-8).
 *
 * @throws conflict, with the person's archived sessions
 */
export async function requireRestored(
  { database }: Pick<CoreServices, "database">,
  person: DataSubject,
): Promise<void> {
  const slugs = await listArchivedSessionsOf(database.orm, person, archivedNamedMax);
  if (slugs.length === 0) return;
  throw new MerkleError(
    "conflict",
    `${JSON.stringify(person.name)} took part in sessions that are archived, so nothing was erased: ${slugs.join(", ")}. Restore them first (merkle unarchive), then erase the person and archive them again.`,
    { archived: slugs },
  );
}
