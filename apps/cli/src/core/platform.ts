import { join } from "node:path";

/**
 * What differs between systems, a question each. Every answer is a function of the system, so that tests on one have those of
 * all; nothing else asks which it is.
 */
type System = NodeJS.Platform;

/** For what takes the system whole: which service manager there is, what opens an address. */
export function thisSystem(): System {
  return process.platform;
}

/** Files have owners and modes, terminals have `stty`, and a socket is a file. */
export function isPosix(system: System = process.platform): boolean {
  return system !== "win32";
}

/** Processes can be looked into below `/proc`, and kept apart by namespaces. */
export function hasProc(system: System = process.platform): boolean {
  return system === "linux";
}

/** The socket by this name where a pipe has a name of its own; null where it is a file in a folder. */
export function pipeName(name: string, system: System = process.platform): string | null {
  return isPosix(system) ? null : `\\\\.\\pipe\\${name}`;
}

/** The files that a program's name may mean on PATH, the first that is there counts. npm puts a script of cmd.exe there. */
export function programFiles(name: string, system: System = process.platform): string[] {
  return isPosix(system) || /\.\w+$/.test(name) ? [name] : [`${name}.exe`, `${name}.cmd`];
}

/**
 * The script that npm's `claude.cmd` and the like run with Node, or undefined for any other file. Node starts no `.cmd` by
 * itself, and a shell between would take apart what a person or an agent wrote.
 */
export function scriptOfShim(path: string, text: string): string | undefined {
  if (!path.endsWith(".cmd")) return undefined;
  const below = /"%(?:~dp0|dp0%)\\([^"%]+\.[cm]?js)"/.exec(text)?.[1];
  return below === undefined ? undefined : join(path, "..", ...below.split("\\"));
}

/** What opens a file in an editor, whose variable may hold arguments (`code --wait`): so a shell takes it apart. */
export function editorCall(
  named: string | undefined,
  path: string,
  system: System = process.platform,
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

/** Where a machine's administrator keeps what holds for all users of Gemini CLI. */
export function geminiSystemSettings(system: System = process.platform): string {
  return system === "darwin"
    ? "/Library/Application Support/GeminiCli/settings.json"
    : "/etc/gemini-cli/settings.json";
}
