import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { getSessionActor } from "../../identity/actors.js";
import { resolveSessionArgument } from "../../sessions/find-session.js";

export const docAppend: Command = {
  name: "doc append",
  summary: "add text at the end of the document",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[text]", summary: "markdown; - reads it from stdin, as does a pipe" },
  ],
  examples: [
    'merkle doc append split-auth "- refresh tokens live for an hour"',
    "merkle doc append split-auth < notes.md",
  ],
  async run({ args, config, io, output, signal }) {
    const broker = await findBroker(config, signal);
    const { session, rest } = await resolveSessionArgument(broker, args, config);
    const text = await readText({
      given: rest,
      name: "the text to add",
      usage: `merkle doc append ${session.slug} <text>`,
      bytesMax: limits.documentBytesMax,
      io,
      signal,
    });
    const actor = await getSessionActor(session, { broker, config });
    const written = await actor.call("append_to_session_doc", { session_id: session.session_id, text });
    output.show(written, `${output.mark.ok} document v${written.version}`);
    return exitCodes.done;
  },
};
