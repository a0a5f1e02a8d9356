import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Cleanup } from "../../kit/test-database.js";
import { endTree, untilGone } from "./processes.js";

/** A terminal that runs one program. */
export interface Terminal {
  readonly pid: number;
  readScreen(): Promise<string>;
  untilShown(text: string | RegExp): Promise<void>;
  /** Presses keys, given by their tmux names. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types a line and presses Enter. */
  enter(line: string): Promise<void>;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
}

export interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Opens a terminal of 120 columns. The cleanup ends the program and closes the terminal. */
export async function openTerminal({ command, cwd, env }: Program, cleanup: Cleanup): Promise<Terminal> {
  const socket = join(tmpdir(), `merkle-terminal-${randomUUID()}`);
  const tmux = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)("tmux", ["-S", socket, "-f", "/dev/null", ...args]);
    return stdout.trimEnd();
  };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const size = ["-x", "120", "-y", "50"];
  // Keeps the screen readable after the program has ended.
  const keep = [";", "set-option", "-g", "remain-on-exit", "on"];
  await tmux("new-session", "-d", ...size, "-c", cwd, "env", "-i", ...variables, ...command, ...keep);
  const pid = Number(await tmux("display-message", "-p", "#{pane_pid}"));
  cleanup(async () => {
    await endTree(pid);
    await tmux("kill-server").catch(() => undefined);
    await rm(socket, { force: true });
  });

  const readScreen = () => tmux("capture-pane", "-p", "-S", "-500").catch(() => "");
  const untilShown = async (text: string | RegExp) => {
    await expect.poll(readScreen, { message: `The screen never showed ${text}.` }).toMatch(text);
  };
  return {
    pid,
    readScreen,
    untilShown,
    get ended() {
      return untilGone(pid);
    },
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    async enter(line) {
      await tmux("send-keys", "-l", line);
      // A line break that arrives together with text counts as pasted text, so Enter is sent separately.
      const begin = line.slice(0, 40);
      const typed = async () => (await tmux("capture-pane", "-p")).split("❯").at(-1) ?? "";
      await expect.poll(typed, { message: `The prompt never showed ${begin}.` }).toContain(begin);
      await tmux("send-keys", "Enter");
    },
  };
}
