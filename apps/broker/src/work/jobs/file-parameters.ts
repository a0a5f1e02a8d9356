import { type JobRow, keepSourceText } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import type { JobServices } from "./services.js";

/**
 * What an agent is told of the file that it works on (SOURCE-11). The text as it is now is what it works from, and is kept,
 * since the file may change under it.
 */
export async function fileParameters(
  { database, sources }: Pick<JobServices, "database" | "sources">,
  { kind }: Pick<JobRow, "kind">,
  file: SourcePathParts,
): Promise<Readonly<Record<string, string>>> {
  const { text: content, hash } = await sources.open(file);
  await keepSourceText(database.orm, { meshId: database.meshId, ...file, hash, content });
  return {
    "Source path": `${file.root}/${file.path}`,
    [kind === "incorporate" ? "Base source SHA" : "Source SHA"]: hash,
    "Repo root": sources.folderOf(file.root) ?? "",
  };
}
