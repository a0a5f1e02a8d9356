import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";

export const stateUnset: Command = {
  name: "state unset",
  summary: "delete a shared value; its history is kept",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[key]", summary: "key (required)" },
  ],
  flags: [
    { flags: "--expect <version>", summary: "only if this is the current version" },
    { flags: "--shared", summary: "use the state shared by all sessions" },
  ],
  examples: [
    "merkle state unset split-auth deploy_frozen",
    "merkle state unset split-auth deploy_frozen --expect 4",
  ],
  async run({ args, flags, config, output, signal }) {
    const expected = readWholeNumber(findFlag(flags, "expect"), "--expect", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    });
    const broker = await findBroker(config, signal);
    const usage = "merkle state unset <session> <key>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 1, usage, config });
    const [key = ""] = words;
    const actor = await getSessionActor(session, { broker, config });
    const answer = await actor.call("delete_state", {
      session_id: session.session_id,
      key,
      scope: isSet(flags, "shared") ? "mesh" : "session",
      ...(expected === undefined ? {} : { expected_version: expected }),
    });
    output.show(
      answer,
      `${output.mark.ok} ${toOneLine(key)} ${answer.changed ? "deleted" : "was already deleted"}, v${answer.version}`,
    );
    return exitCodes.done;
  },
};
