import { exitCodes } from "../cli-error.js";
import type { Command } from "../command.js";

export const post: Command = {
  name: "post",
  summary: "say something to everyone in a session",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[text]", summary: "what to say; - reads it from stdin, as does a pipe" },
  ],
  examples: [
    'merkle post split-auth "Use the vault"',
    "git log -3 --oneline | merkle post split-auth",
    'MERKLE_SESSION=split-auth merkle post "Use the vault"',
  ],
  async run({ args, config, output, signal }) {
    const { limits } = await import("@merkle/wire");
    const { findBroker } = await import("../broker-client.js");
    const { actingIn } = await import("../person/acting.js");
    const { readText } = await import("../read-text.js");
    const { takeSession } = await import("../session-argument.js");
    const broker = await findBroker(config, signal);
    const { session, rest } = await takeSession(broker, args, config);
    const text = await readText({
      given: rest,
      name: "what to post",
      usage: `merkle post ${session.slug} <text>`,
      bytesMax: limits.messageTextBytesMax + 1,
      signal,
    });
    const actor = await actingIn(session, { broker, config });
    const posted = await actor.call("post_message", {
      session_id: session.session_id,
      // A pipe ends with a line break that nobody said.
      content: { text: text.replace(/(?:\r?\n)+$/, "") },
    });
    output.show(posted, `${output.mark.ok} #${posted.cursor} posted`);
    return exitCodes.done;
  },
};
