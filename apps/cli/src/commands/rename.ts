import type { Command } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { exitCodes, usageError } from "../core/cli-error.js";

export const rename: Command = {
  name: "rename",
  summary: "change what a session is called or for; every team is told why",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[title]", summary: "the new title; may be left out with --description" },
  ],
  flags: [
    { flags: "--reason <text>", summary: "why; needed" },
    { flags: "--description <text>", summary: "the new purpose; - reads it from stdin" },
  ],
  examples: [
    'merkle rename q4-pricing "Q4 pricing, EU" --reason "US split off"',
    'merkle rename q4-pricing --description "Prices for the EU" --reason "US split off"',
  ],
  async run({ args, flags, config, output, signal }) {
    const reason = textOf(flags, "reason");
    if (reason === undefined) {
      throw usageError(
        "Say why with --reason: every team is told.",
        "merkle rename <session> <title> --reason <text>",
      );
    }
    const { limits } = await import("@merkle/wire/plain");
    const { findBroker } = await import("../broker/broker-client.js");
    const { actingIn } = await import("../identity/acting.js");
    const { readText } = await import("../command/read-text.js");
    const { takeSession } = await import("../session-argument.js");
    const { describeChanges } = await import("../show/changes.js");
    const broker = await findBroker(config, signal);
    const { session, rest: title } = await takeSession(broker, args, config);
    const given = textOf(flags, "description");
    const usage = `merkle rename ${session.slug} <title> --reason <text>`;
    if (title === undefined && given === undefined)
      throw usageError("Name the new title, or --description.", usage);
    const description =
      given === undefined
        ? undefined
        : await readText({
            given,
            name: "what it is for",
            usage,
            bytesMax: limits.descriptionCharsMax * 4,
            signal,
          });
    const actor = await actingIn(session, { broker, config });
    const updated = await actor.call("update_session_metadata", {
      session_id: session.session_id,
      reason,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    });
    if (output.json) output.show(updated, "");
    else output.show(updated, await describeChanges(updated, { broker, output, session }));
    return exitCodes.done;
  },
};
