import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";
import { retryUntilDone } from "./retry-until-done.js";

export const unarchive: Command = {
  name: "unarchive",
  summary: "restore an archived session's messages to the database",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  examples: ["merkle unarchive split-auth", "merkle unarchive split-auth --json"],
  async run({ args: [name], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { session_id, slug } = session;
    const actor = await getSessionActor(session, { broker, config });
    const answer = await retryUntilDone(() => actor.call("unarchive_session", { session_id }), {
      output,
      signal,
    });
    output.show(answer, `${output.mark.ok} ${slug} is back, with ${formatCount(answer.messages, "message")}`);
    for (const key of answer.left) output.note(`  still in the storage: ${toOneLine(key)}`);
    return exitCodes.done;
  },
};
