import type { FoundProgram } from "../clients/find-program.js";
import type { CommandContext } from "../command/command.js";
import type { LaunchPeer } from "./as-whom.js";
import type { LaunchOptions, NamedSession } from "./launch-options.js";
import type { LaunchBroker } from "./which-broker.js";

/** A prepared launch: broker, session and peer are determined, but nothing has been changed yet. */
export interface Launching extends LaunchBroker {
  readonly context: CommandContext;
  readonly wanted: LaunchOptions;
  readonly session: NamedSession;
  readonly peer: LaunchPeer;
  readonly program: FoundProgram;
  /** The worktree in which the agent works or, outside a repository, the agent's folder. */
  readonly folder: string;
}
