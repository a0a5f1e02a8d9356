import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { BriefServices } from "./brief.js";
import { createBrief } from "./brief.js";

/** Briefs, which summarise what has happened since the caller last read. */
export const briefFeature = {
  name: "brief",
  needs: ["approvals", "jobs", "progress", "proposals", "tasks"],
  handlers: {
    brief: createBrief,
  },
} satisfies Feature<BriefServices & Services>;
