import type { FoundProgram } from "../clients/find-program.js";
import type { CommandContext } from "../command/command.js";
import type { LaunchPeer } from "./as-whom.js";
import type { NamedSession, Wanted } from "./launch-options.js";
import type { LaunchBroker } from "./which-broker.js";

/** A prepared launch, with broker, session and peer determined. Nothing has been changed yet. */
export interface Launching extends LaunchBroker {
  readonly context: CommandContext;
  readonly wanted: Wanted;
  readonly session: NamedSession;
  readonly peer: LaunchPeer;
  readonly program: FoundProgram;
  /** The worktree that the agent works in, or outside a repository its folder. */
  readonly folder: string;
}
