import { CliError, exitCodes } from "../../cli-error.js";
import type { Command } from "../../command.js";
import { isSet } from "../../flags.js";
import { fileArgument } from "../../sources/argument.js";

export const sourceTopics: Command = {
  name: "source topics",
  summary: "list what is commented on in a file, or print all that was said in one topic",
  arguments: [fileArgument, { name: "[topic]", summary: "its number; without it the topics are listed" }],
  flags: [{ flags: "--all", summary: "also those that are closed; the last 200" }],
  examples: [
    "merkle source topics docs/guide.md",
    "merkle source topics docs/guide.md 4",
    "merkle source topics docs/guide.md --all --json",
  ],
  async run({ args: [source_path = "", number], flags, config, output, signal }) {
    const { limits } = await import("@merkle/wire/plain");
    const { findBroker } = await import("../../broker-client.js");
    const { toNumber } = await import("../../member/to-number.js");
    const { shellWord } = await import("../../shell-word.js");
    const { formatTopic, formatTopics } = await import("../../topics/format-topics.js");
    const { readWholeTopic } = await import("../../topics/read-whole-topic.js");
    const broker = await findBroker(config, signal);
    if (number !== undefined) {
      const topic_id = toNumber(number, "A topic");
      const topic = await readWholeTopic(broker, topic_id);
      if (topic.source_path !== source_path) {
        throw new CliError("not_found", `${source_path} has no topic ${topic_id}.`, {
          exitCode: exitCodes.not_found,
          next: [`merkle source topics ${shellWord(source_path)}`],
        });
      }
      output.show(topic, formatTopic(topic, output));
      return exitCodes.done;
    }
    const page = await broker.call("list_topics", {
      source_path,
      limit: limits.topicsPageMax,
      ...(!isSet(flags, "all") && { status: "open" }),
    });
    if (output.json || page.topics.length > 0) output.show(page, formatTopics(page.topics, output));
    else output.note("  no topics");
    return exitCodes.done;
  },
};
