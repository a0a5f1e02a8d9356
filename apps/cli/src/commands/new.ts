import { parseTeamCredential } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { readText } from "../command/read-text.js";
import { exitCodes } from "../core/cli-error.js";
import { readOneOf } from "../core/flag-values.js";
import { findFlag } from "../core/flags.js";
import { getPersonActor } from "../identity/actors.js";
import { getSession } from "../sessions/find-session.js";

export const newSession: Command = {
  name: "new",
  summary: "start a session",
  arguments: [{ name: "<title>", summary: "session title" }],
  flags: [
    {
      flags: "--description <text>",
      summary: "goal of the session; - reads it from stdin",
    },
    {
      flags: "--from <session>",
      summary: "concluded session to continue from; its sealed conclusion becomes the first memory",
    },
    {
      flags: "--conclude-by <who>",
      summary: "who can conclude the session: anyone or convener (default: anyone)",
    },
    { flags: "--slug <slug>", summary: "short name (default: made from the title)" },
  ],
  examples: [
    'merkle new "Q4 pricing"',
    'merkle new "Split the auth service" --slug split-auth --description "Short-lived tokens first"',
    'merkle new "Q4 pricing" --description - < brief.md',
    'merkle new "Split the auth service, part 2" --from split-auth',
  ],
  async run({ args: [title = ""], flags, config, io, output, signal }) {
    const slug = findFlag(flags, "slug");
    const concludeBy = readOneOf(findFlag(flags, "concludeBy"), "--conclude-by", ["anyone", "convener"]);
    const given = findFlag(flags, "description");
    const description =
      given === undefined
        ? undefined
        : await readText({
            given,
            name: "the description",
            usage: "merkle new <title> --description <text>",
            bytesMax: limits.descriptionCharsMax * 4,
            io,
            signal,
          });
    const sourceName = findFlag(flags, "from");
    const broker = await findBroker(config, signal);
    const predecessor = sourceName === undefined ? null : await getSession(broker, sourceName, config);
    const actor = getPersonActor({ broker, config });
    const created = await actor.call("create_session", {
      title,
      ...(description === undefined ? {} : { description }),
      ...(slug === undefined ? {} : { slug }),
      ...(concludeBy === undefined ? {} : { settings: { conclude_by: concludeBy } }),
      ...(predecessor === null ? {} : { from_session: predecessor.session_id }),
    });
    output.show(withoutSecret(created), `${output.mark.ok} ${created.slug}`);
    if (created.memory_id !== undefined)
      output.note(`  continues ${predecessor?.slug}: its conclusion is ${created.memory_id}`);
    output.note(
      `  next: merkle launch --session ${created.slug}   ${output.dot}   merkle post ${created.slug} <text>`,
    );
    return exitCodes.done;
  },
};

/**
 * Replaces the credential in the broker's reply with the team's bare id. Commands never print credentials
 * (CLI-8).
 */
function withoutSecret<Answer extends { readonly team_id: string }>(answer: Answer): Answer {
  return { ...answer, team_id: parseTeamCredential(answer.team_id)?.teamId ?? answer.team_id };
}
