import { listProgressProjects as listRows } from "@merkle/db";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";

/** Lists the projects of the mesh, the one with the newest entry first (PROGRESS-14). */
export async function listProgressProjects(
  { services }: Context,
  { limit }: ParsedInputOf<"list_progress_projects">,
): Promise<OutputOf<"list_progress_projects">> {
  const { orm, meshId } = services.database;
  const { rows, total } = await listRows(orm, meshId, limit);
  const projects = rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: lastAt.toISOString() }));
  return { projects, total };
}
