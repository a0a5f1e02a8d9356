import type { Message } from "@merkle/wire";
import { canonicalJson, parseHeadLine } from "@merkle/wire/record";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError } from "../core/cli-error.js";
import { checkSeen } from "./check-seen.js";

/**
 * Compares what a conclusion seals with what this machine saw of the record before (CLI-73). A broker that cannot be
 * asked just now is no reason to say anything: whoever verifies the session later compares it then.
 *
 * @returns what must be said loudly; null when there is nothing to say
 */
export async function checkConcluded(
  { event, content, session_id: sessionId }: Message,
  { home, broker }: { readonly home: string; readonly broker: Pick<BrokerClient, "call"> },
): Promise<CliError | null> {
  if (event !== "session_concluded" || content["head"] === undefined) return null;
  try {
    const head = parseHeadLine(canonicalJson(content["head"]));
    const { keys } = await broker.call("session_seal", { session_id: sessionId });
    await checkSeen({ head, keys }, { home, broker, sessionId });
    return null;
  } catch (error) {
    return error instanceof CliError && error.code === "verification_failed" ? error : null;
  }
}
