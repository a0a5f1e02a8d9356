import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const demo: Feature = {
  Welcome: lazyPart(() => import("./welcome"), "Welcome"),
  DemoBar: lazyPart(() => import("./demo-bar"), "DemoBar"),
};
