import type { OutputOf } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";

/** A topic of which the first page was read, with all of its messages. */
export async function readOn(
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
