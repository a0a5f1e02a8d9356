import type { BrokerClient } from "./broker/broker-client.js";
import type { Command } from "./command/command.js";
import type { Io } from "./command/io.js";
import type { BrokerOptions } from "./core/broker-code.js";
import type { CheckConcluded } from "./feed/tail/run-tail.js";
import type { CreateExtension } from "./mcp/extension.js";
import type { Config } from "./settings/config.js";

/** Loads a command's module. */
export type LoadCommand = () => Promise<Command>;

/** Commands that a feature adds to a group of help, by name. */
export interface FeatureCommands {
  readonly topic: string;
  /** The command after which help lists these commands. Defaults to the end of the group. */
  readonly after?: string;
  /** The command before which help lists these commands. Use instead of `after`. */
  readonly before?: string;
  readonly load: Readonly<Record<string, LoadCommand>>;
}

/**
 * A feature's additions to the command line. The core and other features import only its `feature.ts`. The
 * hooks load further modules when called.
 */
export interface Feature {
  /** The features, in any package, that this feature requires. */
  readonly needs: readonly string[];
  readonly commands: readonly FeatureCommands[];
  /**
   * Returns options for a broker that starts on this home. @throws CliError `usage` for an invalid setting
   */
  readonly brokerOptions?: (config: Config) => Promise<Partial<BrokerOptions>>;
  /** Runs `merkle agent`, the program that the agent of a job uses (AGENT-1). */
  readonly runForAgent?: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>;
  /** Loads the feature's part of the MCP server. */
  readonly loadExtension?: () => Promise<CreateExtension>;
  /**
   * Checks a `session_concluded` message that a command or the MCP server received. Returns the problem to
   * report, or null.
   */
  readonly checkConcluded?: CheckConcluded;
  /** Lists files as completions of `<root/path>`. */
  readonly listFiles?: (broker: Pick<BrokerClient, "call">) => Promise<string[]>;
}

export interface FeatureEntry {
  readonly feature: Feature;
}
