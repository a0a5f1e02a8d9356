import * as z from "zod";
import { lines, nameInLine } from "../text/neutralise.js";
import { operation } from "./operation.js";
import { JobKind } from "./work.js";

/** The runner beside a broker: its program, and the bounds of its agents. */
export const RunnerFacts = z
  .object({
    host: z.string().meta({ description: "The machine that agents run on." }),
    program: z.string().meta({ description: "The program that an agent is, as it is configured." }),
    version: z.string().nullable().meta({ description: "What the program says that it is." }),
    problem: z
      .string()
      .nullable()
      .meta({ description: "What hinders jobs from being run there, in a sentence." }),
    containment: z
      .enum(["namespace", "marks"])
      .meta({ description: "What keeps an agent's processes together, so that none outlives its job." }),
    permissions: z
      .enum(["listed", "skipped"])
      .meta({ description: "Whether an agent may do what is listed alone, or all that its program can." }),
    processes_max: z.int().meta({ description: "How many processes and threads a job may have at once." }),
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
          description: "Null where the runner tells nothing of itself.",
        }),
        running_max: z.int().meta({ description: "How many jobs run at once." }),
        timeouts_s: z.record(JobKind, z.number()).meta({ description: "How long an agent may take." }),
        author: z
          .string()
          .nullable()
          .meta({ description: "As whom accepted work on files is committed; null where nobody is named." }),
      })
      .nullable()
      .meta({ description: "Null where this broker runs no jobs itself." }),
    elsewhere: z.boolean().meta({ description: "Whether other runners may take jobs, too." }),
    running: z.int().meta({ description: "Jobs of this mesh that run now." }),
    queued: z.int().meta({ description: "Jobs of this mesh that wait." }),
  }),
  errors: [],
  compact: ({ here, elsewhere, running, queued }) =>
    lines(
      `${running} running, ${queued} waiting`,
      here === null && "no runner beside this broker",
      elsewhere && "other runners are let in",
      here?.runner &&
        `runs ${nameInLine(here.runner.program)}: ${here.runner.problem ?? here.runner.version}`,
    ),
});
