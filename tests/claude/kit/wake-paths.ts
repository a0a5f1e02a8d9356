import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { InteractiveAgent } from "./agent.js";

/** Settings of a user who has disabled all hooks, including Merkle's. */
export const withoutHooks = { disableAllHooks: true };

/** Deletes the socket through which other processes can send messages to this agent's Claude Code process. */
export async function closeInbox(agent: InteractiveAgent): Promise<void> {
  const { claude } = await agent.processes();
  await rm(join(agent.machine.temporary, "cc-socks", `${claude.pid}.sock`));
}
