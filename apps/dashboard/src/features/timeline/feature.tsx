import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const timeline: Feature = {
  session: {
    UnderFeed: lazyPart(
      () => import("./time-bar"),
      "TimeBar",
      <div className="h-[calc(2.5rem+1px)] border-t max-md:hidden" />,
    ),
    Effort: lazyPart(() => import("./effort"), "EffortTable"),
    MessageCounts: lazyPart(() => import("./effort"), "MessageCounts"),
    PastRoster: lazyPart(() => import("./roster-then"), "PastRoster", <div className="h-10.5 border-b" />),
  },
};
