import { countProgressEntries, purgeProgress } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { purgeOlderThan } from "../../views/housekeeping/purge.js";
import { describeSummaries } from "./describe-summaries.js";
import { logProgress } from "./log-progress.js";
import { limitLogLevel } from "./progress-log.js";
import { getContext, listProgress, listProgressProjects, searchLogs } from "./read-progress.js";
import type { ProgressServices } from "./services.js";
import {
  createSummariser,
  type ProgressLogLevel,
  type Summariser,
  type SummaryOptions,
} from "./summariser.js";

export type { ProgressServices } from "./services.js";
export type {
  ProgressLogLevel,
  Summariser,
  SummaryOptions,
} from "./summariser.js";

export interface ProgressOptions {
  /**
   * The model that summarises progress entries. If not set, the beginning of an entry serves as its summary.
   */
  readonly summaries?: SummaryOptions | undefined;
  /** Minimum level of log entries about progress. Default: "info". */
  readonly progressLogLevel?: ProgressLogLevel | undefined;
}

/** Progress entries, and their summaries. */
export const progressFeature = {
  name: "progress",
  needs: [],
  handlers: {
    log_progress: logProgress,
    get_context: getContext,
    search_logs: searchLogs,
    list_progress: listProgress,
    list_progress_projects: listProgressProjects,
  },
  sessionFacts: {
    progress_entries: ({ database }, sessionId) =>
      countProgressEntries(database.orm, database.meshId, sessionId),
  },
  purge: { progress: purgeOlderThan("progress_days", purgeProgress) },
  describeOptions: { summaries: ({ summaries }) => describeSummaries(summaries) },
  start({ options, log, stops }: StartParts<ProgressOptions>): { summariser: Summariser } {
    const summariser = createSummariser(
      options.summaries,
      limitLogLevel(log, options.progressLogLevel ?? "info"),
    );
    stops.add("summariser", summariser.stop);
    return { summariser };
  },
} satisfies Feature<ProgressServices & Services, ProgressOptions>;
