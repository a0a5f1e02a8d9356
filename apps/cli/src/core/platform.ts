import { join } from "node:path";

/**
 * The differences between operating systems, with one function for each difference. Every function takes the
 * system as a parameter, so the tests cover all systems. No other module checks which system it runs on.
 */

/**
 * Returns the operating system, for choices that differ on every system: the service manager and the browser
 * command.
 */
export function getSystem(): NodeJS.Platform {
  return process.platform;
}

/** Returns whether files have owners and modes, terminals have `stty`, and sockets are files. */
export function isPosix(system: NodeJS.Platform = process.platform): boolean {
  return system !== "win32";
}

/** Returns whether `/proc` shows processes, and namespaces can isolate them. */
export function hasProc(system: NodeJS.Platform = process.platform): boolean {
  return system === "linux";
}

/** Returns the path of a named pipe. Null on systems where sockets are files. */
export function toPipeName(name: string, system: NodeJS.Platform = process.platform): string | null {
  return isPosix(system) ? null : `\\\\.\\pipe\\${name}`;
}

/**
 * Returns the file names under which to look for a program on the PATH, in order. On Windows, npm installs a
 * `.cmd` script.
 */
export function toProgramFiles(name: string, system: NodeJS.Platform = process.platform): string[] {
  return isPosix(system) || /\.\w+$/.test(name) ? [name] : [`${name}.exe`, `${name}.cmd`];
}

/**
 * Returns the script that an npm shim such as `claude.cmd` runs with Node. Undefined for any other file. Node
 * cannot start a `.cmd` file directly, and a shell would split arguments that contain text from people or
 * agents.
 */
export function findShimScript(path: string, text: string): string | undefined {
  if (!path.endsWith(".cmd")) return undefined;
  const below = /"%(?:~dp0|dp0%)\\([^"%]+\.[cm]?js)"/.exec(text)?.[1];
  return below === undefined ? undefined : join(path, "..", ...below.split("\\"));
}

/**
 * Returns the command that opens a file in an editor. The command runs in a shell, because the variable that
 * names the editor may contain arguments, such as `code --wait`.
 */
export function toEditorCall(
  named: string | undefined,
  path: string,
  system: NodeJS.Platform = process.platform,
): {
  readonly editor: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly shell: boolean;
} {
  const editor = named || (isPosix(system) ? "vi" : "notepad");
  if (!isPosix(system)) return { editor, command: `${editor} "${path}"`, args: [], shell: true };
  return { editor, command: "/bin/sh", args: ["-c", `${editor} "$1"`, editor, path], shell: false };
}

/** Returns the path of the settings file in which an administrator configures Gemini CLI for all users. */
export function toGeminiSystemSettings(system: NodeJS.Platform = process.platform): string {
  return system === "darwin"
    ? "/Library/Application Support/GeminiCli/settings.json"
    : "/etc/gemini-cli/settings.json";
}
