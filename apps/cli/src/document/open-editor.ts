import { spawn } from "node:child_process";
import { once } from "node:events";
import { CliError, exitCodes } from "../core/cli-error.js";

/** Opens a file in the editor of `VISUAL` or `EDITOR`, and resolves when the editor has ended. */
export async function openEditor(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const editor = env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
  const child =
    process.platform === "win32"
      ? spawn(`${editor} "${path}"`, { stdio: "inherit", shell: true })
      : // The variable may hold arguments (`code --wait`), so a shell takes it apart; the path is passed beside it.
        spawn("/bin/sh", ["-c", `${editor} "$1"`, editor, path], { stdio: "inherit" });
  const [code, signal] = await once(child, "close");
  if (code === 0) return;
  throw new CliError(
    "editor_failed",
    code === 127
      ? `The editor ${editor} was not found.`
      : `The editor ${editor} ended with ${signal ?? code}.`,
    { exitCode: exitCodes.unexpected, next: ["set EDITOR to your editor"] },
  );
}
