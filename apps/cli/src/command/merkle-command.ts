import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Flags, findFlag } from "../core/flags.js";
import { toProgramFiles } from "../core/platform.js";
import { getEntryFile, readPackage, runsFromNpx } from "../core/this-program.js";
import { hasLauncher } from "../core/user-launcher.js";
import { toShellWord } from "../text/shell.js";

/** The launcher written by `merkle install --cli`, as called from shells whose PATH lacks its folder. */
export const launcherByPath = "~/.local/bin/merkle";

/**
 * Returns the command that runs this program from any folder of the user's shell: `merkle` if it is on the
 * PATH. A checkout that is not installed is called by its path, because npm finds it only inside the
 * checkout.
 */
export function getMerkleCommand({ PATH: path, HOME: home }: Readonly<NodeJS.ProcessEnv>): string {
  if (runsFromNpx()) return `npx -y ${readPackage("name")}`;
  if (isOnPath("merkle", path)) return "merkle";
  if (hasLauncher(home)) return launcherByPath;
  const checkout = findCheckout();
  return checkout === undefined ? "merkle" : `npm exec --prefix ${toShellWord(checkout)} -- merkle`;
}

/** Returns the root of the checkout that this program runs from. Undefined for an installed package. */
export function findCheckout(): string | undefined {
  const cli = dirname(dirname(getEntryFile()));
  return existsSync(join(cli, "src")) ? dirname(dirname(cli)) : undefined;
}

/**
 * Returns whether the user's shell finds the program. Ignores folders that npm adds to the PATH of its
 * scripts.
 */
export function isOnPath(name: string, path = ""): boolean {
  const folders = path.split(delimiter).filter((folder) => !/[/\\]node_modules[/\\]/.test(folder));
  return folders.some((folder) => toProgramFiles(name).some((file) => existsSync(join(folder, file))));
}

export interface Invocation {
  /** The words that run merkle in the user's shell, from `getMerkleCommand`. */
  readonly merkle: string;
  /**
   * The `--url` and `--mesh` flags of this call, to repeat in suggested commands. Empty if neither was given.
   */
  readonly target: string;
}

/** Returns the flags of this call that select the broker and the mesh, as text for a command line. */
export function formatTargetFlags(flags: Flags): string {
  return ["url", "mesh"]
    .flatMap((name) => {
      const value = findFlag(flags, name);
      return value === undefined ? [] : [` --${name} ${toShellWord(value)}`];
    })
    .join("");
}

/** Commands that act on this machine and do not call a configured broker. */
const localCommands = [
  "up",
  "down",
  "doctor",
  "service",
  "backup",
  "restore",
  "install",
  "uninstall",
  "help",
];

/**
 * Rewrites the commands in a line of advice, such as `next: merkle launch` or `run merkle open`, so that they
 * work in the user's shell with the same broker and mesh. Leaves other mentions of merkle unchanged.
 */
export function toRunnable(text: string, { merkle, target }: Invocation): string {
  if (merkle === "merkle" && target === "") return text;
  return text.replace(
    /(^\s+|: +|[·-] +|, then |\(|\b[Rr]un |\bwith )merkle (?=(?!in |on )([a-z]+))/gm,
    (_all, before: string, command: string) =>
      `${before}${merkle}${localCommands.includes(command) ? "" : target} `,
  );
}
