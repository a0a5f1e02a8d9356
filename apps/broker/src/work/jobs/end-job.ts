import { endJob as endJobRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { nothingMade } from "./describe-failure.js";
import { toJob } from "./job-output.js";
import { requireJob } from "./require-job.js";
import { requireRunner } from "./require-runner.js";
import type { JobServices } from "./services.js";
import { stoppedText, toOutcome } from "./to-outcome.js";

/** Stores how an agent on another machine ended, unless its job has ended otherwise before (RUNNER-21). */
export async function endJob(
  ctx: Context<JobServices>,
  { job_id, fence, ended_because, ...result }: ParsedInputOf<"end_job">,
): Promise<OutputOf<"end_job">> {
  const { key } = requireRunner(ctx);
  const { services } = ctx;
  const { meshId, orm } = services.database;
  const { kind } = await requireJob(orm, meshId, job_id);
  const outcome = toOutcome(result, ended_because, { failure: "stopped", errorTail: stoppedText });
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await endJobRow(
      tx,
      { meshId, number: job_id, fence, runner: key },
      outcome,
      nothingMade(kind),
    );
    if (!row) return { ended: false, job: await toJob(services, await requireJob(tx, meshId, job_id)) };
    afterCommit(() => {
      const { status, exitCode, runnerName } = row;
      const level = status === "succeeded" ? "info" : "warn";
      services.log[level]("job ended", {
        mesh: meshId,
        job_id,
        runner: runnerName,
        exit_code: exitCode,
        status,
      });
      services.mesh.announce("jobs", row.sessionId);
      services.mesh.announce("attention", row.sessionId);
      services.jobs.look();
    });
    return { ended: true, job: await toJob(services, row) };
  });
}
