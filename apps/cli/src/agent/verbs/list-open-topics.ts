import type { Verb } from "../../work/agent/verb.js";
import { firstPage } from "../pages.js";
import { sessionOf } from "../session-of.js";

/** The open topics of the job's source but its own, with their anchors and places, and where the next page begins. */
export const listOpenTopics: Verb = {
  name: "list-open-topics",
  usage: "[--since <next of the last page>]",
  options: { since: { type: "string" } },
  async run({ client, options }) {
    const job = await client.job();
    const source =
      job.source_path === null ? { session_id: sessionOf(job) } : { source_path: job.source_path };
    const before = options.findNumber("since");
    const read = await client.call("list_topics", { ...source, status: "open", before });
    const all = read.topics.filter((each) => each.topic_id !== job.topic_id);
    const topics = firstPage(all);
    const next = topics.length < all.length ? (topics.at(-1)?.topic_id ?? null) : read.next_before;
    return { topics, next };
  },
};
