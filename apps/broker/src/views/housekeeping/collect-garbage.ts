import { listTableSizes, measureDatabase } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireMainMesh } from "../../identity/require-main-mesh.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { purge } from "./purge.js";

const tablesListed = 12;

/**
 * Runs the hourly purge now. A dry run performs the purge and rolls it back, to report what would be deleted
 * (OPS-11).
 *
 * @throws forbidden in any mesh other than the main mesh, if the broker admits only members
 */
export async function collectGarbage(
  { services }: Context<ViewServices>,
  { dry_run }: ParsedInputOf<"collect_garbage">,
): Promise<OutputOf<"collect_garbage">> {
  requireMainMesh(services, "collect_garbage");
  const { database } = services;
  const removed = dry_run ? await simulatePurge(services) : await purge(database.orm, services);
  const [database_bytes, tables] = await Promise.all([
    measureDatabase(database.orm),
    listTableSizes(database.orm, tablesListed),
  ]);
  return {
    dry_run,
    removed,
    database_bytes,
    tables: tables.map(({ name, bytes, indexBytes, rows, deadRows, vacuumedAt }) => ({
      name,
      bytes,
      index_bytes: indexBytes,
      rows,
      dead_rows: deadRows,
      vacuumed_at: vacuumedAt?.toISOString() ?? null,
    })),
  };
}

async function simulatePurge(services: ViewServices): Promise<Record<string, number>> {
  let removed: Record<string, number> | undefined;
  const undone = new Error("The dry run was rolled back.");
  await services.database
    .transaction(async (tx) => {
      removed = await purge(tx, services);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return removed ?? {};
}
