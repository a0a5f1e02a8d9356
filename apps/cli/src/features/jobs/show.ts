import { setTimeout as delay } from "node:timers/promises";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { isSet } from "../../core/flags.js";
import { formatJob, formatJobLine } from "./text/format-jobs.js";

const pollIntervalMs = 1_000;

export const jobsShow: Command = {
  name: "jobs show",
  summary: "show a job's status and result, or why it failed",
  arguments: [{ name: "<number>", summary: "job number, from merkle jobs list" }],
  flags: [{ flags: "-f, --follow", summary: "wait for the job to end; exit 1 if it failed" }],
  examples: ["merkle jobs show 12", "merkle jobs show 12 -f", "merkle jobs show 12 --json"],
  async run({ args: [number = ""], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const job_id = toNumber(number, "A job");
    let job = await broker.call("get_job", { job_id });
    for (let printedStatus = ""; isSet(flags, "follow") && job.completed_at === null; ) {
      if (printedStatus !== job.status) output.note(formatJobLine(job, output));
      printedStatus = job.status;
      await delay(pollIntervalMs, undefined, { signal });
      job = await broker.call("get_job", { job_id });
    }
    output.show(job, formatJob(job, output));
    return isSet(flags, "follow") && job.status !== "succeeded" ? exitCodes.unexpected : exitCodes.done;
  },
};
