import { openLiveClient } from "../broker/live-client.js";
import type { CommandContext } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { readPace } from "./pace.js";
import type { Stage } from "./player.js";
import { playAtlas } from "./roles/atlas.js";
import { playBirch } from "./roles/birch.js";
import { playAna } from "./roles.js";
import { untilParentGone } from "./until-parent-gone.js";

const parts: Readonly<Record<string, (context: CommandContext) => Promise<number>>> = {
  atlas: (context) => play(playAtlas, context),
  birch: (context) => play(playBirch, context),
  ana: (context) => play(playAna, context),
  async broker(context) {
    const { runOwnBroker } = await import("./own-broker.js");
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
