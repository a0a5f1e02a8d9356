import { redactQuotes } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { type AnchorUpdater, startAnchorer } from "./anchorer.js";
import { openTopic } from "./open-topic.js";
import { getTopic, listTopics } from "./read-topics.js";
import { replyToTopic } from "./reply-to-topic.js";
import type { TopicServices } from "./services.js";

export { announceProposals } from "./announce-proposals.js";
export { closeTopic, topicClosed } from "./close-topic.js";
export type { TopicServices } from "./services.js";
export { getTopicAuthor, requireTopic, type TopicAuthor } from "./topic.js";

const placeMs = 60_000;

/** Comment threads anchored in documents and files. */
export const topicsFeature = {
  name: "topics",
  needs: ["sources"],
  handlers: {
    open_topic: openTopic,
    reply_to_topic: replyToTopic,
    list_topics: listTopics,
    get_topic: getTopic,
  },
  onDocumentWritten: { onWritten: ({ anchorer }, document) => anchorer.schedule(document) },
  start({ database, workers, meshChannels, log, stops }: StartParts): { anchorer: AnchorUpdater } {
    const anchorer = startAnchorer({ database, workers, meshChannels, log });
    stops.add("anchorer", anchorer.stop);
    return { anchorer };
  },
  repeat: {
    name: "places of topics",
    everyMs: placeMs,
    /**
     * The node that wrote a document may have stopped before the positions of the document's topics were
     * updated.
     */
    begin:
      ({ main: { nodes, anchorer } }) =>
      async () => {
        if (nodes.isLeader && !nodes.isAlone) await anchorer.catchUp();
      },
  },
  onRemoveText: { forgetVersions: redactQuotes },
} satisfies Feature<TopicServices & Services>;
