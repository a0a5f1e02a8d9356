import type { Session } from "@merkle/wire";
import type { BrokerClient } from "./broker/broker-client.js";
import type { Config } from "./config.js";
import { usageError } from "./core/cli-error.js";
import { getSession } from "./sessions/find-session.js";

/**
 * Takes `[session] <a> <b>` apart, where all words behind the session are needed: the session is left out where
 * `MERKLE_SESSION` names it and just those words are there.
 *
 * @throws CliError `usage` when a word is missing
 */
export async function takeWords(
  broker: Pick<BrokerClient, "call">,
  args: readonly string[],
  { needed, usage, config }: { needed: number; usage: string; config: Pick<Config, "session"> },
): Promise<{ session: Session; words: readonly string[] }> {
  const isNamed = args.length > needed;
  if (!isNamed && (args.length < needed || config.session === undefined)) {
    throw usageError("Something is missing.", usage);
  }
  const session = await getSession(broker, isNamed ? args[0] : undefined, config);
  return { session, words: isNamed ? args.slice(1) : args };
}
