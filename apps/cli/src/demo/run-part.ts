import { chmod, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { demoHomePrefix } from "../broker/demo-broker.js";
import { openLiveClient } from "../broker/live-client.js";
import type { CommandContext } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { readConfig } from "../config.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { runBroker } from "../start/run-broker.js";
import type { Stage } from "./player.js";
import { playAna, playAtlas, playBirch } from "./roles.js";
import { readPace } from "./run-demo.js";

const parts: Readonly<Record<string, (context: CommandContext) => Promise<number>>> = {
  atlas: (context) => play(playAtlas, context),
  birch: (context) => play(playBirch, context),
  ana: (context) => play(playAna, context),
  async broker(context) {
    return runOwnBroker(context);
  },
};

/** Plays one part in this process, which the demo has started; ends when the part does, and when the demo is gone. */
export function runPart(name: string, context: CommandContext): Promise<number> {
  const { [name]: run } = parts;
  if (!run)
    throw usageError(`--role must be one of ${Object.keys(parts).join(", ")}, got ${JSON.stringify(name)}.`);
  return untilParentGone(context.signal, (signal) => run({ ...context, signal }));
}

async function play(
  playRole: (stage: Stage) => Promise<void>,
  { flags, config, output, signal }: CommandContext,
): Promise<number> {
  const pace = readPace(flags);
  const client = await openLiveClient({ ...config.broker, reach: config }, signal);
  try {
    await playRole({
      client,
      pace,
      signal,
      session: textOf(flags, "session"),
      announce: (session) => output.show(session, session.slug),
    });
    return exitCodes.done;
  } finally {
    await client.close();
  }
}

/** Runs a broker as `merkle up` does, on a home that is gone when it has stopped. Nothing of this machine's own is used. */
function runOwnBroker(context: CommandContext): Promise<number> {
  return withTemporaryHome(demoHomePrefix(context.config.home), async (home) => {
    const config = await readConfig({ flags: { port: "0" }, env: { MERKLE_HOME: home }, cwd: home });
    return runBroker({ ...context, config });
  });
}

/** Gives `work` a Merkle home that is removed afterwards, with everything that was stored for it. */
async function withTemporaryHome<Result>(
  prefix: string,
  work: (home: string) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(prefix);
  try {
    // A broker that root runs has its PostgreSQL run as another user, who must get through to the data.
    await chmod(home, 0o711);
    return await work(home);
  } finally {
    await removeHome(home);
  }
}

async function removeHome(home: string): Promise<void> {
  const folder = join(home, "pg");
  for (const name of await readdir(folder).catch((): string[] => []))
    await removeAway(home, join(folder, name));
  await rm(home, { recursive: true, force: true });
}

/** Where that user did not get through, the home holds a link, and the data's own folder names the home. */
async function removeAway(home: string, link: string): Promise<void> {
  const data = await readlink(link).catch(() => undefined);
  if (data === undefined) return;
  const area = dirname(dirname(data));
  const owner = await readFile(join(area, "home"), "utf8").catch(() => undefined);
  if (owner === home) await rm(area, { recursive: true, force: true });
}

/**
 * Runs `work` until it ends, or until the process that started this one is gone or says that it is enough: both close
 * our stdin.
 */
async function untilParentGone<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { stdin } = process;
  const gone = new AbortController();
  const end = () => gone.abort();
  stdin.on("end", end).on("close", end).on("error", end).resume();
  try {
    return await work(AbortSignal.any([signal, gone.signal]));
  } finally {
    stdin.off("end", end).off("close", end).destroy();
  }
}
