import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { InteractiveAgent } from "./agent.js";

/** Settings of a user who wants no hooks, ours included. */
export const withoutHooks = { disableAllHooks: true };

/** Takes away the socket by which other processes can speak to this Claude Code. */
export async function closeInbox(agent: InteractiveAgent): Promise<void> {
  const { claude } = await agent.processes();
  await rm(join(agent.machine.temporary, "cc-socks", `${claude.pid}.sock`));
}
