import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { search } from "./search.js";
import type { SearchServices } from "./services.js";

export { startIndexer } from "./indexer.js";
export type { SearchServices } from "./services.js";

/** Search over everything in a mesh. */
export const searchFeature = {
  name: "search",
  needs: [],
  handlers: {
    search,
  },
} satisfies Feature<SearchServices & Services>;
