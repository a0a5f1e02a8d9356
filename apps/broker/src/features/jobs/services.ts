import type { TopicServices } from "../topics/feature.js";
import type { Jobs } from "./run-jobs.js";

export interface JobServices extends TopicServices {
  readonly jobs: Jobs;
}
