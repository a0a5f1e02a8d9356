import type { Job } from "@merkle/wire";
import { neutralise } from "@merkle/wire/plain";
import type { Output } from "../command/output.js";
import { formatJobLine, outcomeOf } from "../work/format-jobs.js";
import type { RunnerTerms } from "../work/runner/run-runner.js";

/** Says what a runner does, a line for each thing; with `--json` a document for each. */
export interface RunnerTeller {
  started(base: string, terms: RunnerTerms): void;
  begun(job: Job): void;
  ended(job: Job): void;
  /** A job that it was given is its no more, or what became of it could not be said. */
  lost(job: Job, why: string): void;
  waiting(why: string): void;
}

export function createRunnerTeller(output: Output): RunnerTeller {
  return {
    started(base, { name, places, kinds }) {
      const which = kinds === undefined ? "jobs" : `jobs (${kinds.join(", ")})`;
      const atOnce = places === 1 ? "one at a time" : `up to ${places} at once`;
      output.show(
        { event: "started", broker: base, runner: name, places, kinds: kinds ?? null },
        `${output.mark.ok} running ${which} of ${base} as ${neutralise(name)}, ${atOnce}`,
      );
      output.note("  Ctrl+C ends their agents and stops");
    },
    begun(job) {
      const of = job.session === null ? "" : ` of ${job.session}`;
      output.show({ event: "begun", job }, `${output.signs.arrow} ${formatJobLine(job, output)}${of}`);
    },
    ended(job) {
      const mark = job.status === "succeeded" ? output.mark.ok : output.mark.fail;
      const outcome = outcomeOf(job);
      const line = `${mark} ${formatJobLine(job, output)}${outcome && ` ${output.dot} ${outcome}`}`;
      output.show({ event: "ended", job }, line);
    },
    lost(job, why) {
      output.show({ event: "lost", job, why }, `${output.mark.warn} job ${job.job_id}: ${neutralise(why)}`);
    },
    waiting(why) {
      output.note(`waiting: ${neutralise(why)}`);
    },
  };
}
