import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { neutralJson } from "@merkle/wire/text";
import type { RunnableJob, Runner, RunnerFacts, RunResult } from "../../../core/broker-code.js";
import { describeError } from "../../../core/describe-error.js";
import { readEnvironment } from "../../../settings/config.js";
import { findCgroups } from "./cgroup.js";
import { toChildEnvironment } from "./child-environment.js";
import { chooseContainment } from "./choose-containment.js";
import type { Containment } from "./containment.js";
import { createDescription } from "./describe-runner.js";
import { findOnPath } from "./find-on-path.js";
import { type JobLog, openJobLog } from "./job-log.js";
import { clearLeftovers } from "./marking.js";
import { type Bounds, runContained, unreachable } from "./run-contained.js";

export interface ClaudeRunnerOptions {
  /** A path, or a name to look for on PATH. */
  readonly claudeBin: string;
  /** How an agent runs `merkle agent`: absolute paths, with blanks between them. */
  readonly agentCommand: string;
  /** The folder that agents are started in; nobody else writes there. */
  readonly folder: string;
  /** For the log of each job; undefined for none. */
  readonly logFolder: string | undefined;
  /** Lets agents do without being asked whatever they want to; off unless told. */
  readonly skipPermissions: boolean;
  /** Further variables of the environment that agents are given. */
  readonly environment: readonly string[];
  /** The variables by which an agent's command believes and allows itself something on its way to the broker, as variables; nothing unless told. */
  readonly reach?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** How many processes and threads one job may have at once. */
  readonly processesMax?: number;
  /** The best that the machine allows, unless told. */
  readonly containment?: Containment["kind"];
  /** Whether runs get a cgroup each where the machine allows it; they do unless told. */
  readonly cgroups?: boolean;
}

export interface ClaudeRunner extends Runner {
  describe(): Promise<RunnerFacts>;
  /** The means by which it keeps a job's processes together. */
  containment(): Promise<Containment["kind"]>;
}

/**
 * Claude Code and its helpers stay below a hundred, but for pools with a thread for each processor; a run that multiplies
 * reaches this before others feel it.
 */
const processesUsual = 256 + 16 * availableParallelism();

/**
 * Runs jobs with Claude Code in its headless mode (RUNNER-1): without a shell, the prompt on stdin, an environment of its own.
 * Processes that an earlier runner of this folder left behind are ended first.
 */
export async function startClaudeRunner(options: ClaudeRunnerOptions): Promise<ClaudeRunner> {
  const { folder, env = readEnvironment().variables, processesMax = processesUsual } = options;
  const mark = markOf(folder);
  await prepareFolder(folder);
  // Found out when it is first needed: most starts of a broker run no job.
  let chosen: Promise<Bounds> | undefined;
  const bound = () => {
    chosen ??= chooseBounds(mark, options);
    return chosen;
  };

  async function runClaude(
    signal: AbortSignal,
    job: RunnableJob,
    log: JobLog | undefined,
  ): Promise<RunResult> {
    const path = await findOnPath(options.claudeBin, { path: env["PATH"] });
    if (path === undefined) {
      const error = unreachable(`no program ${JSON.stringify(options.claudeBin)} can be run`);
      return { exit_code: null, error_tail: "", error };
    }
    const given = {
      MERKLE_URL: job.broker_url,
      MERKLE_JOB: String(job.job_id),
      MERKLE_JOB_TOKEN: job.credential,
      ...options.reach,
    };
    return runContained(
      signal,
      {
        path,
        args: toArguments(options),
        cwd: folder,
        env: toChildEnvironment(env, { names: options.environment, given }),
        input: toPrompt(job, options.agentCommand),
        mark,
        log,
        secrets: [job.credential],
        processesMax,
        timeoutMs: job.timeout_ms,
      },
      await bound(),
    );
  }

  const containment = async () => (await bound()).containment.kind;
  return {
    containment,
    describe: createDescription({ ...options, env, processesMax, containment }),
    async run(signal, job) {
      const { logFolder } = options;
      const log =
        logFolder === undefined ? undefined : await openJobLog(logFolder, job.label, [job.credential]);
      try {
        return await runClaude(signal, job, log);
      } catch (error) {
        const message = describeError(error);
        return { exit_code: null, error_tail: "", error: unreachable(message) };
      } finally {
        await log?.close();
      }
    },
  };
}

