import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { InteractiveAgent } from "./agent.js";
import type { Machine } from "./machine.js";
import { killProcess } from "./processes.js";

/** A tool call that runs until `end` is called. */
export interface LongTool {
  /** A prompt step that makes the agent call the tool. */
  readonly step: string;
  /** Resolves when the tool is running. */
  untilRunning(): Promise<void>;
  end(): Promise<void>;
}

export function createLongTool({ project }: Machine): LongTool {
  const [begun, ended] = [join(project, "begun"), join(project, "ended")];
  const command = `touch ${begun}; until [ -e ${ended} ]; do sleep 0.05; done`;
  return {
    step: `call Bash ${JSON.stringify({ command, description: "Work" })}`,
    untilRunning: () => expect.poll(() => existsSync(begun)).toBe(true),
    end: () => writeFile(ended, ""),
  };
}

/**
 * Kills the agent's MCP server while a tool runs. The client starts another server, but cannot reach it after the tool
 * ends.
 */
export async function killInTurn(
  agent: Pick<InteractiveAgent, "machine" | "prompt" | "rests"> & {
    processes(): Promise<{ server: { readonly pid: number } }>;
  },
): Promise<void> {
  const tool = createLongTool(agent.machine);
  await agent.prompt(`${tool.step} then say finished`);
  await tool.untilRunning();
  await killProcess((await agent.processes()).server.pid);
  await tool.end();
  await agent.rests();
}
