import { holdSearchHeads } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { type Indexer, startIndexer } from "./indexer.js";
import { search } from "./search.js";
import type { SearchServices } from "./services.js";

export type { SearchServices } from "./services.js";

/** Searches everything in a mesh. */
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
  // Waits for any indexer that has already read the text; later indexers will no longer find it.
  onRemoveText: { hold: (tx, sessionId) => holdSearchHeads(tx, [sessionId]) },
} satisfies Feature<SearchServices & Services>;
