import type { SettingsSection } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "alerts",
  title: "Push and webhooks",
  about: "Get notified when Merkle isn't open: phone, Slack, Discord or a webhook.",
  Content: lazySection(() => import("./alert-settings"), "AlertSettings"),
};
