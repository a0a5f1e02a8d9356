import { lazyPart } from "@/core/lazy-part";
import type { SettingsSection } from "@/parts/feature";

export const section: SettingsSection = {
  anchor: "usage",
  title: "Usage",
  about: "How many tokens agents and jobs have reported, in all sessions.",
  Content: lazyPart(() => import("./usage-table"), "UsageOfMesh"),
};
