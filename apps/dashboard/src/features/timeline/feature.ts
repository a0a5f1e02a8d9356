import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const timeline: Feature = {
  session: {
    UnderFeed: lazyPart(() => import("./time-bar"), "TimeBar"),
    RosterThen: lazyPart(() => import("./roster-then"), "RosterThen"),
  },
};
