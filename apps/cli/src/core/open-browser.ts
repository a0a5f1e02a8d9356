import { spawn } from "node:child_process";
import { thisSystem } from "./platform.js";

/** The program that opens an address. */
interface Browser {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command that opens an address on this machine; undefined where nobody would see it: over SSH or on Linux without a
 * display. `BROWSER` comes first, and WSL opens it in Windows.
 */
export function browserOf(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = thisSystem(),
): Browser | undefined {
  if (env["BROWSER"]) return { command: env["BROWSER"], args: [] };
  const display = env["DISPLAY"] || env["WAYLAND_DISPLAY"];
  if ((env["SSH_CONNECTION"] || env["SSH_TTY"]) && !display) return undefined;
  switch (platform) {
    case "darwin":
      return { command: "open", args: [] };
    case "win32":
      // The first quoted word after `start` is a window's title.
      return { command: "cmd", args: ["/c", "start", '""'] };
    default:
      if (display) return { command: "xdg-open", args: [] };
      return env["WSL_DISTRO_NAME"] ? { command: "explorer.exe", args: [] } : undefined;
  }
}

const startsWithinMs = 2_000;

/** Whether the browser took the address; one that still runs after a moment has. */
export async function openBrowser({ command, args }: Browser, url: string): Promise<boolean> {
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), startsWithinMs);
    child.once("error", () => {
      clearTimeout(timer);
      resolve(false);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      // The Windows explorer says 1 when it has opened something.
      resolve(code === 0 || command === "explorer.exe");
    });
  });
}
