import { chmod, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toDemoHomePrefix } from "../../broker/demo-broker.js";
import type { CommandContext } from "../../command/command.js";
import { readConfig } from "../../settings/config.js";
import { runBroker } from "../../start/run-broker.js";
import { feature as jobs } from "../jobs/feature.js";

/**
 * Runs a broker as `merkle up` does, in a temporary home that is removed at the end. Uses none of this
 * machine's settings. The broker ends with the demo that started it.
 */
export function runOwnBroker(context: CommandContext): Promise<number> {
  return runUntilParentExits(context.signal, (signal) =>
    withTemporaryHome(toDemoHomePrefix(context.config.home), async (home) => {
      const config = await readConfig({ flags: { port: "0" }, env: { MERKLE_HOME: home }, cwd: home });
      return runBroker({ ...context, config, signal }, (await jobs.prepareBroker?.(config)) ?? {});
    }),
  );
}

/** Runs `work` with a temporary Merkle home, which is then removed with all its data. */
async function withTemporaryHome<Result>(
  prefix: string,
  work: (home: string) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(prefix);
  try {
    // If root runs the broker, PostgreSQL runs as another user, who must be able to reach the data inside the
    // home.
    await chmod(home, 0o711);
    return await work(home);
  } finally {
    await removeHome(home);
  }
}

async function removeHome(home: string): Promise<void> {
  const folder = join(home, "pg");
  for (const name of await readdir(folder).catch((): string[] => []))
    await removeExternalData(home, join(folder, name));
  await rm(home, { recursive: true, force: true });
}

/**
 * Removes PostgreSQL's data if it is outside the home and the home contains only a link to it. A file near
 * the data names the home that the data belongs to, and other homes' data is not removed.
 */
async function removeExternalData(home: string, link: string): Promise<void> {
  const data = await readlink(link).catch(() => undefined);
  if (data === undefined) return;
  const area = dirname(dirname(data));
  const owner = await readFile(join(area, "home"), "utf8").catch(() => undefined);
  if (owner === home) await rm(area, { recursive: true, force: true });
}

/**
 * Runs `work` until it ends, or until the parent process exits or asks this process to stop. In both cases
 * the parent's end of stdin closes.
 */
async function runUntilParentExits<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { stdin } = process;
  const parentExit = new AbortController();
  const end = () => parentExit.abort();
  stdin.on("end", end).on("close", end).on("error", end).resume();
  try {
    return await work(AbortSignal.any([signal, parentExit.signal]));
  } finally {
    stdin.off("end", end).off("close", end).destroy();
  }
}
