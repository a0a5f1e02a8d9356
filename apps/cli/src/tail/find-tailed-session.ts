import type { Session } from "@merkle/wire";
import { neutralise } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker/broker-client.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { getSession } from "../sessions/find-session.js";

/**
 * The session that is named, or else `MERKLE_SESSION`, or else the open one with the newest activity, which is told.
 *
 * @throws CliError `not_found` when there is none, with how to get one
 */
export async function findTailedSession(
  broker: Pick<BrokerClient, "call">,
  { args: [named], config, output }: Pick<CommandContext, "args" | "config" | "output">,
): Promise<Session> {
  if (named !== undefined || config.session !== undefined) return getSession(broker, named, config);
  const { sessions } = await broker.call("list_sessions", { status: "open", limit: 1 });
  const [session] = sessions;
  if (!session) {
    throw new CliError("not_found", "No session is open.", {
      exitCode: exitCodes.not_found,
      next: ["merkle new <title>", "merkle demo"],
    });
  }
  output.note(`${session.slug}: ${neutralise(session.title)}`);
  return session;
}
