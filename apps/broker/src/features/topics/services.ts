import type { SourceServices } from "../sources/feature.js";
import type { AnchorUpdater } from "./anchorer.js";

export interface TopicServices extends SourceServices {
  readonly anchorer: AnchorUpdater;
}
