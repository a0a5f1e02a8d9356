import type { SourceServices } from "../sources/feature.js";
import type { Anchorer } from "./anchorer.js";

export interface TopicServices extends SourceServices {
  readonly anchorer: Anchorer;
}
