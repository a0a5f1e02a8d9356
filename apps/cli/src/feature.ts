import type { BrokerClient } from "./broker/broker-client.js";
import type { Command } from "./command/command.js";
import type { Io } from "./command/io.js";
import type { BrokerOptions } from "./core/broker-code.js";
import type { CheckConcluded } from "./feed/tail/run-tail.js";
import type { CreateExtension } from "./mcp/extension.js";
import type { Config } from "./settings/config.js";

/** Loads the file of one command. */
export type LoadCommand = () => Promise<Command>;

/** The commands of a feature, by name, that help lists in the group of a topic. */
export interface FeatureCommands {
  readonly topic: string;
  /** The command behind which help lists them. Default: at the end of the group. */
  readonly after?: string;
  /** The command in front of which help lists them, in place of `after`. */
  readonly before?: string;
  readonly load: Readonly<Record<string, LoadCommand>>;
}

/**
 * What a feature adds to the command line. The core and other features import nothing of it but its `feature.ts`. The hooks
 * load what they need when they are called.
 */
export interface Feature {
  /** The features, in any package, without which this one does not work. */
  readonly needs: readonly string[];
  readonly commands: readonly FeatureCommands[];
  /** Returns options for a broker that is started on this home. @throws CliError `usage` for a bad setting */
  readonly brokerOptions?: (config: Config) => Promise<Partial<BrokerOptions>>;
  /** Runs the program of a job's agent, `merkle agent` (AGENT-1). */
  readonly runForAgent?: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>;
  /** Loads the feature's part of the MCP server. */
  readonly loadExtension?: () => Promise<CreateExtension>;
  /** Checks a `session_concluded` message that a command or the MCP server has read. Returns what must be reported, or null. */
  readonly checkConcluded?: CheckConcluded;
  /** Lists the files that complete an argument `<root/path>`. */
  readonly listFiles?: (broker: Pick<BrokerClient, "call">) => Promise<string[]>;
}

export interface FeatureEntry {
  readonly feature: Feature;
}
