import { exitCodes } from "../../cli-error.js";
import type { Command } from "../../command.js";
import { textOf } from "../../flags.js";
import { fileArgument } from "../../sources/argument.js";

export const sourceComment: Command = {
  name: "source comment",
  summary: "open a topic about a file under Git, or about a place of it",
  arguments: [
    fileArgument,
    { name: "[text]", summary: "what you have to say; - reads it from stdin, as does a pipe" },
  ],
  flags: [{ flags: "--quote <text>", summary: "the words that it is about, which stand in the file once" }],
  examples: [
    'merkle source comment docs/guide.md "Say how tokens are renewed."',
    'merkle source comment docs/guide.md "How long?" --quote "Tokens live"',
  ],
  async run({ args: [source_path = "", given], flags, config, output, signal }) {
    const { limits } = await import("@merkle/wire/plain");
    const { findBroker } = await import("../../broker-client.js");
    const { actingAsPerson } = await import("../../person/acting.js");
    const { readText } = await import("../../read-text.js");
    const { shellWord } = await import("../../shell-word.js");
    const broker = await findBroker(config, signal);
    const text = await readText({
      given,
      name: "the comment",
      usage: `merkle source comment ${shellWord(source_path)} <text>`,
      bytesMax: limits.topicMessageBytesMax,
      signal,
    });
    const actor = actingAsPerson({ broker, config });
    const { source_sha } = await broker.call("read_source", { source_path });
    const quote = textOf(flags, "quote");
    const topic = await actor.call("open_topic", { source_path, source_sha, quote, text });
    output.show(topic, `${output.mark.ok} topic ${topic.topic_id}`);
    output.note(
      `  have an agent work on it: merkle source incorporate ${shellWord(source_path)} ${topic.topic_id}`,
    );
    return exitCodes.done;
  },
};
