import { type FileWork, findSourceText, listFileWork } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import type { SourceServices } from "./services.js";
import { requireOwnSource, requireSourcePath } from "./source-path.js";
import type { ListedRoot } from "./sources.js";

/** Lists the files that may be worked on, by root and path, with the open work on each file (SOURCE-6). */
export async function listSources(
  { services }: Context<SourceServices>,
  { query = "", names_only, limit }: ParsedInputOf<"list_sources">,
): Promise<OutputOf<"list_sources">> {
  const { sources, database } = services;
  const listed = names_only ? sources.roots.map(toUnopenedRoot) : await sources.list();
  const searchText = query.toLowerCase();
  const paths = listed
    .flatMap(({ root, paths }) => paths.map((path) => `${root}/${path}`))
    .filter((path) => path.toLowerCase().includes(searchText));
  const work = listed.length === 0 ? [] : await listFileWork(database.orm, database.meshId);
  const workByPath = new Map(work.map((each) => [`${each.root}/${each.path}`, each]));
  return {
    roots: listed.map(({ root, problem }) => ({ root, problem })),
    files: paths.slice(0, limit).map((source_path) => toListed(source_path, workByPath.get(source_path))),
    has_more: paths.length > limit || listed.some(({ isTruncated }) => isTruncated),
    can_commit: sources.canCommit,
  };
}

/** Describes a root without reading its files. */
function toUnopenedRoot(root: string): ListedRoot {
  return { root, problem: null, paths: [], isTruncated: false };
}

function toListed(source_path: string, work: FileWork | undefined) {
  return {
    source_path,
    open_topics: work?.topics ?? 0,
    open_proposals: work?.proposals ?? 0,
    jobs_in_flight: work?.jobs ?? 0,
  };
}

/**
 * Returns a file's current text, or an earlier text that was stored (SOURCE-6). A job's agent can read only
 * the file of its job.
 *
 * @throws not_found
 */
export async function readSource(
  { services, principal }: Context<SourceServices>,
  { source_path, source_sha, last_commit }: ParsedInputOf<"read_source">,
): Promise<OutputOf<"read_source">> {
  requireOwnSource(principal, source_path);
  const source = requireSourcePath(source_path);
  const { text, hash, committedHash } = await services.sources.open(source);
  const history = last_commit ? { last_commit: await services.sources.lastCommit(source) } : {};
  if (source_sha === undefined || source_sha === hash) {
    return { source_path, source_sha: hash, committed: hash === committedHash, text, ...history };
  }
  const { orm, meshId } = services.database;
  const storedText = await findSourceText(orm, { meshId, ...source, hash: source_sha });
  if (storedText === null) throw notKept(source_path, source_sha, hash);
  return { source_path, source_sha, committed: source_sha === committedHash, text: storedText, ...history };
}

function notKept(source_path: string, source_sha: string, current_sha: string): MerkleError {
  return new MerkleError(
    "not_found",
    `Version ${source_sha} of ${source_path} was not kept: only versions that something is based on are stored. The current version is ${current_sha}.`,
    { source_path, current_sha },
  );
}
