import type { Job } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import {
  describeKind,
  describeOutcome,
  formatRunTime,
  formatSource,
  formatStatus,
  isFailed,
} from "./text/format-jobs.js";

/** How many jobs the broker lists unless the call names a limit. */
const listedUsually = 20;

export const jobsList: Command = {
  name: "jobs list",
  summary: "list recent jobs and their results, of one session or of all",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: all sessions)" }],
  flags: [limitFlag(listedUsually, limits.jobsListedMax), webFlag],
  examples: [
    "merkle jobs list",
    "merkle jobs list split-auth",
    "merkle jobs list split-auth --json job_id,status",
  ],
  list: { operation: "list_jobs", rows: "jobs" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const limit = readLimit(flags, limits.jobsListedMax) ?? listedUsually;
    const broker = await findBroker(config, signal);
    const session = args[0] === undefined ? undefined : await getSession(broker, args[0], config);
    if (isSet(flags, "web"))
      return openPage(context, broker, session ? toSessionPath(session, "jobs") : "/settings?part=advanced");
    const answer = await broker.call("list_jobs", { session_id: session?.session_id, limit });
    const hasMore = answer.jobs.length === limit && limit < limits.jobsListedMax;
    await showList(
      { value: answer, rows: answer.jobs, columns: listColumns(output), hasMore, empty: "no jobs" },
      context,
    );
    return exitCodes.done;
  },
};

/** Returns the columns: number, source, kind, status, duration and result. */
function listColumns({ bold, dim, alarm }: Output): Column<Job>[] {
  return [
    { head: "Job", cell: ({ job_id }) => ({ text: String(job_id), paint: bold }) },
    { head: "Of", cell: formatSource },
    { head: "Kind", widthMin: 12, cell: describeKind },
    {
      head: "Status",
      cell: (job) => ({ text: formatStatus(job), ...(isFailed(job) && { paint: alarm }) }),
    },
    { head: "Time", isOptional: true, cell: (job) => ({ text: formatRunTime(job), paint: dim }) },
    { head: "Result", widthMin: 12, cell: describeOutcome },
  ];
}
