import { lazyHelper, lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const brief: Feature = {
  Home: lazyHelper(() => import("./since-panel"), "SincePanel"),
  session: {
    CatchUp: lazyPart(() => import("./catch-up-panel"), "CatchUpPanel", <div className="h-24 border-b" />),
  },
};
