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
 * Returns the options with which the broker of this home runs jobs, using the Claude Code installed here.
 *
 * @throws CliError `usage` for invalid settings in config.json
 */
export function toAgentOptions({ home, agent }: Pick<Config, "home" | "agent">): AgentOptions {
  const settings = readAgentSettings(agent.block, agent.path);
  const { author, maxConcurrentJobs, timeoutsMs, remoteRunners, roots } = settings;
  // An agent reaches its own broker on the same machine, so any host name and the broker's own certificate
  // are accepted.
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

/**
 * Starts a runner for another broker's jobs in this home. Uses a separate folder, because the home's own
 * broker may have agents too.
 */
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
