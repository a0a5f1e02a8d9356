import type { InstalledProgram } from "../clients/find-program.js";
import type { CommandContext } from "../command/command.js";
import type { LaunchBroker } from "./choose-broker.js";
import type { LaunchPeer } from "./choose-peer.js";
import type { LaunchOptions, NamedSession } from "./launch-options.js";

/** A prepared launch: broker, session and peer are determined, but nothing has been changed yet. */
export interface PreparedLaunch extends LaunchBroker {
  readonly context: CommandContext;
  readonly options: LaunchOptions;
  readonly session: NamedSession;
  readonly peer: LaunchPeer;
  readonly program: InstalledProgram;
  /** The worktree in which the agent works or, outside a repository, the agent's folder. */
  readonly folder: string;
}
