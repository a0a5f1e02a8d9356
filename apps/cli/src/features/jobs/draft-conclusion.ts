import type { CommandContext } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import type { ConcludedSession } from "../../feature.js";
import { getSessionActor } from "../../identity/actors.js";

/** Starts a job that drafts a session's conclusion. The session's settings decide whether its agent also concludes. */
export async function draftConclusion(
  { config, output }: CommandContext,
  { broker, session }: ConcludedSession,
): Promise<number> {
  const { session_id, slug } = session;
  const actor = await getSessionActor(session, { broker, config });
  const { settings } = await broker.call("get_session", { session_id });
  const job = await actor.call("start_job", { kind: "conclude", session_id });
  const agentConcludes = settings.agent_concludes === "concludes";
  const next = agentConcludes ? `and concludes ${slug} with it` : `review: merkle doc proposals ${slug}`;
  output.show(job, `job ${job.job_id} drafts the conclusion${agentConcludes ? " " : "; "}${next}`);
  output.note(`  follow: merkle jobs show ${job.job_id} -f`);
  return exitCodes.done;
}
