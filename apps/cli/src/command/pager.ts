import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Io } from "./io.js";
import { isOnPath } from "./merkle-command.js";

/**
 * Shows text in the pager that `PAGER` names (default: `less -FRX`), and resolves when the pager has ended.
 * Returns false if there is no such program. A person who closes the pager early has seen enough, so that is
 * not an error.
 */
export async function showInPager(
  text: string,
  { env, holdInterrupts }: Pick<Io, "env" | "holdInterrupts">,
): Promise<boolean> {
  const command = env["PAGER"] ?? "less";
  if (command === "less" && !isOnPath("less", env["PATH"])) return false;
  // The pager gets Ctrl+C from the terminal as well, and decides what it means.
  const release = holdInterrupts?.();
  try {
    const child = spawn(command, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", LV: "-c", ...env },
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
    const [code] = await once(child, "close");
    return code !== 127;
  } catch {
    return false;
  } finally {
    release?.();
  }
}
