import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import { askYesOrNo, canAsk } from "../../command/ask.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { getPersonActor } from "../../identity/actors.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";

export const personErase: Command = {
  name: "person erase",
  summary:
    "permanently remove a person's texts, name, devices, tokens, alerts and usage (that person or an admin)",
  arguments: [{ name: "<person>", summary: 'name or id of the person; "me" for yourself' }],
  flags: [{ flags: "-y, --yes", summary: "skip the confirmation prompt" }],
  examples: ["merkle person erase me", "merkle person erase Ana -y"],
  async run(context) {
    const {
      args: [name = ""],
      flags,
      config,
      output,
      signal,
    } = context;
    const question = `Remove ${name === "me" ? "yourself" : toOneLine(name)} from all sessions permanently? ${irreversibleNotice}`;
    if (!isSet(flags, "yes")) {
      if (!canAsk(context))
        throw usageError("Erasing cannot be undone. Confirm with -y.", `merkle person erase ${name} -y`);
      if (!(await askYesOrNo(question, context))) {
        output.note("  nothing was removed");
        return exitCodes.interrupted;
      }
    }
    const actor = getPersonActor({ broker: await findBroker(config, signal), config });
    const target =
      name === "me"
        ? { confirm: (await actor.call("get_person", {})).person_id }
        : { person: name, confirm: name };
    let redacted = 0;
    let answer: OutputOf<"erase_person">;
    do {
      answer = await actor.call("erase_person", target);
      redacted += answer.redacted;
    } while (!answer.done);
    output.show(
      { ...answer, redacted },
      `${output.mark.ok} ${formatCount(redacted, "text")} and other data about ${name === "me" ? "you" : toOneLine(name)} removed`,
    );
    for (const { session, what } of answer.kept) output.note(`  kept in ${session}: ${what}`);
    if (answer.kept.length > 0) output.note(`  then: merkle person erase ${answer.person_id}`);
    return exitCodes.done;
  },
};

const irreversibleNotice =
  "The record names its authors, so the name stays with their posts. Erasing cannot undo what others have read.";
