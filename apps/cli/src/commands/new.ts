import { exitCodes } from "../cli-error.js";
import type { Command } from "../command.js";
import { textOf } from "../flags.js";

export const newSession: Command = {
  name: "new",
  summary: "start a session",
  arguments: [{ name: "<title>", summary: "what the work is called" }],
  flags: [
    {
      flags: "--description <text>",
      summary: "what it is for and what the teams want from it; - reads it from stdin",
    },
    { flags: "--slug <slug>", summary: "its short name; made from the title unless told" },
  ],
  examples: [
    'merkle new "Q4 pricing"',
    'merkle new "Split the auth service" --slug split-auth --description "Short-lived tokens first"',
    'merkle new "Q4 pricing" --description - < brief.md',
  ],
  async run({ args: [title = ""], flags, config, output, signal }) {
    const { limits } = await import("@merkle/wire/plain");
    const { findBroker } = await import("../broker-client.js");
    const { actingAsPerson } = await import("../person/acting.js");
    const { readText } = await import("../read-text.js");
    const { withoutSecret } = await import("../person/without-secret.js");
    const slug = textOf(flags, "slug");
    const given = textOf(flags, "description");
    const description =
      given === undefined
        ? undefined
        : await readText({
            given,
            name: "what it is for",
            usage: "merkle new <title> --description <text>",
            bytesMax: limits.descriptionCharsMax * 4,
            signal,
          });
    const actor = actingAsPerson({ broker: await findBroker(config, signal), config });
    const created = await actor.call("create_session", {
      title,
      ...(description === undefined ? {} : { description }),
      ...(slug === undefined ? {} : { slug }),
    });
    output.show(withoutSecret(created), `${output.mark.ok} ${created.slug}`);
    output.note(
      `  next: merkle launch --session ${created.slug}   ${output.dot}   merkle post ${created.slug} <text>`,
    );
    return exitCodes.done;
  },
};
