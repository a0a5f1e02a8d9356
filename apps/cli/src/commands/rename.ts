import type { OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { readText } from "../command/read-text.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag } from "../core/flags.js";
import { getSessionActor } from "../identity/actors.js";
import { resolveSessionArgument } from "../sessions/find-session.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";

export const rename: Command = {
  name: "rename",
  summary: "change a session's title or description; every team sees the reason",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[title]", summary: "new title; optional with --description" },
  ],
  flags: [
    { flags: "--reason <text>", summary: "reason (required)" },
    { flags: "--description <text>", summary: "new description; - reads it from stdin" },
  ],
  examples: [
    'merkle rename q4-pricing "Q4 pricing, EU" --reason "US split off"',
    'merkle rename q4-pricing --description "Prices for the EU" --reason "US split off"',
  ],
  async run({ args, flags, config, io, output, signal }) {
    const reason = findFlag(flags, "reason");
    if (reason === undefined) {
      throw usageError(
        "Give a reason with --reason: every team sees it.",
        "merkle rename <session> <title> --reason <text>",
      );
    }
    const broker = await findBroker(config, signal);
    const { session, rest: title } = await resolveSessionArgument(broker, args, config);
    const given = findFlag(flags, "description");
    const usage = `merkle rename ${session.slug} <title> --reason <text>`;
    if (title === undefined && given === undefined)
      throw usageError("Give a new title or --description.", usage);
    const description =
      given === undefined
        ? undefined
        : await readText({
            given,
            name: "the description",
            usage,
            bytesMax: limits.descriptionCharsMax * 4,
            io,
            signal,
          });
    const actor = await getSessionActor(session, { broker, config });
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

/** Describes the changes of title and description, and how many teams were notified. */
async function describeChanges(
  { changes }: OutputOf<"update_session_metadata">,
  { broker, output, session }: { broker: Pick<BrokerClient, "call">; output: Output; session: Session },
): Promise<string> {
  const phrases: string[] = [];
  if (changes.title) {
    const { from, to } = changes.title;
    phrases.push(`${JSON.stringify(toOneLine(from))} ${output.signs.arrow} ${JSON.stringify(toOneLine(to))}`);
  }
  if (changes.description) phrases.push("new description");
  if (phrases.length === 0) return `${output.mark.ok} nothing changed`;
  // The count includes the team that made the change, which was not notified.
  const { teams } = await broker.call("get_session", { session_id: session.session_id });
  return `${output.mark.ok} ${phrases.join(", ")}   notified ${formatCount(Math.max(0, teams - 1), "team")}`;
}
