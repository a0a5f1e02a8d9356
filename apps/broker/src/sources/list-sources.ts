import type { Context, OutputOf, ParsedInputOf } from "../context.js";

/** Lists the files that may be worked on, by root and path (SOURCE-6). */
export async function listSources(
  { services }: Context,
  { query = "", limit }: ParsedInputOf<"list_sources">,
): Promise<OutputOf<"list_sources">> {
  const { sources } = services;
  const listed = await sources.list();
  const wanted = query.toLowerCase();
  const files = listed
    .flatMap(({ root, paths }) => paths.map((path) => ({ source_path: `${root}/${path}` })))
    .filter(({ source_path }) => source_path.toLowerCase().includes(wanted));
  return {
    roots: listed.map(({ root, problem }) => ({ root, problem })),
    files: files.slice(0, limit),
    has_more: files.length > limit || listed.some(({ cut }) => cut),
    can_commit: sources.canCommit,
  };
}
