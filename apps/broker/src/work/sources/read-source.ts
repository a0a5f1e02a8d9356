import { findSourceText } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { refuseOtherSource } from "./refuse-other-source.js";
import { requireSourcePath } from "./require-source-path.js";
import type { SourceServices } from "./services.js";

/**
 * Reads a file as it lies there, or a text of it that something was made from (SOURCE-6). An agent reads the one that its job
 * is about.
 *
 * @throws not_found
 */
export async function readSource(
  { services, principal }: Context<SourceServices>,
  { source_path, source_sha, last_commit }: ParsedInputOf<"read_source">,
): Promise<OutputOf<"read_source">> {
  refuseOtherSource(principal, source_path);
  const source = requireSourcePath(source_path);
  const { text, hash, committedHash } = await services.sources.open(source);
  const history = last_commit ? { last_commit: await services.sources.lastCommit(source) } : {};
  if (source_sha === undefined || source_sha === hash) {
    return { source_path, source_sha: hash, committed: hash === committedHash, text, ...history };
  }
  const { orm, meshId } = services.database;
  const kept = await findSourceText(orm, { meshId, ...source, hash: source_sha });
  if (kept === null) throw notKept(source_path, source_sha, hash);
  return { source_path, source_sha, committed: source_sha === committedHash, text: kept, ...history };
}

function notKept(source_path: string, source_sha: string, current_sha: string): MerkleError {
  return new MerkleError(
    "not_found",
    `No text ${source_sha} of ${source_path} is kept: only those that something was made from are. The current one is ${current_sha}.`,
    { source_path, current_sha },
  );
}
