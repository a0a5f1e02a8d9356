import { findJob, findSession } from "@merkle/db";
import { MerkleError, type OutputOf } from "@merkle/wire";
import type { AgentContext, SessionContext } from "../../sessions/context.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import { recordResult } from "../record-result.js";
import type { TopicServices } from "../topics/services.js";
import { concludeWith } from "./conclude-with.js";

/**
 * Concludes a session as the agent of its conclude job, where the session lets it (AGENT-6). Its document's version is written in
 * the convener's name, who let it, and says that it was an agent, and who asked for it.
 *
 * @throws forbidden where the session wants to see a proposal first, and when the job is over
 */
export async function concludeAsAgent(
  ctx: SessionContext<TopicServices> & AgentContext<TopicServices>,
  summary: string,
): Promise<OutputOf<"conclude_session">> {
  const { services, session, principal } = ctx;
  const { orm, meshId } = services.database;
  const { sessionId, slug, createdByTeamId } = session;
  const job = await findJob(orm, { meshId, number: principal.job });
  const name = `agent, asked by ${job?.startedBy ?? "nobody known"}`;
  return concludeWith(
    { ...ctx, team: { teamId: createdByTeamId, name, peer: null } },
    {
      summary,
      check: async (tx) => {
        const row = await findSession(tx, meshId, sessionId);
        if (toSessionSettings(row?.settings).agent_concludes !== "concludes") throw proposesAlone(slug);
      },
      record: (tx, version) => recordResult(tx, principal, { kind: "conclusion", id: version }),
    },
  );
}

function proposesAlone(slug: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `In the session "${slug}" an agent proposes the conclusion (insert_proposal), and a person decides about it.`,
    { agent_concludes: "proposes" },
  );
}
