import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const demo: Feature = {
  Welcome: lazyPart(() => import("./demo-room"), "Welcome"),
  DemoBar: lazyPart(() => import("./demo-room"), "DemoBar"),
};
