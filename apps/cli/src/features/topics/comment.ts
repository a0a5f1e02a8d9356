import { limits } from "@merkle/wire/limits";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import { type TopicTarget, topicsOfDocuments, topicsOfFiles } from "./topic-source.js";

/** Creates the command that opens a topic. */
function createCommentCommand(target: TopicTarget): Command {
  const { group, what, argument, example } = target;
  return {
    name: `${group} comment`,
    summary: `open a topic about ${what}, or about a passage of it`,
    arguments: [argument, { name: "[text]", summary: "comment text; - or a pipe reads it from stdin" }],
    flags: [{ flags: "--quote <text>", summary: "passage it is about; must occur exactly once" }],
    examples: [
      `merkle ${group} comment ${example} "Say how tokens are renewed."`,
      `merkle ${group} comment ${example} "How long?" --quote "Tokens live"`,
    ],
    async run(context) {
      const { args, flags, io, output, signal } = context;
      const { selector, typed, getActor, readNewest, formatIncorporateCommand } = await target.open(context);
      const text = await readText({
        given: args[1],
        name: "the comment",
        usage: `merkle ${group} comment ${typed} <text>`,
        bytesMax: limits.topicMessageBytesMax,
        io,
        signal,
      });
      const by = await getActor();
      const quote = findFlag(flags, "quote");
      const topic = await by.call("open_topic", { ...selector, ...(await readNewest()), quote, text });
      output.show(topic, `${output.mark.ok} topic ${topic.topic_id}`);
      output.note(`  have an agent work on it: ${formatIncorporateCommand(topic.topic_id)}`);
      return exitCodes.done;
    },
  };
}

export const docComment: Command = createCommentCommand(topicsOfDocuments);

export const sourceComment: Command = createCommentCommand(topicsOfFiles);
