import type { Session } from "@merkle/wire";
import type { BrokerClient } from "./broker/broker-client.js";
import type { Config } from "./config.js";
import { findSession, getSession } from "./sessions/find-session.js";

/**
 * Takes `[session] [text]` apart. With `MERKLE_SESSION` a single argument is the text, unless a session goes by it: then
 * it is that session, so that what was meant for one is never written into another.
 */
export async function takeSession(
  broker: Pick<BrokerClient, "call">,
  [first, second]: readonly string[],
  config: Pick<Config, "session">,
): Promise<{ session: Session; rest: string | undefined }> {
  const isText = first !== undefined && second === undefined && config.session !== undefined;
  if (!isText) return { session: await getSession(broker, first, config), rest: second };
  const named = await findSession(broker, first);
  if (named) return { session: named, rest: undefined };
  return { session: await getSession(broker, undefined, config), rest: first };
}
