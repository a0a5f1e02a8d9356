import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const needs = ["jobs"];

export const perspectives: Feature = {
  text: {
    Tool: lazyPart(() => import("./perspectives-button"), "PerspectivesButton"),
    Perspective: lazyPart(() => import("./perspective-pane"), "PerspectivePane"),
  },
};
