import { countProgressEntries, purgeProgress } from "@merkle/db";
import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { kept } from "../../views/housekeeping/purge.js";
import { logProgress } from "./log-progress.js";
import { getContext, listProgress, listProgressProjects, searchLogs } from "./read-progress.js";
import type { ProgressServices } from "./services.js";

export { describeSummaries } from "./describe-summaries.js";
export { atLevel } from "./progress-log.js";
export type { ProgressServices } from "./services.js";
export {
  createSummariser,
  type ProgressLogLevel,
  type Summariser,
  type SummaryOptions,
} from "./summariser.js";

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
  purge: { progress: kept("progress_days", purgeProgress) },
} satisfies Feature<ProgressServices & Services>;
