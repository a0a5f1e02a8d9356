import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { formatJobs } from "./text/format-jobs.js";

export const jobsList: Command = {
  name: "jobs list",
  summary: "list recent jobs and their results, of one session or of all",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: all sessions)" }],
  flags: [{ flags: "--limit <number>", summary: "maximum number of results (default: 20)" }],
  examples: ["merkle jobs list", "merkle jobs list split-auth", "merkle jobs list split-auth --json"],
  async run({ args: [name], flags, config, output, signal }) {
    const limit = readWholeNumber(findFlag(flags, "limit"), "--limit", { min: 1, max: limits.jobsListedMax });
    const broker = await findBroker(config, signal);
    const session = name === undefined ? undefined : await getSession(broker, name, config);
    const answer = await broker.call("list_jobs", { session_id: session?.session_id, limit });
    if (output.json) output.show(answer, "");
    else if (answer.jobs.length === 0) output.note("no jobs");
    else output.show(answer, formatJobs(answer.jobs, output));
    return exitCodes.done;
  },
};
