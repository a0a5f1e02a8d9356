import type { OutputOf, Topic } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { isSet } from "../../core/flags.js";
import { indented, oneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { counted, toMoment } from "../../text/time.js";
import { getTopicOf, type TopicTarget, topicsOfDocuments, topicsOfFiles } from "./commented.js";

/** Creates the command that lists topics or prints one of them. */
function topicsCommand(target: TopicTarget): Command {
  const { group, what, argument, example } = target;
  return {
    name: `${group} topics`,
    summary: `list the topics of ${what}, or print one topic in full`,
    arguments: [argument, { name: "[topic]", summary: "topic number (default: list the topics)" }],
    flags: [{ flags: "--all", summary: "include the last 200 closed topics" }],
    examples: [
      `merkle ${group} topics ${example}`,
      `merkle ${group} topics ${example} 4`,
      `merkle ${group} topics ${example} --all --json`,
    ],
    async run(context) {
      const { args, flags, output } = context;
      const number = args[1];
      const topic_id = number === undefined ? undefined : toNumber(number, "A topic");
      const commented = await target.open(context);
      const { broker, of } = commented;
      if (topic_id !== undefined) {
        const topic = await readOn(broker, await getTopicOf(commented, { topic_id, group }));
        output.show(topic, formatTopic(topic, output));
        return exitCodes.done;
      }
      const page = await broker.call("list_topics", {
        ...of,
        limit: limits.topicsPageMax,
        ...(!isSet(flags, "all") && { status: "open" }),
      });
      if (output.json || page.topics.length > 0) output.show(page, formatTopics(page.topics, output));
      else output.note("  no topics");
      return exitCodes.done;
    },
  };
}

export const docTopics: Command = topicsCommand(topicsOfDocuments);

export const sourceTopics: Command = topicsCommand(topicsOfFiles);

/** Returns one line per topic: number, state, author, time, number of messages and title. */
function formatTopics(topics: readonly Topic[], output: Output): string {
  const rows = topics.map((topic) => [
    { text: String(topic.topic_id), paint: output.bold },
    { text: stateOf(topic) },
    { text: oneLine(topic.opened_by) },
    { text: toMoment(topic.opened_at) },
    { text: counted(topic.messages_count, "message"), paint: output.dim },
    { text: oneLine(topic.title) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 5, more: output.signs.more });
}

/** Formats a topic's quote and state, and all its messages. */
function formatTopic(topic: OutputOf<"get_topic">, output: Output): string {
  const quote = topic.anchor === null ? "" : `\n${output.dim(indented(topic.anchor.quote))}`;
  const said = topic.messages.map(
    ({ by, at, text }) => `${output.bold(oneLine(by))}  ${output.dim(toMoment(at))}\n${indented(text)}`,
  );
  return [`${output.bold(`topic ${topic.topic_id}`)}  ${stateOf(topic)}${quote}`, ...said].join("\n\n");
}

/** Returns `open`, `open, moved` if the passage is no longer where it was, or the reason for closing. */
function stateOf({ closed, place }: Topic): string {
  if (closed !== null) return closed.reason;
  return place === null || place.found === "exact" ? "open" : `open, ${place.found}`;
}

/** Adds the remaining pages of a topic's messages to the topic. */
async function readOn(
  broker: Pick<BrokerClient, "call">,
  topic: OutputOf<"get_topic">,
): Promise<OutputOf<"get_topic">> {
  const { topic_id } = topic;
  const messages = [...topic.messages];
  for (let after = topic.next_after; after !== null; ) {
    const page = await broker.call("get_topic", { topic_id, after });
    messages.push(...page.messages);
    after = page.next_after;
  }
  return { ...topic, messages, next_after: null };
}
