import type { FoundProgram } from "../clients/find-program.js";
import type { CommandContext } from "../command/command.js";
import type { LaunchPeer } from "./as-whom.js";
import type { NamedSession, Wanted } from "./launch-options.js";
import type { LaunchBroker } from "./which-broker.js";

/** A launch whose three questions are answered: which broker, which session, as whom. It has changed nothing yet. */
export interface Launching extends LaunchBroker {
  readonly context: CommandContext;
  readonly wanted: Wanted;
  readonly session: NamedSession;
  readonly peer: LaunchPeer;
  readonly program: FoundProgram;
  /** The worktree, or outside a repository the folder, that the agent works in. */
  readonly folder: string;
}
