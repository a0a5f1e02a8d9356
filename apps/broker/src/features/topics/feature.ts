import { forgetQuotes } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { type Anchorer, startAnchorer } from "./anchorer.js";
import { openTopic } from "./open-topic.js";
import { getTopic, listTopics } from "./read-topics.js";
import { replyToTopic } from "./reply-to-topic.js";
import type { TopicServices } from "./services.js";

export { announceProposals } from "./announce-proposals.js";
export { closeTopic, isClosed } from "./close-topic.js";
export type { TopicServices } from "./services.js";
export { requireTopic, topicAuthorOf } from "./topic.js";

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
  onDocumentWritten: { written: ({ anchorer }, document) => anchorer.schedule(document) },
  start({ database, workers, meshChannels, log, stops }: StartParts): { anchorer: Anchorer } {
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
        if (nodes.leads && !nodes.alone) await anchorer.catchUp();
      },
  },
  onRemoveText: { forgetVersions: forgetQuotes },
} satisfies Feature<TopicServices & Services>;
