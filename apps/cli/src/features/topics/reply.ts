import type { InputOf, Topic } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { type Flags, isSet } from "../../core/flags.js";
import { getTopicInSource, type TopicTarget, topicsOfDocuments, topicsOfFiles } from "./topic-source.js";

type TopicChange = Pick<InputOf<"reply_to_topic">, "close" | "reopen">;

/** Creates the command that replies to a topic, closes it or reopens it. */
function createReplyCommand(target: TopicTarget): Command {
  const { group, argument, example } = target;
  return {
    name: `${group} reply`,
    summary: "reply in a topic, close it or reopen it",
    arguments: [
      argument,
      { name: "<topic>", summary: `its number, as merkle ${group} topics shows it` },
      { name: "[text]", summary: "reply text; - reads it from stdin" },
    ],
    flags: [
      { flags: "--close", summary: "close it as resolved" },
      { flags: "--withdraw", summary: "close it as not needed" },
      { flags: "--reopen", summary: "reopen it" },
    ],
    examples: [
      `merkle ${group} reply ${example} 4 "An hour."`,
      `merkle ${group} reply ${example} 4 "Done in v7." --close`,
      `merkle ${group} reply ${example} 4 --reopen`,
    ],
    async run(context) {
      const { args, flags, io, output, signal } = context;
      const [, number = "", given] = args;
      const topic_id = toNumber(number, "A topic");
      const change = readChange(flags);
      const source = await target.open(context);
      await getTopicInSource(source, { topic_id, group });
      const reply = {
        given,
        name: "the reply",
        usage: `merkle ${group} reply ${source.typed} ${topic_id} <text>`,
        bytesMax: limits.topicMessageBytesMax,
        io,
        signal,
      };
      // Closing or reopening a topic needs no text, so stdin is not read in that case.
      const text = given === undefined && change !== undefined ? undefined : await readText(reply);
      const actor = await source.getActor();
      const topic = await actor.call("reply_to_topic", { topic_id, text, ...change });
      output.show(topic, `${output.mark.ok} ${describe(topic, change)}`);
      return exitCodes.done;
    },
  };
}

/** Returns how the flags change the topic. @throws CliError `usage` if more than one of these flags is set */
function readChange(flags: Flags): TopicChange | undefined {
  const changes: readonly (readonly [string, TopicChange])[] = [
    ["close", { close: "resolved" }],
    ["withdraw", { close: "withdrawn" }],
    ["reopen", { reopen: true }],
  ];
  const [first, second] = changes.filter(([name]) => isSet(flags, name));
  if (second) throw usageError("Give only one of --close, --withdraw and --reopen.");
  return first?.[1];
}

function describe({ topic_id, status, messages_count }: Topic, change: TopicChange | undefined): string {
  if (change === undefined) return `topic ${topic_id}, message ${messages_count}`;
  return `topic ${topic_id} is ${status}`;
}

export const docReply: Command = createReplyCommand(topicsOfDocuments);

export const sourceReply: Command = createReplyCommand(topicsOfFiles);