/** Ends what an earlier runner of the folder left behind, and puts there what its agents need. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await clearLeftovers(markOf(folder));
  await installSkills(folder);
}

function markOf(folder: string): string {
  return `merkle-${createHash("sha256").update(folder).digest("hex").slice(0, 32)}`;
}

async function chooseBounds(
  mark: string,
  { containment, cgroups = true }: Pick<ClaudeRunnerOptions, "containment" | "cgroups">,
): Promise<Bounds> {
  return {
    containment: await chooseContainment(containment),
    cgroups: cgroups ? await findCgroups(mark) : undefined,
  };
}

/**
 * Nothing but what Merkle gives it: no servers, hooks or settings but those of its own folder, where nobody else writes. It reads
 * files there alone, and the one command that it may run does the job's writes. Whatever else a text that it has read talks it
 * into is denied without a question (RUNNER-9).
 */
function toArguments({
  agentCommand,
  skipPermissions,
}: Pick<ClaudeRunnerOptions, "agentCommand" | "skipPermissions">): string[] {
  return [
    ...["-p", "--no-session-persistence", "--output-format", "json"],
    ...["--strict-mcp-config", "--mcp-config", '{"mcpServers":{}}'],
    ...["--setting-sources", "project", "--settings", JSON.stringify({ disableAllHooks: true })],
    ...(skipPermissions
      ? ["--dangerously-skip-permissions"]
      : [
          ...["--permission-mode", "dontAsk", "--tools", "Read,Glob,Grep,Bash,Skill"],
          ...["--allowedTools", `Bash(${agentCommand}:*)`],
        ]),
  ];
}

/**
 * The prompt that the agent reads from stdin: which skill it uses, and the job as a labelled block, a value on each line. Most of
 * the values come from people, and none of them can pass for another line or end the block (RUNNER-26).
 */
export function toPrompt(
  { kind, job_id, parameters }: Pick<RunnableJob, "kind" | "job_id" | "parameters">,
  agentCommand: string,
): string {
  const told = Object.entries(parameters).map(([label, value]) => [label, toValue(value)]);
  const block = [["Job ID", String(job_id)], ...told, ["Agent command", agentCommand]];
  return [
    `Use the merkle-${kind} skill.`,
    "",
    ...block.map(([label, value]) => `${label}: ${value}`),
    "",
    "When done, exit 0. On any unrecoverable error, exit non-zero: the person who started the job sees what you wrote to stderr.",
    "",
  ].join("\n");
}

/** No colon, so no label; no quotation mark, no tag, no line break, and nothing that looks like another character. */
const plain = /^[\w./@+' -]*$/;

/** A value of more than plain words stands as a JSON string, which it cannot close, without any tag. */
function toValue(text: string): string {
  return plain.test(text) ? text : neutralJson(text).replaceAll("<", "\\u003c");
}

/**
 * Puts Merkle's skills where agents that are started in `folder` find them, in place of whatever stood there: nobody else's
 * skill, setting or hook is among them (SKILL-2).
 */
export async function installSkills(folder: string): Promise<void> {
  const made = await mkdtemp(join(folder, ".claude-"));
  await cp(skillsFolder(), join(made, "skills"), { recursive: true });
  const wanted = join(folder, ".claude");
  await rm(wanted, { recursive: true, force: true });
  await rename(made, wanted);
}

/** Beside this file in a bundle; in the workspace at the top of the command's folder. */
function skillsFolder(): string {
  const places = ["./skills", "../../../../skills"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find((place) => existsSync(join(place, "merkle-conclude", "SKILL.md")));
  if (found !== undefined) return found;
  throw new Error(`Merkle's skills are missing from ${places[0]}. Install merkle again.`);
}
