import type { SourceServices } from "../sources/services.js";
import type { Anchorer } from "./anchorer.js";

export interface TopicServices extends SourceServices {
  readonly anchorer: Anchorer;
}
