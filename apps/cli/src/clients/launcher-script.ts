import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";
import { getEntryFile } from "../core/this-program.js";
import { toShellWord } from "../text/shell.js";

interface LauncherOptions {
  readonly program: string;
  /** A comment that says what wrote the script. */
  readonly mark: string;
  /** Arguments for Node itself, placed before the program. */
  readonly nodeArgs?: readonly string[];
  /** Shell words of alternative programs, used if `program` no longer exists. */
  readonly others?: readonly string[];
}

/** The paths where packages and version managers install Node, as shell words. */
const nodePaths = [
  "/usr/local/bin/node",
  "/usr/bin/node",
  "/opt/homebrew/bin/node",
  "/home/linuxbrew/.linuxbrew/bin/node",
  '"$HOME"/.volta/bin/node',
  '"$HOME"/.volta/tools/image/node/*/bin/node',
  '"$NVM_DIR"/versions/node/*/bin/node',
  '"$HOME"/.nvm/versions/node/*/bin/node',
  '"$MISE_DATA_DIR"/installs/node/*/bin/node',
  '"$HOME"/.local/share/mise/installs/node/*/bin/node',
  '"$FNM_DIR"/node-versions/*/installation/bin/node',
  '"$HOME"/.local/share/fnm/node-versions/*/installation/bin/node',
  '"$HOME"/.fnm/node-versions/*/installation/bin/node',
  '"$HOME/Library/Application Support/fnm"/node-versions/*/installation/bin/node',
  '"$HOME"/.asdf/installs/nodejs/*/bin/node',
] as const;

/**
 * Returns a script that runs a program with a sufficiently recent Node: the Node that wrote the script if it
 * still exists, otherwise the Node on PATH, otherwise one in a known location. A fixed path would break with
 * the next Node upgrade.
 */
export function createLauncherScript({ program, mark, nodeArgs = [], others = [] }: LauncherOptions): string {
  const run = [...nodeArgs.map(toShellWord), '"$program" "$@"'].join(" ");
  return `#!/bin/sh
${mark}
program=${toShellWord(program)}
if [ ! -f "$program" ]; then
  for other in ${['""', ...others].join(" ")}; do
    if [ -x "$other" ] && [ "$other" != "$0" ]; then exec "$other" "$@"; fi
  done
  echo "merkle: $program is gone. Install merkle again, then run: merkle install" >&2
  exit 127
fi
# It was new enough when this was written, so it is not asked.
if [ -x ${toShellWord(process.execPath)} ]; then exec ${toShellWord(process.execPath)} ${run}; fi
for node in "$(command -v node 2>/dev/null)" ${nodePaths.join(" ")}; do
  if [ -x "$node" ] && "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b > 18) ? 0 : 1)' 2>/dev/null; then
    exec "$node" ${run}
  fi
done
echo 'merkle: found no Node 20.19 or later. Install it from https://nodejs.org' >&2
exit 127
`;
}

const mark =
  '# Written by "merkle install"; the configuration of agents\' clients names it. "merkle uninstall" removes it.';

/**
 * Returns the path of the script that clients are configured to run. The path stays valid when Node or this
 * program moves.
 */
export function toClientScriptPath(home: string): string {
  return join(homeFiles.install(home), "merkle");
}

/** The user's own merkle commands, which may be newer than the program named in the script. */
const others = ['"$HOME"/.local/bin/merkle', '"$(command -v merkle 2>/dev/null)"'];

export async function writeClientScript(home: string): Promise<void> {
  await explainHomeErrors(home, async () => {
    await mkdir(homeFiles.install(home), { recursive: true, mode: 0o700 });
    await replaceFile(
      toClientScriptPath(home),
      createLauncherScript({ program: getEntryFile(), mark, others }),
      0o755,
    );
  });
}

/**
 * Rewrites the script, if it exists, to run this program. The script may still name a different program, or
 * one that no longer exists.
 */
export async function renewClientScript(home: string): Promise<void> {
  if (existsSync(toClientScriptPath(home))) await writeClientScript(home);
}

export async function removeClientScript(home: string): Promise<void> {
  await rm(toClientScriptPath(home), { force: true });
}

/**
 * Returns the path of the script that the user's service runs. A fixed path to Node would break with the next
 * upgrade.
 */
export function toServiceScriptPath(home: string): string {
  return join(homeFiles.install(home), "merkle-service");
}

const serviceMark =
  '# Written by "merkle service install"; the service runs it. "merkle service uninstall" removes it.';

export async function writeServiceScript(home: string, nodeArgs: readonly string[]): Promise<void> {
  const script = createLauncherScript({ program: getEntryFile(), mark: serviceMark, nodeArgs, others });
  await explainHomeErrors(home, async () => {
    await mkdir(homeFiles.install(home), { recursive: true, mode: 0o700 });
    await replaceFile(toServiceScriptPath(home), script, 0o755);
  });
}

export async function removeServiceScript(home: string): Promise<void> {
  await rm(toServiceScriptPath(home), { force: true });
}
