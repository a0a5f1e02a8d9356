import { type OutputOf, type Topic, toSourceHref } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { formatCount, toMoment } from "../../text/time.js";
import { getTopicInSource, type TopicTarget, topicsOfDocuments, topicsOfFiles } from "./topic-source.js";

/** Creates the command that lists topics or prints one of them. */
function createTopicsCommand(target: TopicTarget): Command {
  const { group, what, argument, example } = target;
  return {
    name: `${group} topics`,
    summary: `list the topics of ${what}, or print one topic in full`,
    arguments: [argument, { name: "[topic]", summary: "topic number (default: list the topics)" }],
    flags: [
      { flags: "--all", summary: "include the last 200 closed topics" },
      limitFlag(limits.topicsPageMax, limits.topicsPageMax),
      webFlag,
    ],
    examples: [
      `merkle ${group} topics ${example}`,
      `merkle ${group} topics ${example} 4`,
      `merkle ${group} topics ${example} --all --json topic_id,title`,
    ],
    list: { operation: "list_topics", rows: "topics" },
    async run(context) {
      const { args, flags, output } = context;
      const limit = readLimit(flags, limits.topicsPageMax) ?? limits.topicsPageMax;
      const number = args[1];
      const topic_id = number === undefined ? undefined : toNumber(number, "A topic");
      const source = await target.open(context);
      const { broker, selector } = source;
      if (isSet(flags, "web"))
        return openPage(
          context,
          broker,
          toSourceHref(source.page, topic_id === undefined ? {} : { topic: topic_id }),
        );
      if (topic_id !== undefined) {
        const topic = await readRemainingMessages(
          broker,
          await getTopicInSource(source, { topic_id, group }),
        );
        await output.page(topic, formatTopic(topic, output));
        return exitCodes.done;
      }
      const page = await broker.call("list_topics", {
        ...selector,
        limit,
        ...(!isSet(flags, "all") && { status: "open" }),
      });
      await showList(
        {
          value: page,
          rows: page.topics,
          columns: listColumns(output),
          hasMore: page.next_before !== null,
          empty: "  no topics",
        },
        context,
      );
      return exitCodes.done;
    },
  };
}

export const docTopics: Command = createTopicsCommand(topicsOfDocuments);

export const sourceTopics: Command = createTopicsCommand(topicsOfFiles);

/** Returns the columns: number, state, author, time, number of messages and title. */
function listColumns({ bold, dim }: Output): Column<Topic>[] {
  return [
    { head: "Topic", cell: ({ topic_id }) => ({ text: String(topic_id), paint: bold }) },
    { head: "State", cell: describeState },
    { head: "By", widthMin: 8, cell: ({ opened_by }) => toOneLine(opened_by) },
    { head: "Opened", isOptional: true, cell: ({ opened_at }) => toMoment(opened_at) },
    {
      head: "Messages",
      isOptional: true,
      cell: ({ messages_count }) => ({ text: formatCount(messages_count, "message"), paint: dim }),
    },
    { head: "Title", widthMin: 12, cell: ({ title }) => toOneLine(title) },
  ];
}

/** Formats a topic's quote and state, and all its messages. */
function formatTopic(topic: OutputOf<"get_topic">, output: Output): string {
  const quote = topic.anchor === null ? "" : `\n${output.dim(indentText(topic.anchor.quote))}`;
  const messages = topic.messages.map(
    ({ by, at, text }) => `${output.bold(toOneLine(by))}  ${output.dim(toMoment(at))}\n${indentText(text)}`,
  );
  return [`${output.bold(`topic ${topic.topic_id}`)}  ${describeState(topic)}${quote}`, ...messages].join(
    "\n\n",
  );
}

/** Returns `open`, `open, moved` if the passage is no longer where it was, or the reason for closing. */
function describeState({ closed, place }: Topic): string {
  if (closed !== null) return closed.reason;
  return place === null || place.found === "exact" ? "open" : `open, ${place.found}`;
}

/** Adds the remaining pages of a topic's messages to the topic. */
async function readRemainingMessages(
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
