import { countOpenTopics, type SourceColumns, type Transaction } from "@merkle/db";
import { limits, MerkleError } from "@merkle/wire";
import type { TopicServices } from "./services.js";

/**
 * To be called behind the counter of the mesh's topics, where those who open one wait for each other.
 *
 * @throws conflict when a source has more open topics than it may have
 */
export async function refuseTooManyOpen(
  { database, sessions }: Pick<TopicServices, "database" | "sessions">,
  tx: Transaction,
  source: SourceColumns,
): Promise<void> {
  const { openTopicsPerSourceMax: open_max } = limits;
  if ((await countOpenTopics(tx, database.meshId, source)) <= open_max) return;
  const session = source.path === null ? await sessions.find(source.sessionId) : null;
  const what = session ? `The document of "${session.slug}"` : `${source.root}/${source.path}`;
  throw new MerkleError(
    "conflict",
    `${what} has ${open_max} open topics, and can have no more. Close some of them first (reply_to_topic).`,
    { open_max },
  );
}
