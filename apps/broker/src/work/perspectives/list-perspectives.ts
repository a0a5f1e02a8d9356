import { listBestPerspectives } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import type { SourceServices } from "../sources/services.js";
import { readSource, toPerspective } from "./perspective-output.js";

/** Lists what each persona's reading of the document is, without the texts (PERSPECTIVE-4). */
export async function listPerspectives({
  services,
  session,
}: SessionContext<SourceServices>): Promise<OutputOf<"list_perspectives">> {
  const { orm, meshId } = services.database;
  const source = await readSource(orm, meshId, session);
  const rows = await listBestPerspectives(orm, source);
  return {
    perspectives: rows.map((row) => toPerspective(row, source)),
    document_version: source.version,
  };
}
