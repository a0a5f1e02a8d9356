import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { inject, onTestFinished } from "vitest";
import { hasProc } from "../core/platform.js";
import { type TestMerkle, unusedPort } from "./merkle.js";

const program = inject("program");

/** Whether tests can run commands at a terminal, for which they need Linux's version of `script`. */
export const hasTerminal = hasProc();

export interface TerminalSession {
  /** Types these keys. */
  type(keys: string): void;
  /** Resolves once the screen contains this text, even if it is wrapped to a second line. */
  waitForScreen(text: string): Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** Starts a command at a separate terminal, which is 80 columns wide. */
export function startAtTerminal(
  merkle: Pick<TestMerkle, "home">,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): TerminalSession {
  const words = [process.execPath, program, ...args].map((each) => `'${each.replaceAll("'", `'\\''`)}'`);
  const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${words.join(" ")}`, "/dev/null"], {
    cwd: merkle.home,
    env: {
      PATH: process.env["PATH"],
      TMPDIR: tmpdir(),
      HOME: merkle.home,
      LANG: "C.UTF-8",
      MERKLE_HOME: merkle.home,
      MERKLE_PORT: unusedPort,
      TERM: "xterm",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...env,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
  });
  return {
    type: (keys) => child.stdin.write(keys),
    waitForScreen: (text) =>
      new Promise((resolve, reject) => {
        const check = () =>
          (screen.includes(text) || screen.replaceAll("\r\n  ", " ").includes(text)) && resolve();
        child.stdout.on("data", check);
        child.once("close", () => reject(new Error(`It ended without showing "${text}":\n${screen}`)));
        check();
      }),
    ended: once(child, "close").then(([code]) => ({ code, screen })),
  };
}
