import { hostname } from "node:os";
import { join } from "node:path";
import { type Reach, toConnectionVariables } from "../../../broker/reach.js";
import { usageError } from "../../../core/cli-error.js";
import { homeFiles } from "../../../core/merkle-home.js";
import { getEntryFile } from "../../../core/this-program.js";
import type { Config } from "../../../settings/config.js";
import { type AgentSettings, readAgentSettings } from "./agent-settings.js";
import type { JobAgentOptions } from "./broker-code.js";
import { type ClaudeRunner, type ClaudeRunnerOptions, startClaudeRunner } from "./claude-runner.js";
import { startRunnerProcess } from "./start-runner-process.js";

/**
 * Returns how this home's broker runs jobs: with the Claude Code that is installed here. In open mode,
 * refuses folders for jobs: users of this machine could otherwise use the broker to read and change files to
 * which they have no access themselves (AUTH-5).
 *
 * @throws CliError `usage` for invalid settings in config.json
 */
export function prepareAgent({ home, file, auth, insecureOpen }: Config): JobAgentOptions {
  const settings = readAgentSettings(file.content["agent"], file.path);
  if (auth === "open" && !insecureOpen && Object.keys(settings.roots).length > 0)
    throw usageError(
      `Refusing to start: every user and program on this machine could read and change the folders of agent.roots in ${file.path}; add --insecure-open to allow it.`,
      "leave out --auth open, so that only members can connect",
    );
  const { author, maxConcurrentJobs, timeoutsMs, remoteRunners, roots } = settings;
  // An agent calls its own broker on the same machine, so any host name and the broker's own certificate are
  // accepted.
  const reach = { MERKLE_CA: homeFiles.certificate(home), MERKLE_INSECURE: "1" };
  const locations = { folder: homeFiles.agent(home), logFolder: settings.logDir, reach };
  return {
    author,
    roots,
    maxConcurrentJobs,
    timeoutsMs,
    remoteRunners,
    startRunner: () => startRunnerProcess(toRunnerOptions(settings, locations)),
    name: join(hostname(), home),
  };
}

/**
 * Starts a runner in this home for the jobs of another broker. Uses a separate folder, because the home's own
 * broker may run agents too.
 */
export function startRemoteRunner(reach: Reach, settings: AgentSettings): Promise<ClaudeRunner> {
  const { logDir } = settings;
  const options = toRunnerOptions(settings, {
    folder: join(homeFiles.runner(reach.home), "agent"),
    logFolder: logDir === undefined ? undefined : join(logDir, "runner"),
    reach: toConnectionVariables(reach),
  });
  return startClaudeRunner(options);
}

function toRunnerOptions(
  { claudeBin, agentBin, skipPermissions, environment }: AgentSettings,
  locations: Pick<ClaudeRunnerOptions, "folder" | "logFolder" | "reach">,
): ClaudeRunnerOptions {
  return {
    claudeBin,
    agentCommand: agentBin ?? `${process.execPath} ${getEntryFile()} agent`,
    skipPermissions,
    environment,
    ...locations,
  };
}
