import { lazyHelper, lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const brief: Feature = {
  Home: lazyHelper(() => import("./brief-panels"), "SincePanel"),
  session: {
    CatchUp: lazyPart(() => import("./brief-panels"), "CatchUpPanel", <div className="h-24 border-b" />),
  },
};
