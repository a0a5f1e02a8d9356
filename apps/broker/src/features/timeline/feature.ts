import type { Feature } from "../../feature.js";
import { getTimeline } from "./get-timeline.js";

/** A session's decisive moments. */
export const timelineFeature = {
  name: "timeline",
  needs: [],
  handlers: {
    get_timeline: getTimeline,
  },
} satisfies Feature;
