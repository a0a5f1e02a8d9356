import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const needs = ["jobs"];

export const topics: Feature = {
  text: {
    Tool: lazyPart(() => import("./source-topics"), "TopicsButton"),
    Margin: lazyPart(() => import("./source-topics"), "SourceTopics"),
  },
};
