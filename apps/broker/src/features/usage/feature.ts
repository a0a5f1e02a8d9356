import type { Feature } from "../../feature.js";
import { getUsage } from "./get-usage.js";
import { reportUsage } from "./report-usage.js";

export { addJobUsage } from "./report-usage.js";

/** Records the tokens and cost that agents report. */
export const usageFeature = {
  name: "usage",
  needs: [],
  handlers: {
    report_usage: reportUsage,
    get_usage: getUsage,
  },
} satisfies Feature;
