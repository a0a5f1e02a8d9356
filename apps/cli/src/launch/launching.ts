import type { BrokerClient } from "../broker/broker-client.js";
import type { HookSettings } from "../clients/claude-hooks.js";
import type { Claude } from "../clients/find-claude.js";
import type { CommandContext } from "../command/command.js";
import type { Wanted, Wish } from "./launch-options.js";

/** A launch of which everything is known but what the broker says to it. */
export interface Launching {
  readonly context: CommandContext;
  readonly wanted: Wanted;
  readonly wish: Wish;
  readonly claude: Claude;
  readonly broker: BrokerClient;
  readonly meshId: string;
  readonly hooks: HookSettings;
  /** The hooks, together with the settings that the user gave. */
  readonly settings: Readonly<Record<string, unknown>>;
}
