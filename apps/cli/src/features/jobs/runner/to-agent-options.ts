import { hostname } from "node:os";
import { join } from "node:path";
import { type Reach, reachVariables } from "../../../broker/reach.js";
import type { AgentOptions } from "../../../core/broker-code.js";
import { homeFiles } from "../../../core/merkle-home.js";
import { entryFile } from "../../../core/this-program.js";
import type { Config } from "../../../settings/config.js";
import { type AgentSettings, readAgentSettings } from "./agent-settings.js";
import { type ClaudeRunner, type ClaudeRunnerOptions, startClaudeRunner } from "./claude-runner.js";
import { startRunnerProcess } from "./start-runner-process.js";

/**
 * How the broker of this home has jobs done: by Claude Code, as it is installed here.
 *
 * @throws CliError `usage` for what config.json says wrongly
 */
export function toAgentOptions({ home, agent }: Pick<Config, "home" | "agent">): AgentOptions {
  const settings = readAgentSettings(agent.block, agent.path);
  const { author, maxConcurrentJobs, timeoutsMs, remoteRunners, roots } = settings;
  // To its own broker an agent speaks on this machine alone, whatever name and certificate that has.
  const reach = { MERKLE_CA: homeFiles.certificate(home), MERKLE_INSECURE: "1" };
  const places = { folder: homeFiles.agent(home), logFolder: settings.logDir, reach };
  return {
    author,
    roots,
    maxConcurrentJobs,
    timeoutsMs,
    remoteRunners,
    startRunner: () => startRunnerProcess(toRunnerOptions(settings, places)),
    name: join(hostname(), home),
  };
}

/** Runs another broker's jobs in this home, where a broker of its own may have agents, too. */
export function startRemoteRunner(reach: Reach, settings: AgentSettings): Promise<ClaudeRunner> {
  const { logDir } = settings;
  const options = toRunnerOptions(settings, {
    folder: join(homeFiles.runner(reach.home), "agent"),
    logFolder: logDir === undefined ? undefined : join(logDir, "runner"),
    reach: reachVariables(reach),
  });
  return startClaudeRunner(options);
}

function toRunnerOptions(
  { claudeBin, agentBin, skipPermissions, environment }: AgentSettings,
  places: Pick<ClaudeRunnerOptions, "folder" | "logFolder" | "reach">,
): ClaudeRunnerOptions {
  return {
    claudeBin,
    agentCommand: agentBin ?? `${process.execPath} ${entryFile()} agent`,
    skipPermissions,
    environment,
    ...places,
  };
}
