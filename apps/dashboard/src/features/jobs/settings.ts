import { lazyPart } from "@/core/lazy-part";
import type { SettingsSection } from "@/parts/feature";

export const section: SettingsSection = {
  anchor: "jobs",
  title: "Job runner",
  about: "Where background jobs run, and their limits.",
  Content: lazyPart(() => import("./runner-facts"), "RunnerFacts"),
};
