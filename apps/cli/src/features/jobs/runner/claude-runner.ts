import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toNeutralJson } from "@merkle/wire/text";
import { describeError } from "../../../core/describe-error.js";
import { sha256 } from "../../../core/sha256.js";
import { readEnvironment } from "../../../settings/config.js";
import type { JobRunner, RunnableJob, RunnerFacts, RunResult } from "./broker-code.js";
import { findCgroups } from "./cgroup.js";
import { toChildEnvironment } from "./child-environment.js";
import { chooseContainment } from "./choose-containment.js";
import type { Containment } from "./containment.js";
import { createDescription } from "./describe-runner.js";
import { findOnPath } from "./find-on-path.js";
import { type JobLog, openJobLog } from "./job-log.js";
import { clearLeftovers } from "./marking.js";
import { type RunBounds, runContained, unreachable } from "./run-contained.js";

export interface ClaudeRunnerOptions {
  /** The Claude Code program: a path, or a name to find on PATH. */
  readonly claudeBin: string;
  /** The command line that runs `merkle agent`: absolute paths, separated by spaces. */
  readonly agentCommand: string;
  /** The folder in which agents are started. Nothing else writes to it. */
  readonly folder: string;
  /** The folder for job logs. Undefined disables logs. */
  readonly logFolder: string | undefined;
  /** Allows agents to use every tool without permission. Default: false. */
  readonly skipPermissions: boolean;
  /** Names of further environment variables to pass to agents. */
  readonly environment: readonly string[];
  /**
   * Environment variables that tell the `merkle agent` command which certificates to trust and which
   * addresses to allow. Default: none.
   */
  readonly reach?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Maximum number of processes and threads of one job. */
  readonly processesMax?: number;
  /** The kind of containment. Default: the best kind that the machine allows. */
  readonly containment?: Containment["kind"];
  /** Whether each run gets a cgroup if the machine allows cgroups. Default: true. */
  readonly cgroups?: boolean;
}

export interface ClaudeRunner extends JobRunner {
  describe(): Promise<RunnerFacts>;
  /** Returns the kind of containment that is used for the processes of jobs. */
  getContainmentKind(): Promise<Containment["kind"]>;
}

/**
 * The default limit on processes. Claude Code and its helpers stay below a hundred processes and threads,
 * except for pools with one thread per processor. A runaway job reaches this limit before it affects others.
 */
const processesMaxDefault = 256 + 16 * availableParallelism();

/**
 * Starts a runner that runs jobs with Claude Code in headless mode (RUNNER-1): without a shell, with the
 * prompt on stdin and a separate environment. First ends processes that an earlier runner in this folder left
 * behind.
 */
export async function startClaudeRunner(options: ClaudeRunnerOptions): Promise<ClaudeRunner> {
  const { folder, env = readEnvironment().variables, processesMax = processesMaxDefault } = options;
  const mark = toMark(folder);
  await prepareFolder(folder);
  // Determined on first use, because most brokers start without running a job.
  let boundsOnce: Promise<RunBounds> | undefined;
  const getBounds = () => {
    boundsOnce ??= chooseBounds(mark, options);
    return boundsOnce;
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
      await getBounds(),
    );
  }

  const getContainmentKind = async () => (await getBounds()).containment.kind;
  return {
    getContainmentKind,
    describe: createDescription({ ...options, env, processesMax, getContainmentKind }),
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

/** Ends processes that an earlier runner in the folder left behind, and installs the skills for agents. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await clearLeftovers(toMark(folder));
  await installSkills(folder);
}

function toMark(folder: string): string {
  return `merkle-${sha256(folder).slice(0, 32)}`;
}

async function chooseBounds(
  mark: string,
  { containment, cgroups = true }: Pick<ClaudeRunnerOptions, "containment" | "cgroups">,
): Promise<RunBounds> {
  return {
    containment: await chooseContainment(containment),
    cgroups: cgroups ? await findCgroups(mark) : undefined,
  };
}

/**
 * Returns the arguments that limit the agent to what Merkle provides: no MCP servers or hooks, and no
 * settings except those in its own folder, where nothing else writes. The agent can read files only in that
 * folder, and run only the command that writes for its job. Anything else that the text it reads may persuade
 * it to do is denied without a prompt (RUNNER-9).
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
 * Returns the prompt for the agent's stdin: the skill to use, and the job as labelled lines. Most values come
 * from people. No value can imitate another line or end the block (RUNNER-26).
 */
export function toPrompt(
  { kind, job_id, parameters }: Pick<RunnableJob, "kind" | "job_id" | "parameters">,
  agentCommand: string,
): string {
  const parameterLines = Object.entries(parameters).map(([label, value]) => [label, toValue(value)]);
  const block = [["Job ID", String(job_id)], ...parameterLines, ["Agent command", agentCommand]];
  return [
    `Use the merkle-${kind} skill.`,
    "",
    ...block.map(([label, value]) => `${label}: ${value}`),
    "",
    "When done, exit 0. On any unrecoverable error, exit non-zero: the person who started the job sees what you wrote to stderr.",
    "",
  ].join("\n");
}

/**
 * Matches text without colons, quotation marks, tags, line breaks or lookalike characters, so that a value
 * cannot imitate a label.
 */
const plain = /^[\w./@+' -]*$/;

/**
 * Returns a value unchanged if it contains only plain characters. Otherwise returns it as a JSON string
 * without tags, from which the value cannot break out.
 */
function toValue(text: string): string {
  return plain.test(text) ? text : toNeutralJson(text).replaceAll("<", "\\u003c");
}

/**
 * Installs Merkle's skills where agents in `folder` find them. Removes everything else there, so that no
 * other skills, settings or hooks apply (SKILL-2).
 */
export async function installSkills(folder: string): Promise<void> {
  const staging = await mkdtemp(join(folder, ".claude-"));
  await cp(getSkillsFolder(), join(staging, "skills"), { recursive: true });
  const target = join(folder, ".claude");
  await rm(target, { recursive: true, force: true });
  await rename(staging, target);
}

/**
 * Returns the folder that contains the skills: next to this file in a bundle, or at the top of the CLI
 * package in the workspace.
 */
function getSkillsFolder(): string {
  const candidates = ["./skills", "../../../../skills"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const folder = candidates.find((place) => existsSync(join(place, "merkle-conclude", "SKILL.md")));
  if (folder !== undefined) return folder;
  throw new Error(`Merkle's skills are missing from ${candidates[0]}. Install merkle again.`);
}
