import { listProposalRows } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { JobServices } from "../jobs/services.js";
import { requireSourcePath } from "../sources/require-source-path.js";
import { toProposal } from "./proposal-output.js";

/** Lists proposals, newest first (PROP-4). */
export async function listProposals(
  { services }: Context<JobServices>,
  { session_id, source_path, topic_id, status, before, limit }: ParsedInputOf<"list_proposals">,
): Promise<OutputOf<"list_proposals">> {
  const { orm, meshId } = services.database;
  const session = session_id === undefined ? undefined : await requireSession(services, session_id);
  const file = source_path === undefined ? undefined : requireSourcePath(source_path);
  const wanted = { sessionId: session?.sessionId, file, topic: topic_id, status, before, limit: limit + 1 };
  const rows = await listProposalRows(orm, meshId, wanted);
  return {
    proposals: await Promise.all(rows.slice(0, limit).map((row) => toProposal(services, row))),
    has_more: rows.length > limit,
  };
}
