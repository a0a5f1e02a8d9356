import { listBestPerspectives } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { requireSourcePath } from "../sources/require-source-path.js";
import type { SourceServices } from "../sources/services.js";
import { readFileSource, toPerspective } from "./perspective-output.js";

/** Lists what each persona's reading of a file is, without the texts (SOURCE-13). */
export async function listSourcePerspectives(
  { services }: Context<SourceServices>,
  { source_path }: ParsedInputOf<"list_source_perspectives">,
): Promise<OutputOf<"list_source_perspectives">> {
  const source = await readFileSource(services, requireSourcePath(source_path));
  const rows = await listBestPerspectives(services.database.orm, source);
  return { perspectives: rows.map((row) => toPerspective(row, source)), source_sha: source.hash };
}
