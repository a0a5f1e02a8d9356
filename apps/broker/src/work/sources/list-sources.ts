import { type FileWork, listFileWork } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import type { SourceServices } from "./services.js";
import type { ListedRoot } from "./sources.js";

/** Lists the files that may be worked on, by root and path, with what is open for each (SOURCE-6). */
export async function listSources(
  { services }: Context<SourceServices>,
  { query = "", names_only, limit }: ParsedInputOf<"list_sources">,
): Promise<OutputOf<"list_sources">> {
  const { sources, database } = services;
  const listed = names_only ? sources.roots.map(unopened) : await sources.list();
  const wanted = query.toLowerCase();
  const paths = listed
    .flatMap(({ root, paths }) => paths.map((path) => `${root}/${path}`))
    .filter((path) => path.toLowerCase().includes(wanted));
  const work = listed.length === 0 ? [] : await listFileWork(database.orm, database.meshId);
  const workOf = new Map(work.map((each) => [`${each.root}/${each.path}`, each]));
  return {
    roots: listed.map(({ root, problem }) => ({ root, problem })),
    files: paths.slice(0, limit).map((source_path) => toListed(source_path, workOf.get(source_path))),
    has_more: paths.length > limit || listed.some(({ cut }) => cut),
    can_commit: sources.canCommit,
  };
}

/** A root that nobody has looked into. */
function unopened(root: string): ListedRoot {
  return { root, problem: null, paths: [], cut: false };
}

function toListed(source_path: string, work: FileWork | undefined) {
  return {
    source_path,
    open_topics: work?.topics ?? 0,
    open_proposals: work?.proposals ?? 0,
    jobs_in_flight: work?.jobs ?? 0,
  };
}
