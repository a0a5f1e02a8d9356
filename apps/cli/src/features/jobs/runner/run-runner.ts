import { hostname } from "node:os";
import { jobKinds } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../../broker/broker-client.js";
import { openLiveClient } from "../../../broker/live-client.js";
import { toReach } from "../../../broker/reach.js";
import type { CommandContext } from "../../../command/command.js";
import type { Output } from "../../../command/output.js";
import { lockFolder } from "../../../core/broker-code.js";
import { CliError, exitCodes } from "../../../core/cli-error.js";
import { readOneOf, readWholeNumber } from "../../../core/flag-values.js";
import { type Flags, findFlag, listFlagValues, splitList } from "../../../core/flags.js";
import { explainHomeErrors, homeFiles } from "../../../core/merkle-home.js";
import { describeOutcome, formatJobLine } from "../text/format-jobs.js";
import { type AgentSettings, readAgentSettings } from "./agent-settings.js";
import { findOnPath } from "./find-on-path.js";
import { type RunnerReporter, type RunnerTerms, runJobs } from "./run-jobs.js";
import { startRemoteRunner } from "./to-agent-options.js";

/**
 * The maximum number of concurrent jobs. Leaves room for lease renewals among the requests that one
 * connection may have open.
 */
const concurrencyMax = 32;

/**
 * Runs a broker's jobs on this machine until interrupted. The runner then stops its agents, whose jobs fail
 * (RUNNER-22).
 */
export async function runRunner({ flags, config, output, signal }: CommandContext): Promise<number> {
  const settings = readAgentSettings(config.file.content["agent"], config.file.path);
  const terms = readTerms(flags, settings);
  await requireAgent(settings);
  const { address } = await findBroker(config, signal);
  const lock = await lockRunner(config.home);
  try {
    const runner = await startRemoteRunner(toReach(config), settings);
    const client = await openLiveClient(address, signal);
    try {
      const reporter = createRunnerReporter(output);
      reporter.onStarted(address.base, terms);
      await runJobs({ client, runner, brokerUrl: address.base, reporter, signal, ...terms });
      output.note("stopped");
      return exitCodes.done;
    } finally {
      await client.close();
    }
  } finally {
    await lock.release();
  }
}

function readTerms(flags: Flags, { maxConcurrentJobs }: AgentSettings): RunnerTerms {
  const bounds = { min: 1, max: concurrencyMax };
  const kinds = splitList(listFlagValues(flags, "kinds")).map((word) => readOneOf(word, "--kinds", jobKinds));
  return {
    name: hostname().slice(0, limits.nameCharsMax),
    concurrency:
      readWholeNumber(findFlag(flags, "max"), "--max", bounds) ??
      Math.min(Math.max(maxConcurrentJobs, 1), concurrencyMax),
    kinds: kinds.length === 0 ? undefined : [...new Set(kinds.filter((each) => each !== undefined))],
  };
}

/**
 * Throws if Claude Code is missing. Without it, every claimed job would fail here instead of waiting for a
 * machine that has Claude Code.
 */
async function requireAgent({ claudeBin }: AgentSettings): Promise<void> {
  if ((await findOnPath(claudeBin)) !== undefined) return;
  throw new CliError(
    "no_agent",
    `No program ${JSON.stringify(claudeBin)} can be run here, so this machine cannot run jobs.`,
    {
      exitCode: exitCodes.not_found,
      next: ["install Claude Code, or name it as agent.claude_bin in config.json"],
    },
  );
}

/**
 * Takes the lock that allows only one runner per home. Two runners in one folder would each end the other's
 * agents as leftovers.
 */
async function lockRunner(home: string): ReturnType<typeof lockFolder> {
  try {
    return await explainHomeErrors(home, () => lockFolder(homeFiles.runner(home)));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "home_in_use")) throw error;
    throw new CliError(
      "runner_runs",
      "A runner is already running in this home. Use --max for several jobs at the same time. A runner for another broker needs its own MERKLE_HOME.",
      { exitCode: exitCodes.conflict, cause: error },
    );
  }
}

/** Creates a reporter that prints one line per event or, with `--json`, one JSON document per event. */
function createRunnerReporter(output: Output): RunnerReporter {
  return {
    onStarted(base, { name, concurrency: places, kinds }) {
      const which = kinds === undefined ? "jobs" : `jobs (${kinds.join(", ")})`;
      const atOnce = places === 1 ? "one at a time" : `up to ${places} at once`;
      output.show(
        { event: "started", broker: base, runner: name, places, kinds: kinds ?? null },
        `${output.mark.ok} running ${which} of ${base} as ${neutralise(name)}, ${atOnce}`,
      );
      output.note("  Ctrl+C stops their agents and exits");
    },
    onJobBegun(job) {
      const of = job.session === null ? "" : ` of ${job.session}`;
      output.show({ event: "begun", job }, `${output.signs.arrow} ${formatJobLine(job, output)}${of}`);
    },
    onJobEnded(job) {
      const mark = job.status === "succeeded" ? output.mark.ok : output.mark.fail;
      const outcome = describeOutcome(job);
      const line = `${mark} ${formatJobLine(job, output)}${outcome && ` ${output.dot} ${outcome}`}`;
      output.show({ event: "ended", job }, line);
    },
    onJobLost(job, why) {
      output.show({ event: "lost", job, why }, `${output.mark.warn} job ${job.job_id}: ${neutralise(why)}`);
    },
    onWaiting(why) {
      output.note(`waiting: ${neutralise(why)}`);
    },
  };
}
