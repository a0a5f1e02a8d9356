import * as z from "zod";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { JobKind } from "./jobs.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** Facts about a broker's own runner: the program it starts, and the limits on its agents. */
export const RunnerFacts = z
  .object({
    host: z.string().meta({ description: "The machine that agents run on." }),
    program: z.string().meta({ description: "The configured agent program." }),
    version: z.string().nullable().meta({ description: "Version reported by the program." }),
    problem: z.string().nullable().meta({ description: "Why jobs cannot run there, in one sentence." }),
    containment: z
      .enum(["namespace", "marks"])
      .meta({ description: "What keeps an agent's processes together, so that none outlives its job." }),
    permissions: z.enum(["listed", "skipped"]).meta({
      description: "Whether an agent may only use the listed tools, or everything that its program can do.",
    }),
    processes_max: z.int().meta({ description: "Maximum number of processes and threads of a job." }),
  })
  .meta({ id: "RunnerFacts" });
export type RunnerFacts = z.output<typeof RunnerFacts>;

export const getRunner = operation("get_runner", {
  summary: "Read who runs jobs beside this broker: which program, how it is contained, and its limits.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({
    here: z
      .object({
        runner: RunnerFacts.nullable().meta({
          description: "Null if the runner does not report itself.",
        }),
        running_max: z.int().meta({ description: "How many jobs run at the same time." }),
        timeouts_s: z.record(JobKind, z.number()).meta({ description: "How long an agent may take." }),
        author: z
          .string()
          .nullable()
          .meta({ description: "Author of commits of accepted file proposals; null if not configured." }),
      })
      .nullable()
      .meta({ description: "Null where this broker runs no jobs itself." }),
    elsewhere: z.boolean().meta({ description: "Whether other runners may take jobs, too." }),
    running: z.int().meta({ description: "Jobs of this mesh that run now." }),
    queued: z.int().meta({ description: "Jobs of this mesh that wait." }),
  }),
  errors: [],
  compact: ({ here, elsewhere, running, queued }) =>
    joinLines(
      `${running} running, ${queued} waiting`,
      here === null && "no runner beside this broker",
      elsewhere && "other runners can take jobs",
      here?.runner &&
        `runs ${formatInlineName(here.runner.program)}: ${here.runner.problem ?? here.runner.version}`,
    ),
});
