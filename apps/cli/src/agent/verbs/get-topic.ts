import type { Verb } from "../../work/agent/verb.js";
import { firstPage } from "../pages.js";

/** A topic with its anchor and place, and a page of what was said in it. */
export const getTopic: Verb = {
  name: "get-topic",
  usage: "--id <topic> [--since <next of the last page>]",
  options: { id: { type: "string" }, since: { type: "string" } },
  async run({ client, options }) {
    const topic_id = options.number("id");
    const read = await client.call("get_topic", { topic_id, after: options.findNumber("since") });
    const { messages: all, next_after, ...topic } = read;
    const messages = firstPage(all);
    const next = messages.length < all.length ? (messages.at(-1)?.sequence ?? null) : next_after;
    return { topic, messages, next };
  },
};
