import { fileArgument } from "../sources/argument.js";
import type { TopicTarget } from "../work/commented.js";

/** Topics about files under Git. */
export const topicsOfFiles: TopicTarget = {
  group: "source",
  what: "a file under Git",
  argument: fileArgument,
  example: "docs/guide.md",
  async open({ args: [source_path = ""], config, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { actingAsPerson } = await import("../identity/acting.js");
    const { shellWord } = await import("../shell-word.js");
    const broker = await findBroker(config, signal);
    const typed = shellWord(source_path);
    return {
      broker,
      of: { source_path },
      name: source_path,
      typed,
      actor: async () => actingAsPerson({ broker, config }),
      newest: async () => {
        const { source_sha } = await broker.call("read_source", { source_path });
        return { source_sha };
      },
      incorporateBy: (topic_id) => `merkle source incorporate ${typed} ${topic_id}`,
    };
  },
};
