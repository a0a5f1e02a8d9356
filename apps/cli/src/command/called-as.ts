import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Flags, textOf } from "../core/flags.js";
import { programFiles } from "../core/platform.js";
import { entryFile, readPackage, runsFromNpx } from "../core/this-program.js";
import { hasLauncher } from "../core/user-launcher.js";
import { shellWord } from "../text/shell.js";

/** The launcher that `merkle install --cli` wrote, for a shell whose PATH lacks its folder. */
export const launcherByPath = "~/.local/bin/merkle";

/**
 * How the user's shell runs this program, from any folder: `merkle` where the PATH has it. A checkout that is not installed
 * is named by its path, since npm finds its command nowhere else.
 */
export function calledAs({ PATH: path, HOME: home }: Readonly<NodeJS.ProcessEnv>): string {
  if (runsFromNpx()) return `npx -y ${readPackage("name")}`;
  if (isOnPath("merkle", path)) return "merkle";
  if (hasLauncher(home)) return launcherByPath;
  const checkout = findCheckout();
  return checkout === undefined ? "merkle" : `npm exec --prefix ${shellWord(checkout)} -- merkle`;
}

/** The root of the checkout that this program runs from; undefined for an installed package. */
export function findCheckout(): string | undefined {
  const cli = dirname(dirname(entryFile()));
  return existsSync(join(cli, "src")) ? dirname(dirname(cli)) : undefined;
}

/** Whether the user's shell finds it. What npm adds to the PATH of its scripts is left out. */
function isOnPath(name: string, path = ""): boolean {
  const folders = path.split(delimiter).filter((folder) => !/[/\\]node_modules[/\\]/.test(folder));
  return folders.some((folder) => programFiles(name).some((file) => existsSync(join(folder, file))));
}

export interface Calling {
  /** As `calledAs` says. */
  readonly merkle: string;
  /** The `--url` and `--mesh` of this call, which the next command needs again; empty without them. */
  readonly target: string;
}

/** The flags of this call that say which broker and mesh are meant, as they are typed. */
export function targetOf(flags: Flags): string {
  return ["url", "mesh"]
    .flatMap((name) => {
      const value = textOf(flags, name);
      return value === undefined ? [] : [` --${name} ${shellWord(value)}`];
    })
    .join("");
}

/** Commands about this machine, which take no broker. */
const local = ["up", "down", "doctor", "service", "backup", "restore", "install", "uninstall", "help"];

/**
 * Writes the commands of an advice line, such as `next: merkle launch`, `run merkle open` or `Restart it with merkle up`, so
 * that the user's shell runs them as they are, on the same broker and mesh. Other mentions of merkle stay.
 */
export function toRunnable(text: string, { merkle, target }: Calling): string {
  if (merkle === "merkle" && target === "") return text;
  return text.replace(
    /(^\s+|: +|[·-] +|, then |\(|\b[Rr]un |\bwith )merkle (?=(?!in |on )([a-z]+))/gm,
    (_all, before: string, command: string) => `${before}${merkle}${local.includes(command) ? "" : target} `,
  );
}
