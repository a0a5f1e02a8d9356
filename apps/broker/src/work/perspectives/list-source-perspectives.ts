import { listBestPerspectives } from "@merkle/db";
import type { Context, OutputOf, ParsedInputOf } from "../../context.js";
import { requireSourcePath } from "../sources/require-source-path.js";
import { readFileSource, toPerspective } from "./perspective-output.js";

/** Lists what each persona's reading of a file is, without the texts (SOURCE-13). */
export async function listSourcePerspectives(
  { services }: Context,
  { source_path }: ParsedInputOf<"list_source_perspectives">,
): Promise<OutputOf<"list_source_perspectives">> {
  const source = await readFileSource(services, requireSourcePath(source_path));
  const rows = await listBestPerspectives(services.database.orm, source);
  return { perspectives: rows.map((row) => toPerspective(row, source)), source_sha: source.hash };
}
