import { spawn } from "node:child_process";
import { getSystem } from "./platform.js";

/** The command that opens an address in a browser. */
interface Browser {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that opens an address on this machine. Undefined if no one would see the page: over
 * SSH, or on Linux without a display. `BROWSER` takes precedence. On WSL, the page opens in Windows.
 */
export function findBrowser(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = getSystem(),
): Browser | undefined {
  if (env["BROWSER"]) return { command: env["BROWSER"], args: [] };
  const display = env["DISPLAY"] || env["WAYLAND_DISPLAY"];
  if ((env["SSH_CONNECTION"] || env["SSH_TTY"]) && !display) return undefined;
  switch (platform) {
    case "darwin":
      return { command: "open", args: [] };
    case "win32":
      // `start` treats its first quoted argument as the window title.
      return { command: "cmd", args: ["/c", "start", '""'] };
    default:
      if (display) return { command: "xdg-open", args: [] };
      return env["WSL_DISTRO_NAME"] ? { command: "explorer.exe", args: [] } : undefined;
  }
}

const startsWithinMs = 2_000;

/**
 * Opens the address. Returns whether the browser command succeeded. A command that is still running after the
 * timeout counts as successful.
 */
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
      // Windows Explorer exits with code 1 even on success.
      resolve(code === 0 || command === "explorer.exe");
    });
  });
}
