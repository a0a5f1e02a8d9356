import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Machine } from "./machine.js";

/** A tool call that goes on until it is told to end. */
export interface LongTool {
  /** The step of a prompt that makes it. */
  readonly step: string;
  /** Resolves when it runs. */
  runs(): Promise<void>;
  end(): Promise<void>;
}

export function longTool({ project }: Machine): LongTool {
  const [begun, ended] = [join(project, "begun"), join(project, "ended")];
  const command = `touch ${begun}; until [ -e ${ended} ]; do sleep 0.05; done`;
  return {
    step: `call Bash ${JSON.stringify({ command, description: "Work" })}`,
    runs: () => expect.poll(() => existsSync(begun)).toBe(true),
    end: () => writeFile(ended, ""),
  };
}
