import type { BrokerOptions } from "../core/broker-code.js";
import type { Config } from "../settings/config.js";
import type { Command } from "./command.js";
import type { Io } from "./io.js";

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

/** What a feature adds to the command line. The core and other features import nothing of it but its `feature.ts`. */
export interface Feature {
  /** The features whose `feature.ts` its files import. */
  readonly needs: readonly string[];
  readonly commands: readonly FeatureCommands[];
  /** Returns options for a broker that is started on this home. @throws CliError `usage` for a bad setting */
  readonly brokerOptions?: (config: Config) => Promise<Partial<BrokerOptions>>;
  /** Runs the program of a job's agent, `merkle agent` (AGENT-1). */
  readonly runForAgent?: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>;
}

export interface FeatureEntry {
  readonly feature: Feature;
}
