import { buildLargeIndexes, type ConnectionTarget } from "@merkle/db";
import type { Log } from "../core/log.js";

/**
 * Builds the missing indexes of large tables while the broker already serves (DB-42). If a build fails, the next start
 * tries again, and queries are slower until then. Returns a function that stops it.
 */
export function startIndexBuild(target: ConnectionTarget, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  const building = buildLargeIndexes(target, stopping.signal).then(
    (built) => {
      if (built.length > 0) log.info("built indexes of large tables", { indexes: built });
    },
    (error: unknown) => {
      if (!stopping.signal.aborted)
        log.warn("building the indexes of large tables failed; the next start tries again", { error });
    },
  );
  return async () => {
    stopping.abort();
    await building;
  };
}
