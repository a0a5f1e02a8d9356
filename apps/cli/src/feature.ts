import type { Session } from "@merkle/wire";
import type { BrokerClient } from "./broker/broker-client.js";
import type { Prompter } from "./command/ask.js";
import type { Command, CommandContext } from "./command/command.js";
import type { Io } from "./command/io.js";
import type { AttachFiles } from "./feed/attach-files.js";
import type { CheckConcluded } from "./feed/tail/run-tail.js";
import type { OwnWordsPart } from "./identity/own-words.js";
import type { AskForPermission } from "./launch/launch-agent.js";
import type { CreateExtension } from "./mcp/extension.js";
import type { Config } from "./settings/config.js";
import type { ForeignFile } from "./settings/foreign-file.js";
import type { SettingSources } from "./settings/setting.js";
import type { DoctorCheck } from "./start/doctor/check.js";
import type { BrokerAdditions } from "./start/run-broker.js";

/** Loads a command's module. */
export type LoadCommand = () => Promise<Command>;

/** The commands that a feature adds to a group in help. */
export interface FeatureCommands {
  readonly topic: string;
  /** The command after which help lists the feature's commands. Defaults to the end of the group. */
  readonly after?: string;
  /** The command before which help lists the feature's commands. Use instead of `after`. */
  readonly before?: string;
  readonly load: Readonly<Record<string, LoadCommand>>;
}

/** A setting that a feature adds to this machine's settings. */
export interface FeatureSetting extends SettingSources {
  /**
   * Returns the value to show in `merkle config list`: null if not set, and never a secret. Without this
   * function, the setting is not listed.
   */
  readonly read?: (config: Config) => unknown | Promise<unknown>;
}

/** A session and the broker that hosts the session. */
export interface ConcludedSession {
  readonly broker: BrokerClient;
  readonly session: Session;
}

/**
 * A feature's additions to the command line. The core and other features import only its `feature.ts`. The
 * hooks load further modules when called.
 */
export interface Feature {
  /** The names of the features, in any package, that this feature requires. */
  readonly needs: readonly string[];
  readonly commands: readonly FeatureCommands[];
  /** The feature's settings for this machine, by name. */
  readonly settings?: Readonly<Record<string, FeatureSetting>>;
  /**
   * Finds the project's file with settings for the feature, if the user must decide whether to trust the file
   * (CLI-82).
   */
  readonly findForeignFile?: (
    project: Pick<Config, "environment" | "cwd">,
  ) => Promise<ForeignFile | undefined>;
  /**
   * Returns the feature's additions to this home's broker. @throws CliError `usage` for an invalid setting
   */
  readonly prepareBroker?: (config: Config) => Promise<BrokerAdditions>;
  /** The feature's checks in `merkle doctor`. */
  readonly checks?: readonly DoctorCheck[];
  /** Starts an agent that drafts a session's conclusion. Returns the exit code. */
  readonly draftConclusion?: (context: CommandContext, session: ConcludedSession) => Promise<number>;
  /** Runs `merkle agent`, the program with which a job's agent reads and writes (AGENT-1). */
  readonly runForAgent?: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>;
  /** Loads the feature's part of the MCP server. */
  readonly loadExtension?: () => Promise<CreateExtension>;
  /** Loads what makes a person's words count for the person's own agents. */
  readonly loadOwnWords?: () => Promise<OwnWordsPart>;
  /** Uploads the files that a command attaches to a message. */
  readonly attachFiles?: AttachFiles;
  /** Asks a launched agent's person for a permission, on the person's devices. */
  readonly askForPermission?: AskForPermission;
  /** Asks the person a question at the terminal before a launch, at most once in this home. */
  readonly askAtLaunch?: AskAtLaunch;
  /**
   * Checks a `session_concluded` message that a command or the MCP server received. Returns the problem to
   * report, or null.
   */
  readonly checkConcluded?: CheckConcluded;
  /** Lists the files to suggest as completions of `<root/path>`. */
  readonly listFiles?: (broker: Pick<BrokerClient, "call">) => Promise<string[]>;
}

export type AskAtLaunch = (
  prompter: Pick<Prompter, "confirm">,
  launch: { readonly config: Config; readonly folder: string },
) => Promise<void>;

export interface FeatureEntry {
  readonly feature: Feature;
}
