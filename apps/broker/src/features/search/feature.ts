import { holdSearchHeads } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { type Indexer, startIndexer } from "./indexer.js";
import { search } from "./search.js";
import type { SearchServices } from "./services.js";

export type { SearchServices } from "./services.js";

/** Search over everything in a mesh. */
export const searchFeature = {
  name: "search",
  needs: [],
  handlers: {
    search,
  },
  start({ database, log, stops }: StartParts): { indexer: Indexer } {
    const indexer = startIndexer({ database, log });
    stops.add("indexer", indexer.stop);
    return { indexer };
  },
  // An indexer that has read a text is waited for, and one that comes later reads none.
  onRemoveText: { hold: (tx, sessionId) => holdSearchHeads(tx, [sessionId]) },
} satisfies Feature<SearchServices & Services>;
