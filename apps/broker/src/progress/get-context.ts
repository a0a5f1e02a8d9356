import { findProgressEntry } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../sessions/context.js";
import { cutSummary } from "./cut-summary.js";
import { toProgressEntry } from "./progress-output.js";
import type { ProgressServices } from "./services.js";

/**
 * Reads an entry in brief. Its summary is made when it is first asked for, and kept; where none can be made, or not soon
 * enough, the beginning of the content stands in its place, and the next call tries again (PROGRESS-6, PROGRESS-7).
 *
 * @throws not_found when that project has no such entry
 */
export async function getContext(
  { services }: Context<ProgressServices>,
  { projectId, id, includeFull }: ParsedInputOf<"get_context">,
): Promise<OutputOf<"get_context">> {
  const { database, summariser } = services;
  const entry = await findProgressEntry(database.orm, database.meshId, { projectId, id });
  if (!entry) throw new MerkleError("not_found", `Entry not found: ${id} in project ${projectId}`);
  const summary = entry.summary ?? (await summariser.summarise(database, entry)) ?? cutSummary(entry.content);
  return { ...toProgressEntry(entry), projectId, summary, ...(includeFull && { content: entry.content }) };
}
