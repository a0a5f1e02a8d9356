import { expect } from "vitest";
import type { InteractiveAgent } from "./agent.js";

/** Has the conversation so far replaced by a summary. */
export async function compact({ terminal }: InteractiveAgent): Promise<void> {
  await terminal.enter("/compact");
  await terminal.shows("Compacted");
}

/** Goes back to where the conversation was before its last prompt. */
export async function rewind({ terminal }: InteractiveAgent): Promise<void> {
  await terminal.enter("/rewind");
  await terminal.shows("Restore the code and/or conversation");
  await terminal.press("Up", "Up");
  await terminal.press("Enter");
  await terminal.shows("Restore conversation");
  await terminal.press("Enter");
  await expect.poll(terminal.screen).not.toContain("Restore conversation");
  await terminal.press("C-u");
}

/** @param shown - a text of the conversation that is on the screen, and not in a prompt of the user's */
export async function clear({ terminal }: InteractiveAgent, shown: string): Promise<void> {
  await terminal.enter("/clear");
  await expect.poll(terminal.screen).not.toContain(shown);
}
