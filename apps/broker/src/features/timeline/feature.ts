import type { Feature } from "../../feature.js";
import { getTimeline } from "./get-timeline.js";

/** Shows the decisive moments of a session. */
export const timelineFeature = {
  name: "timeline",
  needs: [],
  handlers: {
    get_timeline: getTimeline,
  },
} satisfies Feature;
