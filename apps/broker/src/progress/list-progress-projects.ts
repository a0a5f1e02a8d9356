import { listProgressProjects as listRows } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../sessions/context.js";
import type { ProgressServices } from "./services.js";

/** Lists the projects of the mesh, the one with the newest entry first (PROGRESS-14). */
export async function listProgressProjects(
  { services }: Context<ProgressServices>,
  { limit }: ParsedInputOf<"list_progress_projects">,
): Promise<OutputOf<"list_progress_projects">> {
  const { orm, meshId } = services.database;
  const { rows, total } = await listRows(orm, meshId, limit);
  const projects = rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: lastAt.toISOString() }));
  return { projects, total };
}
