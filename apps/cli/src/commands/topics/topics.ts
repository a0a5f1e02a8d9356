import type { Command } from "../../command/command.js";
import { isSet } from "../../command/flags.js";
import { exitCodes } from "../../core/cli-error.js";
import type { TopicTarget } from "../../work/commented.js";

/** The command that lists topics, or prints one. */
export function topicsCommand(target: TopicTarget): Command {
  const { group, what, argument, example } = target;
  return {
    name: `${group} topics`,
    summary: `list what is commented on in ${what}, or print all that was said in one topic`,
    arguments: [argument, { name: "[topic]", summary: "its number; without it the topics are listed" }],
    flags: [{ flags: "--all", summary: "also those that are closed; the last 200" }],
    examples: [
      `merkle ${group} topics ${example}`,
      `merkle ${group} topics ${example} 4`,
      `merkle ${group} topics ${example} --all --json`,
    ],
    async run(context) {
      const { args, flags, output } = context;
      const { limits } = await import("@merkle/wire/plain");
      const { toNumber } = await import("../../member/to-number.js");
      const { getTopicOf } = await import("../../work/commented.js");
      const { formatTopic, formatTopics } = await import("../../topics/format-topics.js");
      const { readOn } = await import("../../topics/read-on.js");
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
