import type { TopicRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Asker } from "../../identity/principal.js";

/**
 * A topic that was looked up, for somebody to whom it exists: the agent of a job knows those of its own session alone.
 *
 * @throws not_found
 */
export function requireTopic(row: TopicRow | null, number: number, asker: Asker): TopicRow {
  const isHidden =
    asker?.kind === "job" && (asker.sessionId !== row?.sessionId || asker.sourcePath !== pathOf(row));
  if (row && !isHidden) return row;
  throw new MerkleError(
    "not_found",
    `There is no topic ${number} in this mesh. list_topics shows those of a session.`,
  );
}

function pathOf({ root, path }: TopicRow): string | null {
  return path === null ? null : `${root}/${path}`;
}
