import type { SettingsSection } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "usage",
  title: "Usage",
  about: "How many tokens agents and jobs have reported, in all sessions.",
  group: "Agents",
  keywords: "tokens cost spend",
  Content: lazySection(() => import("./usage-table"), "UsageOfMesh"),
};
