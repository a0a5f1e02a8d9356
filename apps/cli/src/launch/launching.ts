import type { BrokerClient } from "../broker/broker-client.js";
import type { FoundProgram } from "../clients/find-program.js";
import type { CommandContext } from "../command/command.js";
import type { Wanted, Wish } from "./launch-options.js";

/** A launch of which everything is known but what the broker says to it. */
export interface Launching {
  readonly context: CommandContext;
  readonly wanted: Wanted;
  readonly wish: Wish;
  readonly program: FoundProgram;
  readonly broker: BrokerClient;
  readonly meshId: string;
  /** The worktree, or outside of a repository the folder, that the agent works in. */
  readonly folder: string;
}
