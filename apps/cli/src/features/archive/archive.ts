import { describeBytes } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { retryUntilDone } from "./retry-until-done.js";

export const archive: Command = {
  name: "archive",
  summary: "move a concluded session's messages to the broker's object storage, as a sealed bundle",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  examples: ["merkle archive split-auth", "merkle archive split-auth --json"],
  async run({ args: [name], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { session_id, slug } = session;
    const actor = await getSessionActor(session, { broker, config });
    const answer = await retryUntilDone(() => actor.call("archive_session", { session_id }), {
      output,
      signal,
    });
    const { bundle, rows } = answer;
    output.show(
      answer,
      `${output.mark.ok} ${slug} is archived: ${bundle.key} (${describeBytes(bundle.bytes)}), ${rows.key} (${describeBytes(rows.bytes)})`,
    );
    output.note(`  restore it: merkle unarchive ${slug}`);
    return exitCodes.done;
  },
};
