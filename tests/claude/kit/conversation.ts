import { expect } from "vitest";
import type { InteractiveAgent, LaunchedAgent } from "./agent.js";

/** Enters a prompt. Returns everything that the model receives until the agent is idle. */
export async function ask(
  agent: Pick<LaunchedAgent, "model" | "prompt" | "rests">,
  steps: string,
): Promise<string> {
  const from = agent.model.requests.length;
  await agent.prompt(steps);
  await agent.rests();
  return agent.model.requests
    .slice(from)
    .map(({ news }) => news)
    .join("\n");
}

/** Makes the client replace the conversation so far with a summary. */
export async function compact({ terminal }: InteractiveAgent): Promise<void> {
  await terminal.enter("/compact");
  await terminal.untilShown("Compacted");
}

/** Rewinds the conversation to the state before the last prompt. */
export async function rewind({ terminal }: InteractiveAgent): Promise<void> {
  await terminal.enter("/rewind");
  await terminal.untilShown("Restore the code and/or conversation");
  await terminal.press("Up", "Up");
  await terminal.press("Enter");
  await terminal.untilShown("Restore conversation");
  await terminal.press("Enter");
  await expect.poll(terminal.readScreen).not.toContain("Restore conversation");
  await terminal.press("C-u");
}

/** Clears the conversation. @param shown - text from the conversation that is on the screen but not in any prompt */
export async function clear({ terminal }: InteractiveAgent, shown: string): Promise<void> {
  await terminal.enter("/clear");
  await expect.poll(terminal.readScreen).not.toContain(shown);
}
