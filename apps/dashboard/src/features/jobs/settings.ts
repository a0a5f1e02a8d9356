import type { SettingsSection } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "jobs",
  title: "Job runner",
  about: "Where background jobs run, and their limits.",
  group: "Agents",
  keywords: "background jobs runner limits",
  Content: lazySection(() => import("./runner-facts"), "RunnerFacts"),
};
