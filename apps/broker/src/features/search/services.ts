import type { SessionServices } from "../../sessions/context.js";
import type { Indexer } from "./indexer.js";

export interface SearchServices extends SessionServices {
  readonly indexer: Indexer;
}
